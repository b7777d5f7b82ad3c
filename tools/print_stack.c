// SPDX-License-Identifier: BSD-3-Clause
// Frames, stacks and what threads wait for in words.
#include "tools/alloc.h"
#include "tools/omp_text.h"
#include "tools/parse.h"
#include "tools/print_threads.h"
#include "tools/runtime.h"
#include "tools/verdict/member.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { AWAITED_SHOWN = 3 }; // operations

char *
print_frame_text(const json_t *frame)
{
    int64_t line = 0;
    char *function = parse_text(frame, "function"), *file = parse_text(frame, "file");
    char *text = function != NULL ? function : alloc_text("");
    if (file != NULL && parse_integer(frame, "line", &line))
        text = omp_text_join(text, " ", alloc_format("at %s:%" PRId64, base_name(file), line));
    free(file);
    return text;
}

/** The runtime that a frame belongs to, by its module. */
static enum runtime
runtime_of(const json_t *frame)
{
    const char *module = json_string_value(json_object_get(frame, "module"));
    return module != NULL ? runtime_of_file(module) : RUNTIME_NONE;
}

/** Prints a frame of the user's, or any one when all is shown. */
static void
print_frame(FILE *out, const json_t *frame, int indent)
{
    char *text = print_frame_text(frame), *module = parse_text(frame, "module");
    char *address = parse_text(frame, "address"), *construct = parse_text(frame, "construct");
    const char *what = *text != '\0' ? text : address != NULL ? address : "?";
    bool is_told = construct == NULL || strncmp(what, construct, strlen(construct)) == 0;
    fprintf(out, "%*s%s%s%s%s%s%s\n", indent, "", what, is_told ? "" : " (",
            is_told ? "" : construct, is_told ? "" : ")", module != NULL ? "   " : "",
            module != NULL ? base_name(module) : "");
    free(construct);
    free(address);
    free(module);
    free(text);
}

void
print_stack(FILE *out, const json_t *stack, int indent, bool all)
{
    size_t n;
    for (size_t i = 0; i < json_array_size(stack); i += n) {
        enum runtime runtime = runtime_of(json_array_get(stack, i));
        n = 1;
        if (all || runtime == RUNTIME_NONE) {
            print_frame(out, json_array_get(stack, i), indent);
            continue;
        }
        while (i + n < json_array_size(stack) &&
               runtime_of(json_array_get(stack, i + n)) == runtime)
            n++;
        fprintf(out, "%*s(%zu frame%s of %s)\n", indent, "", n, n == 1 ? "" : "s",
                runtime_name(runtime));
    }
}

/** The operation of a request; NULL: it is in no queue that is shown. */
static const struct operation *
find_operation(const struct report *report, uint64_t request, const struct communicator **ret_comm,
               int *ret_class)
{
    static const int classes[] = {mqs_pending_receives, mqs_pending_sends};
    for (size_t i = 0; i < report->n_comms; i++)
        for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
            const struct operations *all = &report->comms[i].queues[classes[k]].operations;
            for (size_t n = 0; n < all->count; n++) {
                if ((all->items[n].has & OP_HAS(OP_REQUEST)) == 0 ||
                    all->items[n].request != request)
                    continue;
                *ret_comm = &report->comms[i];
                *ret_class = classes[k];
                return &all->items[n];
            }
        }
    return NULL;
}

/** "receive from 3 tag 42 on ring", for free(). */
static char *
operation_text(const struct report *report, uint64_t request)
{
    const struct communicator *comm;
    int op_class;
    const struct operation *op = find_operation(report, request, &comm, &op_class);
    if (op == NULL)
        return alloc_format("request 0x%" PRIx64, request);
    bool receives = op_class == mqs_pending_receives;
    bool probes = (op->has & OP_HAS(OP_KIND)) != 0 && op->kind == mqs_kind_probe;
    char *text = alloc_text(probes ? "message from" : receives ? "receive from" : "send to");
    text = omp_text_join(text, " ",
                         (op->has & OP_HAS(OP_PEER)) == 0 ? alloc_text("?")
                         : op->any_peer                   ? alloc_text("any")
                                                          : alloc_format("%" PRId32, op->peer));
    if ((op->has & OP_HAS(OP_TAG)) != 0)
        text = omp_text_join(text, " tag ",
                             op->any_tag ? alloc_text("any") : alloc_format("%" PRId32, op->tag));
    return omp_text_join(text, " on ", alloc_text(communicator_label(comm)));
}

char *
print_awaits_text(const struct report *report, const json_t *awaits)
{
    const json_t *requests = json_object_get(awaits, "requests");
    size_t count = json_array_size(requests);
    const char *needs = json_string_value(json_object_get(awaits, "needs"));
    bool any = needs != NULL && strcmp(needs, "any") == 0;
    char *text = alloc_text("");
    for (size_t i = 0; i < count && i < AWAITED_SHOWN; i++) {
        uint64_t request;
        const char *word = json_string_value(json_array_get(requests, i));
        if (word != NULL && parse_hex_text(word, &request))
            text = omp_text_join(text, any ? " or " : ", ", operation_text(report, request));
    }
    if (count > AWAITED_SHOWN)
        text = omp_text_join(text, any ? " or " : ", ",
                             alloc_format("%zu more", count - AWAITED_SHOWN));
    if (*text == '\0')
        return text;
    return omp_text_join(
        alloc_text(json_is_true(json_object_get(awaits, "certain")) ? "waits for" : "may wait for"),
        " ", text);
}
