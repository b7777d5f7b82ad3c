// SPDX-License-Identifier: BSD-3-Clause
// Line, cause and facts of knots.
#include "tools/alloc.h"
#include "tools/verdict/cause.h"
#include "tools/verdict/near.h"

#include <stdlib.h>
#include <string.h>

enum { CYCLE_SHOWN = 8, CULPRITS_SHOWN = 3, KNOTS_SHOWN = 3, OPS_TRIED = 1000 };

/** The line about a knot while it is made. */
struct about {
    const struct verdict *verdict;
    const struct knot *knot;
    uint32_t *cycle; // processes in the order of the cycle
    size_t n_cycle;
    int32_t *thread_of; // by process: the thread that the cycle goes through; NOBODY: none
    struct words full, brief;
    const char *what; // as in struct cause
    uint32_t *culprits;
    size_t n_culprits;
};

static void
find_cycle(struct about *about)
{
    const struct knot *knot = about->knot;
    const struct jobview *view = &about->verdict->view;
    about->cycle = alloc_zeroed(knot->n_cycle, sizeof *about->cycle);
    about->thread_of = alloc_zeroed(view->n_processes, sizeof *about->thread_of);
    for (size_t i = 0; i < view->n_processes; i++)
        about->thread_of[i] = NOBODY;
    for (size_t i = 0; i < knot->n_cycle; i++) {
        const struct node *node = &about->verdict->waits.graph.nodes[knot->cycle[i]];
        if (node->what == WHAT_PROCESS)
            about->cycle[about->n_cycle++] = node->number;
        if (node->what == WHAT_THREAD)
            about->thread_of[view->threads[node->number].process] = (int32_t) node->number;
    }
}

static bool
is_in(const struct knot *knot, uint32_t process)
{
    size_t low = 0, high = knot->n_processes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (knot->processes[middle] < process)
            low = middle + 1;
        else
            high = middle;
    }
    return low < knot->n_processes && knot->processes[low] == process;
}

/** The thread of a process that the knot is about; NOBODY: not known. */
static int32_t
thread_in(const struct about *about, uint32_t process)
{
    int32_t thread = about->thread_of[process];
    return thread != NOBODY ? thread : verdict_main_thread(about->verdict, process);
}

static const char *
call_in(const struct about *about, uint32_t process)
{
    int32_t thread = thread_in(about, process);
    const char *call = thread != NOBODY ? about->verdict->view.threads[thread].call : NULL;
    return call != NULL ? call : "";
}

/** Appends "MPI_Barrier". */
static void
add_call(struct words *words, const struct collectives *collectives, const struct collective *item)
{
    char *call = collectives_call(collectives, item);
    words_add(words, "%s", call);
    free(call);
}

/** The collective of the knot that most processes are in, of the communicator of the first one that
 * the cycle goes through; NULL: it goes through none. */
static const struct collective *
main_collective(const struct about *about)
{
    const struct waits *waits = &about->verdict->waits;
    const struct collective *found = NULL, *best;
    for (size_t i = 0; i < about->knot->n_cycle && found == NULL; i++) {
        const struct node *node = &waits->graph.nodes[about->knot->cycle[i]];
        if (node->what == WHAT_COLLECTIVE)
            found = &waits->collectives.items[node->number];
    }
    if (found == NULL)
        return NULL;
    best = found;
    const struct collective *end = waits->collectives.items + waits->collectives.count;
    for (const struct collective *item = collectives_of_comm(&waits->collectives, found);
         item < end && item->comm == found->comm; item++)
        if (item->count > best->count && collectives_is_certain(&waits->collectives, item) &&
            waits->graph.nodes[item->node].blocked &&
            collectives_has_calls(&waits->collectives, item))
            best = item;
    return best;
}

/** What all culprits do, to free(): "MPI_Barrier", "MPI_Recv from rank 0"; "": they differ. */
static char *
common_doing(const struct about *about)
{
    struct words words = {.text = NULL};
    for (size_t i = 0; i < about->n_culprits; i++) {
        const char *call = call_in(about, about->culprits[i]);
        if (i > 0 && strcmp(call, words.text) != 0) {
            free(words.text);
            return alloc_text("");
        }
        if (i == 0)
            words_add(&words, "%s", call);
    }
    return words_take(&words);
}

