// SPDX-License-Identifier: BSD-3-Clause
// One part of what is known of each process, for people.
#include "mqshow/text/print_part.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/table.h"
#include "mqshow/report/openmp.h"
#include "mqshow/text/omp_text.h"
#include "mqshow/text/print.h"
#include "mqshow/verdict/text.h"

#include <inttypes.h>
#include <stdlib.h>

enum { INDENT = 4, THREAD_COLUMNS = 4, TASK_COLUMNS = 5 };

/** "thread 1 of 3, region at ring.c:14 in work, level 1", for free(). */
static char *
place_text(const struct openmp *omp, const mqs_omp_thread *thread)
{
    const mqs_omp_region *region =
        (thread->known & MQS_OMP_REGION) != 0 ? openmp_region(omp, thread->region) : NULL;
    if (openmp_is_idle(thread))
        return alloc_text("idle");
    char *text = omp_text_thread(thread);
    text = omp_text_join(text, ", ",
                         region ? omp_text_region_name(omp, region) : alloc_text("region"));
    if (region && openmp_is_outermost(region))
        return text;
    return (thread->known & MQS_OMP_LEVEL) != 0
               ? omp_text_join(text, ", ", alloc_format("level %" PRId64, thread->level))
               : text;
}

/** The threads of the OpenMP runtime, one a line. */
static void
print_omp_threads(FILE *out, const struct report *report, struct style style)
{
    const struct openmp *omp = &report->omp;
    struct table *table = table_create(THREAD_COLUMNS, style.color);
    for (size_t i = 0; i < omp->n_threads; i++) {
        const mqs_omp_thread *thread = &omp->threads[i];
        table_line(table);
        table_cell(table, 0, omp_text_tid(thread), NULL);
        table_cell(table, 1, place_text(omp, thread), NULL);
        bool waits = openmp_wait(omp, thread) != NULL;
        char *rest = waits ? omp_text_place(report, thread) : omp_wait(omp, thread);
        table_cell(table, 2, waits ? omp_text_wait(omp, thread) : omp_text_state(thread), NULL);
        table_cell(table, 3, omp_text_join(rest, "   ", omp_text_task(omp, thread, true)), NULL);
    }
    table_print(table, out, INDENT);
}

/** "executing", "interrupted", or "". */
static const char *
doing_of(const mqs_omp_task *task)
{
    uint32_t flags = task->flags & task->flags_known;
    return (flags & MQS_OMP_TASK_CURRENT) != 0   ? "executing"
           : (flags & MQS_OMP_TASK_STARTED) != 0 ? "interrupted"
                                                 : "";
}

/** "tid 4711, untied, in taskwait", for free(). */
static char *
flags_text(const struct openmp *omp, const mqs_omp_task *task)
{
    static const struct {
        uint32_t flag;
        const char *word;
    } words[] = {{MQS_OMP_TASK_UNTIED, "untied"},
                 {MQS_OMP_TASK_FINAL, "final"},
                 {MQS_OMP_TASK_UNDEFERRED, "undeferred"},
                 {MQS_OMP_TASK_COMPLETE, "complete"},
                 {MQS_OMP_TASK_IN_TASKWAIT, "in taskwait"},
                 {MQS_OMP_TASK_IN_TASKGROUP_END, "in taskgroup end"}};
    const mqs_omp_thread *thread =
        (task->known & MQS_OMP_THREAD) != 0 ? openmp_thread(omp, task->thread) : NULL;
    char *text = thread != NULL ? omp_text_tid(thread) : alloc_text("");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((task->flags & task->flags_known & words[i].flag) != 0)
            text = omp_text_join(text, ", ", alloc_text(words[i].word));
    return text;
}

/** What generated a task, for free(); "" when it is not known. */
static char *
origin_text(const struct openmp *omp, const mqs_omp_task *task)
{
    const mqs_omp_task *from = openmp_generating(omp, task);
    if (from == NULL)
        return alloc_text("");
    if (!openmp_is_explicit(from))
        return (from->known & MQS_OMP_THREAD_NUM) != 0
                   ? alloc_format("from thread %" PRId64, from->thread_num)
                   : alloc_text("from an implicit task");
    return omp_text_join(alloc_text("from task"), " ", omp_text_code(omp, from->function));
}

