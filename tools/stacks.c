// SPDX-License-Identifier: BSD-3-Clause
// Following the stacks of threads.
#include "tools/stacks.h"

#include "tools/alloc.h"
#include "tools/core.h"
#include "tools/debuginfo.h"
#include "tools/escape.h"
#include "tools/procfs.h"

#include <gelf.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#ifndef HAVE_DWFL_FRAME_REG
/** libdw before 0.188 keeps the registers of frames to itself: they are not known. */
static int
dwfl_frame_reg(Dwfl_Frame *state, unsigned number, Dwarf_Word *value)
{
    (void) state, (void) number, (void) value;
    return -1;
}
#endif

enum { FRAMES_MAX = 1000, THREADS_MAX = 100000, NAME_BYTES = 64 };

/** Numbers of the stack pointer in debug information. */
static const struct {
    GElf_Half machine;
    int number;
} stack_pointers[] = {
    {EM_X86_64, 7}, {EM_386, 4},   {EM_AARCH64, 31}, {EM_ARM, 13},
    {EM_PPC64, 1},  {EM_S390, 15}, {EM_RISCV, 2},
};

/** The process whose stacks are followed. */
struct descent {
    struct threads *threads;
    const struct image *image;
    struct thread *thread;
    int stack_pointer; // its number; -1: not known
};

static int
stack_pointer_of(const struct image *image)
{
    GElf_Half machine = image_machine(image);
    for (size_t i = 0; i < sizeof stack_pointers / sizeof *stack_pointers; i++)
        if (stack_pointers[i].machine == machine)
            return stack_pointers[i].number;
    return -1;
}

/** Value of a register; 0 when it is not known. */
static uint64_t
register_of(Dwfl_Frame *state, int number)
{
    Dwarf_Word value;
    return number >= 0 && dwfl_frame_reg(state, (unsigned) number, &value) == 0 ? value : 0;
}

/** Keeps the registers of a frame. @return for free() */
static struct registers *
keep_registers(Dwfl_Frame *state)
{
    struct registers *kept = alloc_zeroed(1, sizeof *kept);
    Dwarf_Word value;
    for (unsigned i = 0; i < EXPRESSION_REGISTERS; i++)
        if (dwfl_frame_reg(state, i, &value) == 0) {
            kept->values[i] = value;
            kept->known |= UINT32_C(1) << i;
        }
    return kept;
}

static bool
is_of_runtime(const struct frame *frame)
{
    return frame->runtime == RUNTIME_MPI || frame->runtime == RUNTIME_OPENMP;
}

/** Whether a frame is MPI's or OpenMP's, or called a function of these. */
static bool
is_in_call(const struct thread *thread, const struct frame *frame)
{
    return is_of_runtime(frame) ||
           (thread->n_frames > 0 && is_of_runtime(&thread->frames[thread->n_frames - 1]));
}

static int
add_frame(Dwfl_Frame *state, void *arg)
{
    const struct descent *descent = arg;
    struct thread *thread = descent->thread;
    Dwarf_Addr pc;
    bool is_activation;
    if (thread->n_frames == FRAMES_MAX || !dwfl_frame_pc(state, &pc, &is_activation))
        return DWARF_CB_ABORT;
    for (int i = 0; i < THREAD_REGISTERS && thread->n_frames == 0; i++)
        thread->registers[i] = register_of(state, i);
    // The address to return to may be past the function's end.
    struct frame frame = {.address = pc,
                          .pc = is_activation ? pc : pc - 1,
                          .sp = register_of(state, descent->stack_pointer)};
    const struct module *module = image_module_at(descent->image, frame.pc);
    frame.module = module != NULL ? module->file->path : NULL;
    frame.runtime = module != NULL ? module->file->runtime : RUNTIME_NONE;
    frame.registers = is_in_call(thread, &frame) ? keep_registers(state) : NULL;
    thread->frames = alloc_grow(thread->frames, thread->n_frames, &thread->capacity, sizeof frame);
    thread->frames[thread->n_frames++] = frame;
    return DWARF_CB_OK;
}

/** Whether the kernel gives the registers of a thread: not of one that does not stop, or is gone.
 * libdw ends the program at the thread that comes after one whose registers it does not get.
 */
static bool
has_registers(const struct image *image, pid_t tid)
{
    uint64_t registers[128];
    struct iovec all = {registers, sizeof registers};
    return image->core != NULL || ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &all) == 0;
}

static int
add_thread(Dwfl_Thread *state, void *arg)
{
    struct descent *descent = arg;
    if (descent->threads->count == THREADS_MAX)
        return DWARF_CB_ABORT;
    pid_t tid = dwfl_thread_tid(state);
    struct thread *thread = threads_add(descent->threads, tid);
    descent->thread = thread;
    thread->complete =
        has_registers(descent->image, tid) && dwfl_thread_getframes(state, add_frame, descent) == 0;
    char *name = descent->image->core == NULL ? procfs_thread_name(descent->image->pid, tid) : NULL;
    thread->name = name != NULL ? escape_text(name, NAME_BYTES) : NULL;
    free(name);
    return DWARF_CB_OK;
}

static bool
attach(Dwfl *session, const struct image *image)
{
    return image->core != NULL ? dwfl_core_file_attach(session, image->core->elf) >= 0
                               : dwfl_linux_proc_attach(session, image->pid, true) == 0;
}

void
stacks_gather(struct threads *threads, struct image *image)
{
    struct descent descent = {threads, image, NULL, stack_pointer_of(image)};
    Dwfl *session = image->stacks;
    if (session == NULL)
        return;
    if (attach(session, image))
        dwfl_getthreads(session, add_thread, &descent);
    dwfl_end(session);
    image->stacks = NULL; // it can be attached to one stop only
    threads_sort(threads);
}