/** Appends who waits in vain: ", ranks 0,2,3 are in MPI_Allreduce". */
static void
add_those_in(const struct about *about, struct words *words, const struct collective *item)
{
    const struct collectives *collectives = &about->verdict->waits.collectives;
    size_t count;
    uint32_t *in = collectives_processes(collectives, item, &count);
    cause_add_ranks(about->verdict, words, in, count, "is in ", "are in ");
    add_call(words, collectives, item);
    free(in);
}

/** The entry of a thread in a collective; NULL: it is in none. */
static const struct entry *
entry_of(const struct about *about, int32_t thread)
{
    const struct collectives *collectives = &about->verdict->waits.collectives;
    for (size_t i = 0; i < collectives->n_entries && thread != NOBODY; i++)
        if (collectives->entries[i].thread == thread && collectives->entries[i].certain)
            return &collectives->entries[i];
    return NULL;
}

static bool
is_one_of(const uint32_t *processes, size_t count, uint32_t process)
{
    for (size_t i = 0; i < count; i++)
        if (processes[i] == process)
            return true;
    return false;
}

/** Whom the culprits wait for in one and the same collective such as MPI_Gather, others than
 * themselves. @return their number; 0: not known */
static size_t
find_awaited(const struct about *about, uint32_t *ret)
{
    const struct collectives *collectives = &about->verdict->waits.collectives;
    const struct entry *first = entry_of(about, thread_in(about, about->culprits[0]));
    size_t n_found = 0;
    if (first == NULL ||
        !situation_is_one_sided(intern_get_text(&collectives->kinds, (uint32_t) first->kind)))
        return 0;
    for (size_t i = 0; i < about->n_culprits; i++) {
        const struct entry *entry = entry_of(about, thread_in(about, about->culprits[i]));
        uint32_t awaited[AWAITED_MAX];
        bool same = entry != NULL && entry->comm == first->comm && entry->kind == first->kind;
        size_t count = same ? collectives_awaited(collectives, entry, awaited, AWAITED_MAX) : 0;
        if (count == 0)
            return 0;
        for (size_t k = 0; k < count; k++)
            if (n_found < AWAITED_MAX && !is_one_of(ret, n_found, awaited[k]) &&
                !is_one_of(about->culprits, about->n_culprits, awaited[k]))
                ret[n_found++] = awaited[k];
    }
    return n_found;
}

/** What the culprits do, more precisely: "MPI_Gather waiting for rank 1", or on which other
 * communicator the only one is in the same call. Takes the text over. */
static char *
add_awaited(const struct about *about, const struct collective *item, char *doing,
            const uint32_t *awaited, size_t n_awaited)
{
    const struct entry *entry =
        about->n_culprits == 1 ? entry_of(about, thread_in(about, about->culprits[0])) : NULL;
    struct words words = {.text = NULL};
    words_add(&words, "%s", doing);
    if (entry != NULL && entry->comm != item->comm)
        words_add(&words, " on %s", jobview_comm_name(&about->verdict->view.comms[entry->comm]));
    if (n_awaited > 0 && *doing != '\0') {
        words_add(&words, " waiting for ");
        cause_add_ranks(about->verdict, &words, awaited, n_awaited, "", "");
        words.text[--words.length] = '\0'; // the room for a verb
    }
    free(doing);
    return words_take(&words);
}

/** Members of the communicator that are not in a collective that others are in. @return false: the
 * knot has no collective */
static bool
tell_collective(struct about *about)
{
    const struct verdict *verdict = about->verdict;
    const struct collectives *collectives = &verdict->waits.collectives;
    const struct collective *item = main_collective(about);
    if (item == NULL || !collectives_is_certain(collectives, item))
        return false;
    about->culprits = alloc_zeroed(collectives_members(collectives, item), sizeof *about->culprits);
    size_t n_missing = collectives_missing(collectives, item, about->culprits);
    for (size_t i = 0; i < n_missing; i++)
        if (is_in(about->knot, about->culprits[i]))
            about->culprits[about->n_culprits++] = about->culprits[i];
    if (about->n_culprits == 0)
        return false;
    char *doing = common_doing(about);
    uint32_t awaited[AWAITED_MAX];
    size_t n_awaited = find_awaited(about, awaited);
    doing = add_awaited(about, item, doing, awaited, n_awaited);
    int32_t thread = thread_in(about, about->culprits[0]);
    bool in_other = thread != NOBODY && verdict->waits.situations[thread].doing == DOING_COLLECTIVE;
    about->what = in_other ? "collectives" : "not entered";
    struct words *both[] = {&about->full, &about->brief};
    for (int i = 0; i < 2; i++) {
        cause_add_ranks(verdict, both[i], about->culprits, about->n_culprits, "", "");
        words_add(both[i],
                  *doing != '\0'          ? "%s in %s, "
                  : about->n_culprits > 1 ? "%s not there, "
                                          : "%s elsewhere, ",
                  about->n_culprits == 1 ? "is" : "are", doing);
        add_those_in(about, both[i], item);
    }
    words_add(&about->full, " on %s", jobview_comm_name(&verdict->view.comms[item->comm]));
    free(doing);
    if (n_awaited > 0) { // those who did not come are the ones to look at
        free(about->culprits);
        about->what = "not entered";
        about->n_culprits = n_awaited;
        about->culprits = alloc_zeroed(n_awaited, sizeof *awaited);
        memcpy(about->culprits, awaited, n_awaited * sizeof *awaited);
    }
    return true;
}

