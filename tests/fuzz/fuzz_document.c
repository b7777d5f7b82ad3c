// SPDX-License-Identifier: BSD-3-Clause
// An input is a document: as a file to merge, as the answer of a machine.
#include "tests/fuzz/harness.h"
#include "tests/fuzz/shown.h"
#include "tools/alloc.h"
#include "tools/answer.h"
#include "tools/parse.h"
#include "tools/verdict/document.h"

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

static void
merge(const uint8_t *data, size_t size)
{
    char path[32];
    int fd = memfd_create("document", MFD_CLOEXEC);
    json_t *document = document_create();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (write(fd, data, size) != (ssize_t) size)
        abort();
    free(document_add(document, path));
    free(document_add(document, path)); // what is there already is replaced
    close(fd);
    shown_judge(document);
    json_decref(document);
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

/** Shows the processes of a machine as those of this one. */
static void
show(json_t *document)
{
    const json_t *processes = json_object_get(document, "processes");
    size_t count = json_array_size(processes), kept = 0;
    struct report *reports = alloc_zeroed(count, sizeof *reports);
    json_t *shown = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *process = json_array_get(processes, i);
        bool good = parse_report(&reports[kept], process);
        if (!good)
            report_deinit(&reports[kept]);
        else
            json_array_append(shown, process);
        kept += good;
    }
    json_object_set_new(document, "processes", shown);
    shown_judge(document);
    shown_print(document, reports, kept);
    for (size_t i = 0; i < kept; i++)
        report_deinit(&reports[i]);
    free(reports);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    setlocale(LC_CTYPE, size % 2 == 0 ? "C" : "C.UTF-8");
    merge(data, size);
    json_t *answer = take_answer(data, size);
    if (answer != NULL) {
        shown_compare(answer);
        show(answer);
    }
    json_decref(answer);
    return 0;
}
