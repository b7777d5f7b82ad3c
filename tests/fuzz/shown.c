// SPDX-License-Identifier: BSD-3-Clause
// All that is done with a document that came in.
#include "tests/fuzz/shown.h"

#include "mqshow/html/graph.h"
#include "mqshow/html/annotations.h"
#include "mqshow/base/draft.h"
#include "mqshow/report/changes.h"
#include "mqshow/run/document_print.h"
#include "mqshow/text/print_sample.h"
#include "mqshow/verdict/export.h"
#include "mqshow/verdict/labels.h"
#include "mqshow/verdict/text.h"

#include <stdlib.h>

static FILE *nowhere;

bool
shown_init(void)
{
    nowhere = fopen("/dev/null", "w");
    return nowhere != NULL;
}

/** The page's data, and the document as JSON, which must be JSON. */
static void
write_json(const struct document *document, const struct verdict *verdict)
{
    const struct document_form form = {.flags = JSON_INDENT(1) | JSON_ENSURE_ASCII};
    struct draft draft;
    struct json_out json;
    struct drawn_graph graph;
    graph_make(&graph, verdict);
    json_out_begin(&json, nowhere, JSON_COMPACT);
    graph_write(&json, &graph);
    annotations_write(&json, verdict);
    json_out_end(&json);
    graph_free(&graph);
    document_print(draft_open(&draft), document, verdict, &form);
    char *text = draft_close(&draft);
    json_t *read = json_loads(text, 0, NULL);
    if (read == NULL)
        abort();
    json_decref(read);
    free(text);
}

static void
print(const struct document *document, const struct verdict *verdict)
{
    const struct sample sample = {.document = document, .verdict = verdict};
    const struct screen screen = {24, 80};
    print_text(nowhere, document->reports, document->count,
               (struct style){.all = true, .stacks = true});
    print_sample(nowhere, &sample, (struct style){.brief = true, .color = true}, NULL, NULL);
    print_sample_on_screen(nowhere, &sample, (struct style){.brief = true}, &screen);
    print_layout(nowhere, document->reports, document->count);
}

void
shown_judge(struct document *document)
{
    struct verdict verdict;
    labels_set(document);
    verdict_init(&verdict, document);
    verdict_print(&verdict, nowhere, (struct verdict_style){.alone = true});
    verdict_print(&verdict, nowhere, (struct verdict_style){true, true, true});
    export_dot(&verdict, nowhere);
    export_csv(&verdict, nowhere);
    print(document, &verdict);
    write_json(document, &verdict);
    verdict_deinit(&verdict);
}

void
shown_compare(const struct document *before, struct document *after)
{
    struct changes changes = {.items = NULL};
    changes_find(before, after, &changes);
    changes_deinit(&changes);
}
