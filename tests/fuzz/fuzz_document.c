// SPDX-License-Identifier: BSD-3-Clause
// An input is a document: as a file to merge, perhaps a compressed one, which may be cut, and as
// the output of a machine, of its processes or its jobs.
#include "tests/fuzz/harness.h"
#include "tests/fuzz/shown.h"
#include "mqshow/base/alloc.h"
#include "mqshow/base/options.h"
#include "mqshow/remote/host_output.h"
#include "mqshow/run/hosts.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void) argc, (void) argv;
    return shown_init() ? 0 : -1;
}

/** Writes an input as it is, compressed, or a part of that, whatever its size says. */
static void
write_input(int fd, const uint8_t *data, size_t size)
{
    gzFile packed = size % 4 != 0 ? gzdopen(dup(fd), "wb1") : NULL;
    if (packed == NULL && write(fd, data, size) != (ssize_t) size)
        abort();
    if (packed == NULL)
        return;
    if (gzwrite(packed, data, (unsigned) size) != (int) size || gzclose(packed) != Z_OK)
        abort();
    off_t length = lseek(fd, 0, SEEK_END);
    if (size % 4 == 1 && ftruncate(fd, length * (data[size / 2] + 1) / 256) != 0)
        abort();
}

/** The document of a file, added twice: what is there already is replaced. */
static struct document *
merged(const uint8_t *data, size_t size)
{
    char path[32];
    int fd = memfd_create("document", MFD_CLOEXEC);
    struct document *document = document_create(0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    write_input(fd, data, size);
    free(document_add_file(document, path));
    free(document_add_file(document, path));
    close(fd);
    return document;
}

/** The output of a machine, taken line by line. @return NULL: nothing that makes sense */
static json_t *
take_output(const uint8_t *data, size_t size, bool jobs)
{
    struct host_output output = {.text = NULL};
    uint64_t memory = HOST_OUTPUTS_MEMORY_MAX;
    char *text = alloc_zeroed(size + 1, 1), *rest = text;
    memcpy(text, data, size);
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        host_output_add(&output, line, &memory);
        host_output_complain(&output, line);
    }
    json_t *document = host_output_document(&output, jobs);
    host_output_deinit(&output);
    free(text);
    return document;
}

/** The processes of a machine's answer. */
static struct document *
answered(const uint8_t *data, size_t size)
{
    json_t *output = take_output(data, size, false);
    const json_t *processes = json_object_get(output, "processes");
    struct document *document = document_create(0);
    for (size_t i = 0; i < json_array_size(processes); i++)
        if (!report_read(document_add_report(document), json_array_get(processes, i)))
            document_drop_reports(document, document->count - 1);
    json_decref(output);
    return document;
}

/** The jobs of a machine's answer, listed in both forms; whether one is chosen is no matter. */
static void
list_jobs(const uint8_t *data, size_t size)
{
    struct options options = {.hosts = "one"};
    struct hosts hosts = {.options = &options, .seen = json_object()};
    json_t *output = take_output(data, size, true);
    FILE *out = fopen("/dev/null", "we");
    nodes_get(&hosts.machines.nodes, "one");
    hosts_take(&hosts, 0, output);
    hosts_settle(&hosts);
    hosts_choose(&hosts);
    for (int json = 0; json <= 1 && out != NULL; json++) {
        options.json = json;
        hosts_print(&hosts, out);
    }
    if (out != NULL)
        fclose(out);
    hosts_deinit(&hosts);
    json_decref(output);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    setlocale(LC_CTYPE, size % 2 == 0 ? "C" : "C.UTF-8");
    struct document *file = merged(data, size), *output = answered(data, size);
    shown_compare(file, output);
    shown_judge(file);
    shown_judge(output);
    document_destroy(file);
    document_destroy(output);
    list_jobs(data, size);
    return 0;
}
