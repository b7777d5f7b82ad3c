// SPDX-License-Identifier: BSD-3-Clause
// Following the stacks of threads.
#include "mqshow/stack/threads.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/copy.h"
#include "mqshow/process/core.h"
#include "mqshow/base/escape.h"
#include "mqshow/process/memory.h"
#include "mqshow/process/procfs.h"
#include "mqshow/process/regset.h"
#include "mqshow/process/stub.h"

#include <errno.h>
#include <stdlib.h>

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

/** The process whose stacks are followed. */
struct descent {
    struct threads *threads;
    const struct image *image;
    struct thread *thread;
    int stack_pointer; // its number; -1: not known
    size_t next;       // of those copied
    uint64_t rbx;      // of the frame before, on x86-64
    bool unread;       // some memory that following this thread needs: libdw takes it for the end
};

/** Value of a register; 0 when it is not known. */
static uint64_t
register_of(Dwfl_Frame *state, int number)
{
    Dwarf_Word value;
    return number >= 0 && dwfl_frame_reg(state, (unsigned) number, &value) == 0 ? value : 0;
}

enum { RBX = 3, R12 = 12 }; // numbers in debug information of x86-64

/** Follows the register rbx outwards. By the ABI a function leaves it as it is, as it does r12,
 * where nothing is said of it; libdw takes another number for it there, and then does not know it.
 */
static void
follow_rbx(Dwfl_Frame *state, struct descent *descent)
{
    Dwarf_Word value;
    bool is_known = dwfl_frame_reg(state, RBX, &value) == 0;
    if (is_known || dwfl_frame_reg(state, R12, &(Dwarf_Word){0}) != 0)
        descent->rbx = is_known ? value : 0;
}

/** Keeps the registers of a frame. @param rbx 0: not known @return for free() */
static struct registers *
keep_registers(Dwfl_Frame *state, uint64_t rbx)
{
    struct registers *kept = alloc_zeroed(1, sizeof *kept);
    Dwarf_Word value;
    for (unsigned i = 0; i < EXPRESSION_REGISTERS; i++)
        if (dwfl_frame_reg(state, i, &value) == 0) {
            kept->values[i] = value;
            kept->known |= UINT32_C(1) << i;
        }
    if (rbx != 0) {
        kept->values[RBX] = rbx;
        kept->known |= UINT32_C(1) << RBX;
    }
    return kept;
}

/** Makes libdwfl look now for the debug information of the module that a frame is in: it clears
 * errno then, which says later whether there was memory. */
static void
touch_module(Dwfl_Frame *state)
{
    Dwarf_Addr pc, bias;
    Dwfl_Module *module = NULL;
    if (dwfl_frame_pc(state, &pc, NULL))
        module = dwfl_addrmodule(dwfl_thread_dwfl(dwfl_frame_thread(state)), pc);
    dwfl_module_getdwarf(module, &bias);
}

static int
add_frame(Dwfl_Frame *state, void *arg)
{
    struct descent *descent = arg;
    struct thread *thread = descent->thread;
    Dwarf_Addr pc;
    bool is_activation, missed = alloc_check_errno();
    touch_module(state);
    if (thread->n_frames == FRAMES_MAX || !dwfl_frame_pc(state, &pc, &is_activation))
        return DWARF_CB_ABORT;
    // Without memory for the rules of a frame libdw guesses.
    if (alloc_check_errno() || missed) {
        descent->unread = true;
        return DWARF_CB_ABORT;
    }
    for (int i = 0; i < THREAD_REGISTERS && thread->n_frames == 0; i++)
        thread->registers[i] = register_of(state, i);
    // The address to return to may be past the function's end.
    struct frame frame = {.address = pc,
                          .pc = is_activation ? pc : pc - 1,
                          .sp = register_of(state, descent->stack_pointer)};
    const struct module *module = image_module_at(descent->image, frame.pc);
    frame.module = module != NULL ? module->file->path : NULL;
    frame.bias = module != NULL ? module->bias : 0;
    frame.runtime =
        module != NULL ? objfile_runtime_at(module->file, frame.pc - module->bias) : RUNTIME_NONE;
    if (image_machine(descent->image) == EM_X86_64)
        follow_rbx(state, descent);
    frame.registers = frame.runtime != RUNTIME_C ? keep_registers(state, descent->rbx) : NULL;
    *ALLOC_ADD(thread->frames, thread->n_frames, thread->capacity) = frame;
    return DWARF_CB_OK;
}