/** Whether an unexpected message is the only one that its receiver has of its sender there. */
static bool
is_alone(const struct jobview *view, const struct jv_op *message)
{
    const struct jv_process *process = &view->processes[message->process];
    size_t count = 0;
    for (uint32_t i = process->first_op; i < process->first_op + process->n_ops; i++)
        count += view->ops[i].queue == JV_UNEXPECTED && view->ops[i].comm == message->comm &&
                 view->ops[i].peer == message->peer;
    return count == 1;
}

/** Whether a near miss is convincing: both sides wait, or the message is the only one. Others are
 * sent ahead and are received later, as they should. */
static bool
is_telling(const struct verdict *verdict, const struct near *near)
{
    const struct jv_op *op = &verdict->view.ops[near->op];
    return near->why != NEAR_LENGTH &&
           (op->queue == JV_UNEXPECTED ? is_alone(&verdict->view, op)
                                       : op->blocked || verdict_is_awaited(verdict, near->op));
}

/** The near miss that most probably is a mistake. @return false: there is none */
static bool
find_mismatch(const struct about *about, uint32_t *ret_op, struct near *ret)
{
    const struct waits *waits = &about->verdict->waits;
    struct near_search search;
    int best = -1;
    near_init(&search, &about->verdict->view);
    for (size_t i = 0; i < waits->n_awaited && i < OPS_TRIED && best != 0; i++) {
        const struct awaited *awaited = &waits->awaited[i];
        struct near near[NEAR_MAX];
        if (!is_in(about->knot, awaited->process) ||
            !near_is_unmatched(&about->verdict->view.ops[awaited->op]))
            continue;
        size_t count = near_find(&search, awaited->op, near);
        for (size_t k = 0; k < count; k++) {
            int rated = near_rate(&near[k]);
            if (!is_telling(about->verdict, &near[k]) || (best >= 0 && rated >= best))
                continue;
            best = rated;
            *ret_op = awaited->op;
            *ret = near[k];
        }
    }
    near_deinit(&search);
    return best >= 0;
}

/** "rank 1 sends tag 99 to rank 3, which receives tag 0" */
static void
add_mismatch(const struct about *about, struct words *words, const struct jv_op *receive,
             const struct jv_op *message, const char *why)
{
    const struct jobview *view = &about->verdict->view;
    const char *noun = verdict_noun(about->verdict);
    bool pending = message->queue == JV_SENDS;
    int32_t sender = pending ? (int32_t) message->process : message->partner;
    if (sender == NOBODY)
        words_add(words, "a message with ");
    else
        words_add(words, "%s %d %s ", noun, view->processes[sender].label,
                  pending ? "sends" : "sent");
    verdict_add_tag(words, message);
    words_add(words, " to %s %d", noun, view->processes[receive->process].label);
    if (why == NEAR_COMMUNICATOR)
        words_add(words, " on %s", jobview_comm_name(&view->comms[message->comm]));
    words_add(words, ", which receives ");
    if (why == NEAR_COMMUNICATOR)
        words_add(words, "on %s", jobview_comm_name(&view->comms[receive->comm]));
    else if (why == NEAR_RANK)
        verdict_add_peer(about->verdict, words, receive);
    else
        verdict_add_tag(words, receive);
}

