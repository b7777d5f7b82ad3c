// SPDX-License-Identifier: BSD-3-Clause
// An input is a document: as a file to merge, as the answer of a machine, as what a worker sends.
#include "tests/fuzz/harness.h"
#include "tools/answer.h"
#include "tools/html/embed.h"
#include "tools/html/graph.h"
#include "tools/html/marks.h"
#include "tools/json.h"
#include "tools/looks.h"
#include "tools/parse.h"
#include "tools/print_sample.h"
#include "tools/reply.h"
#include "tools/verdict/document.h"
#include "tools/verdict/export.h"
#include "tools/verdict/labels.h"
#include "tools/verdict/text.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static FILE *nowhere;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void) argc, (void) argv;
    nowhere = fopen("/dev/null", "w");
    return nowhere != NULL ? 0 : -1;
}

static void
write_page(const json_t *document)
{
    json_t *graph = graph_make(document);
    json_t *page = marks_add(document, json_is_true(json_object_get(graph, "by_index")));
    embed_json(nowhere, page);
    embed_json(nowhere, graph);
    json_decref(page);
    json_decref(graph);
}

/** Judges a document and writes all that "mqshow merge" can. */
static void
judge(json_t *document)
{
    struct verdict verdict;
    labels_set(document);
    verdict_init(&verdict, document);
    verdict_print(&verdict, nowhere, (struct verdict_style){.alone = true});
    verdict_print(&verdict, nowhere, (struct verdict_style){true, true, true});
    export_dot(&verdict, nowhere);
    export_csv(&verdict, nowhere);
    json_object_set_new(document, "verdict", verdict_json(&verdict));
    verdict_deinit(&verdict);
    json_dumpf(document, nowhere, JSON_INDENT(1) | JSON_ENSURE_ASCII);
    write_page(document);
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
    judge(document);
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

static void
print_reports(json_t *document, const struct report *reports, size_t count)
{
    const struct sample sample = {.document = document, .reports = reports, .count = count};
    const struct screen screen = {24, 80};
    json_t *again = json_document(reports, count, NULL);
    json_decref(again);
    print_text(nowhere, reports, count, (struct style){.all = true, .stacks = true});
    print_sample(nowhere, &sample, (struct style){.brief = true, .color = true});
    print_sample_on_screen(nowhere, &sample, (struct style){.brief = true}, &screen);
    print_layout(nowhere, reports, count);
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
    judge(document);
    print_reports(document, reports, kept);
    for (size_t i = 0; i < kept; i++)
        report_deinit(&reports[i]);
    free(reports);
}

/** What moved since another look, which saw the processes in another order. */
static void
compare(const json_t *document)
{
    json_t *before = json_deep_copy(document), *after = json_deep_copy(document);
    json_t *processes = json_object_get(before, "processes");
    struct look_changes changes = {.items = NULL};
    if (json_array_size(processes) > 1)
        json_array_remove(processes, 0);
    looks_compare_all(before, after, true, &changes);
    look_changes_deinit(&changes);
    json_decref(before);
    json_decref(after);
}

static void
take_reply(const uint8_t *data, size_t size)
{
    struct report report = {.pid = 1};
    struct host_stats stats = {.reads = 0};
    if (reply_take((const char *) data, size, true, &report, &stats))
        free(reply_text(&report, &stats));
    report_deinit(&report);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    setlocale(LC_CTYPE, size % 2 == 0 ? "C" : "C.UTF-8");
    merge(data, size);
    take_reply(data, size);
    json_t *answer = take_answer(data, size);
    if (answer != NULL) {
        compare(answer);
        show(answer);
    }
    json_decref(answer);
    return 0;
}