static char *
name_of(const struct image *image, pid_t tid)
{
    const struct debuggee *from = &image->debuggee;
    char *name = from->core != NULL   ? NULL
                 : from->stub != NULL ? alloc_text(stub_thread_name(from->stub, tid))
                                      : procfs_thread_name(from->pid, tid);
    char *ret = name != NULL ? escape_text(name, NAME_BYTES) : NULL;
    free(name);
    return ret;
}

/** The call to the system that the thread is in that is followed now. */
static struct system_state
system_call_of(const struct descent *descent, pid_t tid)
{
    const struct debuggee *from = &descent->image->debuggee;
    const struct system_state *call = from->core != NULL
                                          ? core_call(from->core, tid)
                                          : &from->copy->threads[descent->next - 1].call;
    return call != NULL ? *call : (struct system_state){.known = false};
}

static int
add_thread(Dwfl_Thread *state, void *arg)
{
    struct descent *descent = arg;
    if (descent->threads->count == THREADS_MAX)
        return DWARF_CB_ABORT;
    pid_t tid = dwfl_thread_tid(state);
    descent->thread = threads_add(descent->threads, tid);
    descent->unread = false;
    descent->rbx = 0;
    errno = 0;
    bool followed = dwfl_thread_getframes(state, add_frame, descent) == 0;
    descent->unread |= alloc_check_errno();
    descent->thread->complete = followed && !descent->unread;
    descent->thread->name = name_of(descent->image, tid);
    descent->thread->system = system_call_of(descent, tid);
    return DWARF_CB_OK;
}

/** The next thread whose registers are known. */
static pid_t
next_copied(Dwfl *session, void *arg, void **thread_arg)
{
    struct descent *descent = ((struct image *) arg)->descent;
    const struct copy *copy = descent->image->debuggee.copy;
    (void) session;
    while (copy != NULL && descent->next < copy->n_threads &&
           copy->threads[descent->next].regset == NULL)
        descent->next++;
    if (copy == NULL || descent->next == copy->n_threads)
        return 0;
    *thread_arg = &copy->threads[descent->next];
    return copy->threads[descent->next++].tid;
}

static bool
read_word(Dwfl *session, Dwarf_Addr addr, Dwarf_Word *ret, void *arg)
{
    const struct image *image = arg;
    struct descent *descent = image->descent;
    (void) session;
    int before = errno; // is about libdw's own memory and files
    bool good =
        memory_read_uint(&image->debuggee, addr, (size_t) image->debuggee.pointer_size, ret);
    errno = before;
    descent->unread |= !good;
    return good;
}

static bool
give_registers(Dwfl_Thread *state, void *thread_arg)
{
    const struct copied_thread *thread = thread_arg;
    return regset_give(thread->regset, thread->registers, thread->size, state);
}

static const Dwfl_Thread_Callbacks copied = {
    .next_thread = next_copied,
    .memory_read = read_word,
    .set_initial_registers = give_registers,
};

/** The threads of which there is but the id. */
static void
add_unknown(struct threads *threads, const struct image *image)
{
    const struct copy *copy = image->debuggee.copy;
    for (size_t i = 0; copy != NULL && i < copy->n_threads; i++)
        if (copy->threads[i].regset == NULL && threads->count < THREADS_MAX)
            threads_add(threads, copy->threads[i].tid)->name = name_of(image, copy->threads[i].tid);
}

/** Once for a session. */
static bool
attach(struct image *image)
{
    if (!image->attached)
        image->attached =
            image->debuggee.core != NULL
                ? dwfl_core_file_attach(image->stacks, image->debuggee.core->elf) >= 0
                : dwfl_attach_state(image->stacks, NULL, image->debuggee.pid, &copied, image);
    return image->attached;
}

bool
stacks_unwind(struct threads *threads, struct image *image)
{
    struct descent descent = {.threads = threads,
                              .image = image,
                              .stack_pointer =
                                  regset_stack_pointer(regset_of(image_machine(image)))};
    if (image->stacks == NULL)
        return false;
    image->descent = &descent;
    bool found = attach(image) && dwfl_getthreads(image->stacks, add_thread, &descent) == 0;
    image->descent = NULL;
    image_end_stacks(image);
    add_unknown(threads, image);
    threads_sort(threads);
    return found;
}
