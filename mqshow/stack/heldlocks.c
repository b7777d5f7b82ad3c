// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP locks that a frame of the program's code holds, as its instructions prove.
#include "mqshow/stack/heldlocks.h"

#include "mqshow/stack/callsite.h"
#include "mqshow/stack/frame_flow.h"
#include "mqshow/stack/threads.h"
#include "mqshow/symbols/image.h"

/** The line of the runtime's function at an address; NULL: there is none. */
static const struct omp_call *
call_at(const struct image *image, uint64_t function)
{
    return image_runtime_at(image, function) == RUNTIME_OPENMP
               ? omp_call_find(callsite_symbol_at(image, function))
               : NULL;
}

/** Whether a call may release a lock that its caller holds. */
static bool
is_release(const struct image *image, enum runtime runtime, uint64_t function)
{
    const struct omp_call *call = runtime == RUNTIME_OPENMP ? call_at(image, function) : NULL;
    return call != NULL && call->ends;
}

static bool
is_lock(int kind)
{
    return kind == OMP_WAITS_LOCK || kind == OMP_WAITS_NEST_LOCK;
}

static void
release_locks(struct flow_state *state)
{
    flow_forget_marks(state, OMP_WAITS_LOCK, (struct flow_value){FLOW_OTHER, 0});
    flow_forget_marks(state, OMP_WAITS_NEST_LOCK, (struct flow_value){FLOW_OTHER, 0});
}

/** The lock that a call is about. */
static struct flow_value
lock_of(const struct heldlocks *locks, const struct omp_call *call, const struct flow_state *state)
{
    const struct machine *machine = machine_of(image_machine(locks->image));
    if (call->object_at == 0)
        return (struct flow_value){FLOW_NUMBER, 0};
    return call->object_at <= machine->n_arguments
               ? state->registers[machine->arguments[call->object_at - 1]]
               : (struct flow_value){FLOW_OTHER, 0};
}

/** @param returned whether the call is over */
static void
note(struct heldlocks *locks, struct flow_state *state, const struct insn *insn, uint64_t after,
     bool returned)
{
    uint64_t function;
    if (callsite_is_unbound(locks->image, insn->target))
        return;
    if (!callsite_entry(locks->image, after, &function)) {
        release_locks(state);
        return;
    }
    const struct omp_call *call = call_at(locks->image, function);
    if (call != NULL && call->takes && returned) {
        flow_forget_marks(state, call->kind, lock_of(locks, call, state)); // noted once
        flow_mark(state, call->kind, lock_of(locks, call, state));
    } else if (call != NULL && call->ends) {
        flow_forget_marks(state, call->kind, lock_of(locks, call, state));
    } else if (call == NULL && leads_may(&locks->releases, function)) {
        release_locks(state);
    }
}

static void
note_call(void *context, struct flow_state *state, const struct insn *insn, uint64_t after)
{
    note(context, state, insn, after, true);
}

size_t
heldlocks_find(struct heldlocks *locks, const struct thread *thread, size_t number,
               struct held_lock ret[HELD_MAX])
{
    struct frame_flow frame;
    size_t count = 0;
    if (thread->frames[number].runtime != RUNTIME_NONE ||
        !frame_flow_init(&frame, locks->image, thread, number, note_call, locks))
        return 0;
    struct flow_state state = frame.state;
    if (number > 0)
        note(locks, &state, &frame.insn, thread->frames[number].address, false);
    for (uint8_t i = 0; i < state.n_marks; i++) {
        ret[count].kind = (enum omp_wait_kind) state.marks[i].kind;
        count += frame_flow_value(&frame, state.marks[i].value, &ret[count].object) &&
                 (ret[count].object != 0 || !is_lock(state.marks[i].kind));
    }
    frame_flow_deinit(&frame);
    return count;
}

void
heldlocks_init(struct heldlocks *locks, const struct image *image)
{
    *locks = (struct heldlocks){image, {.image = image, .is_meant = is_release}};
}

void
heldlocks_deinit(struct heldlocks *locks)
{
    leads_deinit(&locks->releases);
}
