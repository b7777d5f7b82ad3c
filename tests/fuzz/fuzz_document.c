// SPDX-License-Identifier: BSD-3-Clause
// An input is a document: as a file to merge, as the answer of a machine.
#include "tests/fuzz/harness.h"
#include "tests/fuzz/shown.h"
#include "mqshow/base/alloc.h"
#include "mqshow/remote/answer.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void) argc, (void) argv;
    return shown_init() ? 0 : -1;
}

/** The document of a file, added twice: what is there already is replaced. */
static struct document *
merged(const uint8_t *data, size_t size)
{
    char path[32];
    int fd = memfd_create("document", MFD_CLOEXEC);
    struct document *document = document_create(0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (write(fd, data, size) != (ssize_t) size)
        abort();
    free(document_add_file(document, path));
    free(document_add_file(document, path));
    close(fd);
    return document;
}

/** What a machine answers, taken line by line. @return NULL: nothing that makes sense */
static json_t *
take_answer(const uint8_t *data, size_t size)
{
    struct answer answer = {.text = NULL};
    uint64_t memory = ANSWERS_MEMORY_MAX;
    char *text = alloc_zeroed(size + 1, 1), *rest = text;
    memcpy(text, data, size);
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        answer_add(&answer, line, &memory);
        answer_complain(&answer, line);
    }
    json_t *document = answer_document(&answer);
    answer_deinit(&answer);
    free(text);
    return document;
}

/** The processes of a machine's answer. */
static struct document *
answered(const uint8_t *data, size_t size)
{
    json_t *answer = take_answer(data, size);
    const json_t *processes = json_object_get(answer, "processes");
    struct document *document = document_create(0);
    for (size_t i = 0; i < json_array_size(processes); i++)
        if (!report_read(document_add_report(document), json_array_get(processes, i)))
            document_drop_reports(document, document->count - 1);
    json_decref(answer);
    return document;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    setlocale(LC_CTYPE, size % 2 == 0 ? "C" : "C.UTF-8");
    struct document *file = merged(data, size), *answer = answered(data, size);
    shown_compare(file, answer);
    shown_judge(file);
    shown_judge(answer);
    document_destroy(file);
    document_destroy(answer);
    return 0;
}