static void
add_task(struct table *table, const struct openmp *omp, const mqs_omp_task *task)
{
    const mqs_omp_region *region =
        (task->known & MQS_OMP_REGION) != 0 ? openmp_region(omp, task->region) : NULL;
    char *kind = alloc_text(openmp_is_explicit(task) ? "task" : "implicit task");
    if ((task->known & MQS_OMP_THREAD_NUM) != 0)
        kind = omp_text_join(kind, " ", alloc_format("of thread %" PRId64, task->thread_num));
    bool has_code = (task->known & MQS_OMP_FUNCTION) != 0;
    char *code = has_code ? omp_text_code(omp, task->function) : alloc_text("");
    char *around = region != NULL && (region->known & MQS_OMP_FUNCTION) != 0
                       ? omp_text_code(omp, region->function)
                       : alloc_text("");
    table_line(table);
    table_cell(table, 0, omp_text_join(kind, " ", code), NULL);
    table_cell(table, 1, alloc_text(doing_of(task)), NULL);
    table_cell(table, 2, flags_text(omp, task), NULL);
    table_cell(table, 3,
               *around != '\0' ? omp_text_join(alloc_text("region"), " ", around) : around, NULL);
    table_cell(table, 4, origin_text(omp, task), NULL);
}

/** The explicit tasks, one a line, and the implicit ones when all are shown. */
static void
print_tasks(FILE *out, const struct report *report, struct style style)
{
    const struct openmp *omp = &report->omp;
    struct table *table = table_create(TASK_COLUMNS, style.color);
    int64_t queued = 0;
    size_t shown = 0;
    for (size_t i = 0; i < omp->n_tasks; i++)
        if (style.all || openmp_is_explicit(&omp->tasks[i])) {
            add_task(table, omp, &omp->tasks[i]);
            shown++;
        }
    for (size_t i = 0; i < omp->n_regions; i++)
        if ((omp->regions[i].known & MQS_OMP_TASK_COUNTS) != 0 && omp->regions[i].tasks_queued > 0)
            queued += omp->regions[i].tasks_queued;
    if (shown == 0)
        table_free_line(table, alloc_text("no explicit task"));
    if (queued > 0)
        table_free_line(table,
                        alloc_format("%" PRId64 " task%s queued", queued, queued == 1 ? "" : "s"));
    table_print(table, out, INDENT);
}

static void
print_queues(FILE *out, const struct report *report, struct style style)
{
    for (size_t i = 0; i < report->comms.count; i++)
        if (!report->comms.items[i].left_out)
            print_communicator(out, report, &report->comms.items[i], style);
}

static void
print_comms(FILE *out, const struct report *report, struct style style)
{
    style.folded = true;
    print_queues(out, report, style);
}

static void
print_regions(FILE *out, const struct report *report, struct style style)
{
    print_openmp(out, report, style);
}

static void
print_icvs(FILE *out, const struct report *report, struct style style)
{
    print_openmp_variables(out, &report->omp, style);
}

/** The parts of processes. */
static const struct {
    void (*print)(FILE *out, const struct report *report, struct style style);
    bool of_openmp, has_heading;
} parts[] = {
    [PART_COMMS] = {print_comms, false, false},
    [PART_QUEUES] = {print_queues, false, false},
    [PART_GROUPS] = {NULL, false, false},
    [PART_WAITS] = {NULL, false, false},
    [PART_THREADS] = {print_omp_threads, true, true},
    [PART_REGIONS] = {print_regions, true, false},
    [PART_TASKS] = {print_tasks, true, true},
    [PART_ICVS] = {print_icvs, true, true},
    [PART_HANDLES] = {print_handles, false, false},
};

bool
print_part_has(const struct report *report, enum part part)
{
    return parts[part].of_openmp ? HAS(report, PROCESS_OPENMP) : report->has_mpi;
}

const char *
print_part_subject(enum part part)
{
    return parts[part].of_openmp ? "OpenMP" : "MPI";
}

static void
print_processes(FILE *out, const struct sample *sample, enum part part, struct style style)
{
    char *last = NULL;
    for (size_t i = 0; i < sample->document->count; i++) {
        const struct report *report = &sample->document->reports[i];
        if (print_part_has(report, part)) {
            print_process_heading(out, report, i, style, parts[part].of_openmp ? NULL : &last);
            if (parts[part].has_heading)
                print_openmp_heading(out, &report->omp);
            parts[part].print(out, report, style);
        }
        print_notes(out, report);
    }
    free(last);
}

void
print_part(FILE *out, const struct sample *sample, enum part part, struct style style)
{
    const struct verdict_style of_verdict = {.color = style.color, .all = true};
    style.brief = false;
    style.numbered = sample->document->count > 1 && job_index_is_by_index(sample->document);
    if (parts[part].print != NULL)
        print_processes(out, sample, part, style);
    else if (part == PART_WAITS)
        verdict_print(sample->verdict, out, of_verdict);
    else
        verdict_print_groups(sample->verdict, out, of_verdict, SIZE_MAX);
    for (size_t i = 0; parts[part].print == NULL && i < sample->document->count; i++)
        print_notes(out, &sample->document->reports[i]);
}