/** A send and a receive that do not match. @return false: there are none */
static bool
tell_mismatch(struct about *about)
{
    struct near near;
    uint32_t number;
    if (!find_mismatch(about, &number, &near))
        return false;
    const struct jv_op *op = &about->verdict->view.ops[number];
    const struct jv_op *other = &about->verdict->view.ops[near.op];
    const struct jv_op *receive = op->queue == JV_RECEIVES ? op : other;
    add_mismatch(about, &about->full, receive, op == receive ? other : op, near.why);
    words_add(&about->brief, "%s", about->full.text);
    about->what = "message";
    about->culprits = alloc_zeroed(2, sizeof *about->culprits);
    about->culprits[about->n_culprits++] = op->process;
    int32_t partner = other->process != op->process ? (int32_t) other->process : other->partner;
    if (partner != NOBODY && (uint32_t) partner != op->process)
        about->culprits[about->n_culprits++] = (uint32_t) partner;
    return true;
}

/** "0 -> 1 -> 0" */
static void
add_arrows(const struct about *about, struct words *words)
{
    const struct jv_process *all = about->verdict->view.processes;
    for (size_t i = 0; i < about->n_cycle && i < CYCLE_SHOWN; i++)
        words_add(words, "%d -> ", all[about->cycle[i]].label);
    if (about->n_cycle > CYCLE_SHOWN)
        words_add(words, "... (%zu in all) -> ", about->n_cycle);
    words_add(words, "%d", all[about->cycle[0]].label);
}

/** The calls of the cycle, each once: "MPI_Send, MPI_Recv". */
static void
add_calls(const struct about *about, struct words *words)
{
    const char *calls[CYCLE_SHOWN] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < about->n_cycle; i++) {
        const char *call = call_in(about, about->cycle[i]);
        bool known = *call == '\0';
        for (size_t k = 0; k < count && !known; k++)
            known = strcmp(calls[k], call) == 0;
        if (!known && count < CYCLE_SHOWN)
            calls[count++] = call;
    }
    if (count == 1)
        words_add(words, " in %s", calls[0]);
    for (size_t k = 0; k < count && count > 1; k++)
        words_add(words, "%s%s", k == 0 ? ": " : ", ", calls[k]);
}

static bool
waits_for_own_message(const struct about *about, uint32_t process)
{
    const struct waits *waits = &about->verdict->waits;
    for (size_t i = waits_of_process(waits, process);
         i < waits->n_awaited && waits->awaited[i].process == process; i++)
        if (about->verdict->view.ops[waits->awaited[i].op].partner == (int32_t) process)
            return true;
    return false;
}

static void
tell_cycle(struct about *about)
{
    struct words *both[] = {&about->full, &about->brief};
    about->what = "cycle";
    about->culprits = alloc_zeroed(about->n_cycle, sizeof *about->culprits);
    about->n_culprits = about->n_cycle;
    if (about->n_cycle > 0)
        memcpy(about->culprits, about->cycle, about->n_cycle * sizeof *about->cycle);
    for (int i = 0; i < 2; i++) {
        const char *noun = verdict_noun(about->verdict);
        if (about->n_cycle == 1) {
            words_add(both[i], "%s %d waits ", noun,
                      about->verdict->view.processes[about->cycle[0]].label);
            words_add(both[i], waits_for_own_message(about, about->cycle[0])
                                   ? "for itself"
                                   : "for itself: its threads wait for each other");
        } else if (about->n_cycle > 1) {
            words_add(both[i], "%s%s ", noun, about->verdict->view.by_index ? "es" : "s");
            add_arrows(about, both[i]);
            words_add(both[i], " wait for each other");
        }
    }
    add_calls(about, &about->full);
}

/** What a thread of the cycle's processes waits for inside of them; NOBODY: there is none. */
static int32_t
inside_thread(const struct about *about)
{
    for (size_t i = 0; i < about->n_cycle; i++) {
        const struct jv_process *process = &about->verdict->view.processes[about->cycle[i]];
        for (uint32_t k = process->first_thread; k < process->first_thread + process->n_threads;
             k++)
            if (verdict_waits_inside(about->verdict, k))
                return (int32_t) k;
    }
    return NOBODY;
}

/** A thread that waits inside of its process is a part of what holds it up. */
static void
tell_inside(const struct about *about, struct verdict *verdict)
{
    struct words words = {.text = NULL};
    int32_t thread = inside_thread(about);
    if (thread == NOBODY)
        return;
    words_add(&words, "a thread of %s %d ", verdict_noun(verdict),
              verdict->view.processes[verdict->view.threads[thread].process].label);
    verdict_add_thread(verdict, &words, (uint32_t) thread);
    cause_add_fact(verdict, &words);
}

