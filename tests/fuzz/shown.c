// SPDX-License-Identifier: BSD-3-Clause
// All that is done with a document that came in.
#include "tests/fuzz/shown.h"

#include "tools/html/embed.h"
#include "tools/html/graph.h"
#include "tools/html/marks.h"
#include "tools/json.h"
#include "tools/json_write.h"
#include "tools/looks.h"
#include "tools/print_sample.h"
#include "tools/verdict/export.h"
#include "tools/verdict/labels.h"
#include "tools/verdict/text.h"

static FILE *nowhere;

bool
shown_init(void)
{
    nowhere = fopen("/dev/null", "w");
    return nowhere != NULL;
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

void
shown_judge(json_t *document)
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
    json_write(nowhere, document, JSON_INDENT(1) | JSON_ENSURE_ASCII);
    write_page(document);
}

void
shown_print(json_t *document, const struct report *reports, size_t count)
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

void
shown_compare(const json_t *document)
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
