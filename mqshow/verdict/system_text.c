// SPDX-License-Identifier: BSD-3-Clause
// What threads wait for in the system, in words.
#include "mqshow/verdict/verdict.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"

#include <stdlib.h>
#include <string.h>

/** What those are to a thread that can end its call. */
static const char *
relation_of(const struct job_thread *thread)
{
    struct system_call call = thread_system_call(thread);
    bool is_file = !thread->record->system.endpoint;
    if (call.for_ever)
        return "held by";
    if (is_file && call.one && strcmp(call.one, "reads") == 0)
        return "whose writer is";
    return is_file && call.one && strcmp(call.one, "writes") == 0 ? "whose reader is"
                                                                  : "whose other end is with";
}

/** Appends "process 4711 (postgres)", of a holder that is not of the job. */
static void
add_stranger(const struct verdict *verdict, struct strbuf *words, const struct job_thread *thread)
{
    const struct thread_record *record = thread->record;
    size_t i = 0;
    while (job_index_neighbour(&verdict->job, thread->process, record->holders.items[i]) != NOBODY)
        i++;
    strbuf_add(words, "process %d", (int) record->holders.items[i]);
    if (i < record->system.programs.count)
        strbuf_add(words, " (%s)", record->system.programs.items[i]);
}

/** Appends "held by rank 0", of which one is enough where there are several. */
static void
add_holders(const struct verdict *verdict, struct strbuf *words, const struct job_thread *thread)
{
    size_t count, others;
    uint32_t *holders = thread_holders(&verdict->job, thread, &count, &others);
    if (count + others > 0)
        strbuf_add(words, ", %s ", relation_of(thread));
    verdict_add_ranks(verdict, words, holders, count);
    if (others > 0)
        strbuf_add(words, "%s", count > 0 ? " and " : "");
    if (others == 1)
        add_stranger(verdict, words, thread);
    else if (others > 1)
        strbuf_add(words, "%zu processes", others);
    if (others > 0)
        strbuf_add(words, "%s not of the job", others == 1 ? "," : "");
    free(holders);
}

/** Appends the file system of the file, where it may be the cause. */
static void
add_mount(struct strbuf *words, const struct system_record *system)
{
    bool matters = system->sort || (HAS(system, SYSTEM_UNINTERRUPTIBLE) && system->uninterruptible);
    if (!system->mount || !matters)
        return;
    strbuf_add(words, ", on the ");
    if (system->sort && strcmp(system->sort, "network") == 0)
        strbuf_add(words, "network ");
    strbuf_add(words, "file system at %s (%s)", system->mount,
               system->file_system ? system->file_system : "?");
}

/** What it means that a thread sleeps in a function of the kernel. */
static const struct {
    const char *function, *meaning;
} kernel_functions[] = {
    {"mem_cgroup_handle_over_high", "memory.high of its control group holds it back"},
    {"__mem_cgroup_handle_over_high", "memory.high of its control group holds it back"},
    {"balance_dirty_pages", "it is held back until written data is on the disk"},
    {"mem_cgroup_oom_synchronize", "it waits for memory of its control group"},
    {"__refrigerator", "its control group is frozen"},
};

/** Appends what a thread's sleep in the kernel is. */
static void
add_sleep(struct strbuf *words, const struct system_record *system)
{
    const char *meaning = NULL;
    if (system->driver)
        strbuf_add(words, ", waits for %s", system->driver);
    if (!HAS(system, SYSTEM_UNINTERRUPTIBLE) || !system->uninterruptible)
        return;
    strbuf_add(words, ", in uninterruptible sleep (state D");
    if (system->function)
        strbuf_add(words, ", %s", system->function);
    if (system->function && system->module)
        strbuf_add(words, " of %s", system->module);
    strbuf_add(words, ")");
    for (size_t i = 0; i < sizeof kernel_functions / sizeof *kernel_functions; i++)
        if (text_equals(system->function, kernel_functions[i].function))
            meaning = kernel_functions[i].meaning;
    if (meaning)
        strbuf_add(words, ": %s", meaning);
}

/** Appends a part behind a comma, or without one at the start. */
static void
add_part(struct strbuf *words, struct strbuf *part)
{
    static const char comma[] = ", ";
    bool begins = part->text && strncmp(part->text, comma, strlen(comma)) == 0;
    if (part->text)
        strbuf_add(words, "%s%s", words->length > 0 && !begins ? " " : "",
                   part->text + (begins && words->length == 0 ? strlen(comma) : 0));
    free(part->text);
}

void
verdict_add_system_wait(const struct verdict *verdict, struct strbuf *words, uint32_t number)
{
    const struct job_thread *thread = &verdict->job.threads[number];
    const struct system_record *system = &thread->record->system;
    struct strbuf part = {.text = NULL};
    if (system->endpoint)
        strbuf_add(&part, "on a %s", system->endpoint);
    else if (thread->record->system_file)
        strbuf_add(&part, "on %s", thread->record->system_file);
    if (part.text)
        add_holders(verdict, &part, thread);
    add_mount(&part, system);
    add_sleep(&part, system);
    if (system->full)
        strbuf_add(&part, ", and no space is left on the file system of %s", system->full);
    add_part(words, &part);
}