/** All members of a communicator are in one collective, and yet it does not end. */
static void
tell_arguments(const struct about *about, struct verdict *verdict)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    const struct entry *entry =
        about->n_cycle > 0 ? entry_of(about, thread_in(about, about->cycle[0])) : NULL;
    for (size_t i = 0; i < collectives->count && entry != NULL; i++) {
        const struct collective *item = &collectives->items[i];
        if (item->comm != entry->comm || item->kind != entry->kind ||
            !collectives_has_all(collectives, item))
            continue;
        cause_add_entered(verdict, item);
    }
}

static void
tell_cycle_fact(const struct about *about, struct verdict *verdict)
{
    struct words words = {.text = NULL};
    if (about->n_cycle < 2 || strcmp(about->what, "cycle") == 0)
        return;
    words_add(&words, "cycle: ");
    add_arrows(about, &words);
    cause_add_fact(verdict, &words);
}

/** Where the culprits are that the table of the cycle does not show. */
static void
tell_culprits(const struct about *about, struct verdict *verdict)
{
    struct words words = {.text = NULL};
    for (size_t i = 0; i < about->n_culprits && i < CULPRITS_SHOWN; i++) {
        int32_t thread = thread_in(about, about->culprits[i]);
        char *where = verdict_thread_words(verdict, thread);
        if (*where != '\0' && about->thread_of[about->culprits[i]] == NOBODY) {
            words_add(&words, "%s %d: %s ", verdict_noun(verdict),
                      verdict->view.processes[about->culprits[i]].label, where);
            verdict_add_awaited(verdict, &words, (uint32_t) thread);
            cause_add_fact(verdict, &words);
        }
        free(where);
    }
}

static void
tell_others(const struct about *about, struct verdict *verdict)
{
    struct words words = {.text = NULL};
    size_t count, others = 0;
    uint32_t *blocked = verdict_blocked(verdict, &count);
    for (size_t i = 0; i < count; i++)
        if (!is_in(about->knot, blocked[i]))
            blocked[others++] = blocked[i];
    if (others > 0 && verdict->knots.count == 1) {
        cause_add_ranks(verdict, &words, blocked, others, "waits", "wait");
        words_add(&words, " for them");
        cause_add_fact(verdict, &words);
    }
    free(blocked);
}

static void
about_init(struct about *about, const struct verdict *verdict, const struct knot *knot)
{
    *about = (struct about){.verdict = verdict, .knot = knot};
    find_cycle(about);
}

static void
tell(struct about *about)
{
    if (!tell_collective(about) && !tell_mismatch(about))
        tell_cycle(about);
}

static void
about_deinit(struct about *about)
{
    free(about->cycle);
    free(about->thread_of);
    free(about->culprits);
    free(about->full.text);
    free(about->brief.text);
}

void
cause_of_knot(struct verdict *verdict, const struct knot *knot, const char *kind)
{
    struct about about;
    struct words full = {.text = NULL}, brief = {.text = NULL};
    about_init(&about, verdict, knot);
    tell(&about);
    words_add(&full, "%s: %s", kind, about.full.text);
    words_add(&brief, "%s: %s", kind, about.brief.text);
    cause_set(verdict, about.what, about.culprits, about.n_culprits);
    cause_set_line(verdict, &full, &brief);
    tell_cycle_fact(&about, verdict);
    tell_arguments(&about, verdict);
    tell_culprits(&about, verdict);
    tell_inside(&about, verdict);
    tell_others(&about, verdict);
    about_deinit(&about);
}

void
cause_add_other_knots(struct verdict *verdict, const struct knot *but)
{
    size_t shown = 0, left = 0;
    struct words words = {.text = NULL};
    for (size_t i = 0; i < verdict->knots.count; i++) {
        const struct knot *knot = &verdict->knots.items[i];
        struct about about;
        if (knot == but || knot->certain != but->certain)
            continue;
        if (++shown > KNOTS_SHOWN) {
            left++;
            continue;
        }
        about_init(&about, verdict, knot);
        tell(&about);
        words_add(&words, "%s: %s", but->certain ? "another deadlock" : "another possible deadlock",
                  about.full.text);
        cause_add_fact(verdict, &words);
        about_deinit(&about);
    }
    if (left > 0)
        words_add(&words, "%zu more like these", left);
    cause_add_fact(verdict, &words);
}
