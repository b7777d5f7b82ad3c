// SPDX-License-Identifier: BSD-3-Clause
// Frames, stacks and what threads wait for in words.
#include "mqshow/base/alloc.h"
#include "mqshow/text/omp_text.h"
#include "mqshow/report/report.h"
#include "mqshow/text/print_threads.h"
#include "mqshow/base/runtime.h"
#include "mqshow/base/member.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { AWAITED_SHOWN = 3 }; // operations

char *
print_frame_text(const struct frame_record *frame)
{
    char *text = alloc_text(frame->function != NULL ? frame->function : "");
    if (frame->file != NULL && HAS(frame, FRAME_LINE))
        text = omp_text_join(text, " ",
                             alloc_format("at %s:%" PRId64, base_name(frame->file), frame->line));
    return text;
}

/** The runtime that a frame belongs to, by its module. */
static enum runtime
runtime_of(const struct frame_record *frame)
{
    return frame->module != NULL ? runtime_of_file(frame->module) : RUNTIME_NONE;
}

/** Prints a frame of the user's, or any one when all is shown. */
static void
print_frame(FILE *out, const struct frame_record *frame, int indent)
{
    char *text = print_frame_text(frame), address[32] = "?";
    const char *construct = frame->construct;
    if (HAS(frame, FRAME_ADDRESS))
        snprintf(address, sizeof address, "0x%" PRIx64, frame->address);
    const char *what = *text != '\0' ? text : address;
    bool is_named = construct == NULL || strncmp(what, construct, strlen(construct)) == 0;
    fprintf(out, "%*s%s%s%s%s%s%s\n", indent, "", what, is_named ? "" : " (",
            is_named ? "" : construct, is_named ? "" : ")", frame->module != NULL ? "   " : "",
            frame->module != NULL ? base_name(frame->module) : "");
    free(text);
}

void
print_stack(FILE *out, const struct thread_record *thread, int indent, bool all)
{
    const struct frame_record *stack = thread->stack.items;
    size_t n, count = thread->stack.count;
    for (size_t i = 0; i < count; i += n) {
        enum runtime runtime = runtime_of(&stack[i]);
        n = 1;
        if (all || runtime == RUNTIME_NONE) {
            print_frame(out, &stack[i], indent);
            continue;
        }
        while (i + n < count && runtime_of(&stack[i + n]) == runtime)
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
    for (size_t i = 0; i < report->comms.count; i++)
        for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
            const struct operations *all =
                communicator_operations(&report->comms.items[i], classes[k]);
            for (size_t n = 0; n < all->count; n++) {
                if (!HAS(&all->items[n], OP_REQUEST) || all->items[n].request != request)
                    continue;
                *ret_comm = &report->comms.items[i];
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
    bool probes = HAS(op, OP_KIND) && op->kind == mqs_kind_probe;
    char *text = alloc_text(probes ? "message from" : receives ? "receive from" : "send to");
    text = omp_text_join(text, " ",
                         !HAS(op, OP_PEER)        ? alloc_text("?")
                         : op->peer == REPORT_ANY ? alloc_text("any")
                                                  : alloc_format("%" PRId32, op->peer));
    if (HAS(op, OP_TAG))
        text = omp_text_join(text, " tag ",
                             op->tag == REPORT_ANY ? alloc_text("any")
                                                   : alloc_format("%" PRId32, op->tag));
    return omp_text_join(text, " on ", alloc_text(communicator_label(comm)));
}

char *
print_awaits_text(const struct report *report, const struct awaits_record *awaits)
{
    size_t count = awaits->requests.count;
    bool any = awaits->needs == AWAITS_ANY;
    char *text = alloc_text("");
    for (size_t i = 0; i < count && i < AWAITED_SHOWN; i++)
        text = omp_text_join(text, any ? " or " : ", ",
                             operation_text(report, awaits->requests.items[i]));
    if (count > AWAITED_SHOWN)
        text = omp_text_join(text, any ? " or " : ", ",
                             alloc_format("%zu more", count - AWAITED_SHOWN));
    if (*text == '\0')
        return text;
    return omp_text_join(alloc_text(awaits->certain ? "waits for" : "may wait for"), " ", text);
}
