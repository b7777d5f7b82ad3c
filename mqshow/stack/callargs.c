// SPDX-License-Identifier: BSD-3-Clause
// The arguments that a function on a stack was called with, from debug information or code.
#include "mqshow/stack/callargs.h"

#include "mqshow/base/alloc.h"
#include "mqshow/stack/callsite.h"
#include "mqshow/stack/frame_flow.h"
#include "mqshow/stack/keptmemo.h"
#include "mqshow/symbols/srcloc.h"
#include "mqshow/symbols/image.h"
#include "mqshow/process/memory.h"
#include "mqshow/symbols/source.h"
#include "mqshow/stack/threads.h"
#include "target/machine/machine.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHILDREN_MAX = 100000, // of an entry of the debug information that are read
    PASSES_MAX = 4,        // of an argument from one function to another one
    WRAPPERS_MAX = 3,      // calls from one function of MPI to another one
};

/** A frame and the debug information around its code. */
struct frame_context {
    const struct frame *frame;
    Dwarf_Die *unit;
    Dwarf_Die *scopes; // of mqshow/symbols/srcloc.h, for free()
    int n_scopes;
    Dwarf_Addr pc, after; // as the debug information counts
    struct registers registers;
    struct eval_context in;
};

static bool
read_memory(const void *debuggee, uint64_t addr, size_t width, uint64_t *ret)
{
    return memory_read_uint(debuggee, addr, width, ret);
}

static void
find_base(struct frame_context *context)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    for (int i = 0; i < context->n_scopes; i++)
        if (dwarf_attr(&context->scopes[i], DW_AT_frame_base, &attribute) != NULL &&
            dwarf_getlocation_addr(&attribute, context->pc, &ops, &count, 1) == 1) {
            context->in.base = ops;
            context->in.n_base = count;
            return;
        }
}

/** Leaves those that are the same after a call: unwinders report others, too. */
static void
set_registers(struct frame_context *context, const struct image *image)
{
    const struct machine *machine = machine_of(image_machine(image));
    context->registers = *context->frame->registers;
    context->registers.known &= machine != NULL ? machine->kept : 0;
    context->in.registers = &context->registers;
}

/** Looks a frame up. @return false when there is no debug information about it */
static bool
frame_context_init(struct frame_context *context, const struct image *image,
                   const struct thread *thread, size_t number)
{
    const struct frame *frame = &thread->frames[number];
    const struct module *module = image_module_at(image, frame->pc);
    Dwarf_Addr bias;
    *context = (struct frame_context){.frame = frame};
    if (module == NULL || frame->registers == NULL)
        return false;
    uint64_t moved = module->file->bias - module->bias; // to the session of the file
    context->unit = source_unit(module->file->module, frame->pc + moved, &bias);
    if (context->unit == NULL)
        return false;
    context->pc = frame->pc + moved - bias;
    context->after = frame->address + moved - bias;
    context->n_scopes = srcloc_scopes(context->unit, context->pc, &context->scopes);
    context->in = (struct eval_context){
        .cfa = number + 1 < thread->n_frames ? thread->frames[number + 1].sp : 0,
        .bias = bias - moved,
        .width = (size_t) image->debuggee.pointer_size,
        .memory = &image->debuggee,
        .read = read_memory,
    };
    set_registers(context, image);
    find_base(context);
    return context->n_scopes > 0;
}

/** Finds the first child of some entries of the debug information that is wanted. */
static bool
find_child(Dwarf_Die *parents, int count, bool (*is_it)(Dwarf_Die *die, const void *wanted),
           const void *wanted, Dwarf_Die *ret)
{
    int left = CHILDREN_MAX;
    for (int i = 0; i < count; i++) {
        int more = dwarf_child(&parents[i], ret);
        for (; more == 0 && left-- > 0; more = dwarf_siblingof(ret, ret))
            if (is_it(ret, wanted))
                return true;
    }
    return false;
}

/** Whether an entry is about the call that returns to an address. */
static bool
is_site(Dwarf_Die *die, const void *after)
{
    int tag = dwarf_tag(die);
    Dwarf_Attribute attribute;
    Dwarf_Addr addr;
    unsigned name = tag == DW_TAG_call_site       ? DW_AT_call_return_pc
                    : tag == DW_TAG_GNU_call_site ? DW_AT_low_pc
                                                  : 0;
    return name != 0 && dwarf_attr(die, name, &attribute) != NULL &&
           dwarf_formaddr(&attribute, &addr) == 0 && addr == *(const Dwarf_Addr *) after;
}

/** The number of the register that an argument is passed in, in debug information; -1: not known.
 */
static int
register_of_argument(const struct image *image, unsigned number)
{
    const struct machine *machine = machine_of(image_machine(image));
    return machine != NULL && number < machine->n_arguments ? machine->arguments[number] : -1;
}

static bool
is_about_register(Dwarf_Die *die, const void *number)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    return (dwarf_tag(die) == DW_TAG_call_site_parameter ||
            dwarf_tag(die) == DW_TAG_GNU_call_site_parameter) &&
           dwarf_attr(die, DW_AT_location, &attribute) != NULL &&
           dwarf_getlocation(&attribute, &ops, &count) == 0 && count == 1 &&
           ops->atom == DW_OP_reg0 + *(const int *) number;
}

static bool
value_at_site(const struct frame_context *context, Dwarf_Die *die, uint64_t *ret)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    return (dwarf_attr(die, DW_AT_call_value, &attribute) != NULL ||
            dwarf_attr(die, DW_AT_GNU_call_site_value, &attribute) != NULL) &&
           dwarf_getlocation(&attribute, &ops, &count) == 0 &&
           expression_value(&context->in, ops, count, ret);
}

/** Whether a frame calls a function itself: one that it calls may have jumped there at its end. */
static bool
calls(const struct image *image, const struct frame *frame, const char *function)
{
    const char *symbol = callsite_symbol(image, frame->address);
    return symbol != NULL && strncmp(symbol + (*symbol == 'P'), function, strlen(function)) == 0;
}

/** What the caller says of the call. */
static bool
find_at_site(const struct image *image, const struct frame_context *context, const char *function,
             const struct parameter *parameter, uint64_t *ret)
{
    Dwarf_Die site, child;
    int number = register_of_argument(image, parameter->number);
    return number >= 0 && calls(image, context->frame, function) &&
           find_child(context->scopes, context->n_scopes, is_site, &context->after, &site) &&
           find_child(&site, 1, is_about_register, &number, &child) &&
           value_at_site(context, &child, ret);
}

static bool
is_parameter(Dwarf_Die *die, const void *name)
{
    const char *found = dwarf_tag(die) == DW_TAG_formal_parameter ? dwarf_diename(die) : NULL;
    return found != NULL && strcmp(found, name) == 0;
}

/** Whether the outermost one of the scopes is a function, or what is behind its P. */
static bool
is_function(const struct frame_context *context, const char *name)
{
    for (int i = 0; i < context->n_scopes; i++) {
        const char *found = dwarf_tag(&context->scopes[i]) == DW_TAG_subprogram
                                ? dwarf_diename(&context->scopes[i])
                                : NULL;
        if (found != NULL)
            return strcmp(found + (*found == 'P'), name) == 0;
    }
    return false;
}

static bool
read_parameter(const struct frame_context *context, Dwarf_Die *die, size_t width, uint64_t *ret)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    return dwarf_attr(die, DW_AT_location, &attribute) != NULL &&
           dwarf_getlocation_addr(&attribute, context->pc, &ops, &count, 1) == 1 &&
           expression_variable(&context->in, ops, count, width, ret);
}

/** Where the function keeps the parameter, as it says itself. */
static bool
find_parameter(const struct image *image, const struct frame_context *context, const char *function,
               const struct parameter *parameter, uint64_t *ret)
{
    Dwarf_Die child;
    (void) image;
    return is_function(context, function) &&
           find_child(context->scopes, context->n_scopes, is_parameter, parameter->name, &child) &&
           read_parameter(context, &child, parameter->width, ret);
}

/** The searches in debug information, in order. */
static const struct source {
    size_t inwards; // frames from the caller
    bool (*find)(const struct image *image, const struct frame_context *context,
                 const char *function, const struct parameter *parameter, uint64_t *ret);
} sources[] = {{0, find_at_site}, {1, find_parameter}};

/** Where the function of a frame begins, by its symbol, or else by the call. */
static bool
find_start(const struct image *image, const struct frame *frame, const struct frame *caller,
           uint64_t *ret)
{
    const struct module *module = image_module_at(image, frame->pc);
    uint64_t offset;
    if (module != NULL &&
        objfile_function_offset(module->file, frame->pc - module->bias, &offset)) {
        *ret = frame->pc - offset;
        return true;
    }
    return callsite_entry(image, caller->address, ret);
}

static bool
read_place(const struct image *image, const struct frame *frame, uint64_t cfa,
           const struct kept_places *places, size_t width, uint64_t *ret)
{
    for (unsigned i = 0; i < EXPRESSION_REGISTERS && frame->registers != NULL; i++)
        if ((places->registers & frame->registers->known & UINT32_C(1) << i) != 0) {
            *ret = frame->registers->values[i] & (width < sizeof *ret ? UINT32_MAX : UINT64_MAX);
            return true;
        }
    for (size_t i = 0; i < places->n_offsets && cfa != 0; i++)
        if (memory_read_uint(&image->debuggee, cfa + (uint64_t) (int64_t) places->offsets[i], width,
                             ret))
            return true;
    return false;
}

/** What the code of the function that a frame called says. */
static bool
find_in_code(const struct image *image, const struct thread *thread, size_t caller,
             const struct parameter *parameter, uint64_t *ret)
{
    uint64_t start;
    struct kept_places places;
    const struct frame *frame = caller > 0 ? &thread->frames[caller - 1] : NULL;
    if (machine_of(image_machine(image)) == NULL || caller == 0 || caller >= thread->n_frames ||
        !find_start(image, frame, &thread->frames[caller], &start))
        return false;
    const struct kept_argument argument = {parameter->number, parameter->width};
    return keptmemo_find(image, start, &argument, frame->address, &places) &&
           read_place(image, frame, thread->frames[caller].sp, &places, parameter->width, ret);
}

bool
callargs_find(const struct image *image, const struct thread *thread, size_t caller,
              const char *function, const struct parameter *parameter, uint64_t *ret)
{
    bool found = false;
    for (size_t i = 0; i < sizeof sources / sizeof *sources && !found; i++) {
        struct frame_context context;
        found = caller >= sources[i].inwards && caller < thread->n_frames &&
                frame_context_init(&context, image, thread, caller - sources[i].inwards) &&
                sources[i].find(image, &context, function, parameter, ret);
        if (caller >= sources[i].inwards && caller < thread->n_frames)
            free(context.scopes);
    }
    return found || find_in_code(image, thread, caller, parameter, ret);
}

/** Finds an argument of the function that begins at an address and that a frame, or one further in,
 * is in.
 * @param number of the frame
 * @param steps  how often it may be passed on
 */
static bool
find_from_entry(const struct image *image, const struct thread *thread, size_t number,
                uint64_t entry, struct kept_argument argument, int steps, uint64_t *ret)
{
    const struct frame *frame = &thread->frames[number];
    struct passed_on passed[PASSED_ON_MAX];
    struct kept_places places;
    struct function_code code;
    size_t count = 0;
    bool found =
        keptmemo_find(image, entry, &argument, frame->address, &places) &&
        read_place(image, frame, thread->frames[number + 1].sp, &places, argument.width, ret);
    if (!found && steps > 0 && function_code_read(image, entry, &code)) {
        count = keptargs_passed_on(&code, &argument, frame->address, passed);
        free((void *) code.bytes);
    }
    for (size_t i = 0; i < count && !found; i++) {
        uint64_t next = passed[i].function;
        argument.number = passed[i].number;
        callsite_follow(image, &next);
        bool known = passed[i].by_call ? number > 0 && callsite_entry(image, frame->address, &next)
                                       : next != 0;
        found = known && find_from_entry(image, thread, number - passed[i].by_call, next, argument,
                                         steps - 1, ret);
    }
    return found;
}

/** What the code of the caller passes on, where something else has it too. */
static bool
find_in_caller(const struct image *image, const struct thread *thread, size_t caller,
               unsigned number, uint64_t *ret)
{
    const struct machine *machine = machine_of(image_machine(image));
    struct frame_flow frame;
    if (number >= machine->n_arguments ||
        !frame_flow_init(&frame, image, thread, caller, NULL, NULL))
        return false;
    bool found = frame_flow_value(&frame, frame.state.registers[machine->arguments[number]], ret);
    frame_flow_deinit(&frame);
    return found;
}

bool
callargs_passed(const struct image *image, const struct thread *thread, size_t caller,
                unsigned number, size_t width, uint64_t *ret)
{
    const struct parameter parameter = {number, "", width};
    struct frame_context context;
    uint64_t entry;
    if (machine_of(image_machine(image)) == NULL || caller == 0 || caller >= thread->n_frames)
        return false;
    bool found = frame_context_init(&context, image, thread, caller) &&
                 find_at_site(image, &context, "", &parameter, ret);
    free(context.scopes);
    found = found || find_in_caller(image, thread, caller, number, ret);
    return found || (callsite_entry(image, thread->frames[caller].address, &entry) &&
                     find_from_entry(image, thread, caller - 1, entry,
                                     (struct kept_argument){number, width}, PASSES_MAX, ret));
}

bool
callargs_received(const struct image *image, const struct thread *thread, size_t frame,
                  unsigned number, size_t width, uint64_t *ret)
{
    uint64_t pc = thread->frames[frame].pc, offset;
    const struct module *module = image_module_at(image, pc);
    return module != NULL && machine_of(image_machine(image)) != NULL &&
           frame + 1 < thread->n_frames &&
           objfile_function_offset(module->file, pc - module->bias, &offset) &&
           find_from_entry(image, thread, frame, pc - offset, (struct kept_argument){number, width},
                           PASSES_MAX, ret);
}

/** The name of a symbol without the P of the profiling interface, if it is one of MPI's for C. */
static const char *
mpi_name(const char *symbol)
{
    const char *name = symbol != NULL ? symbol + (*symbol == 'P') : "";
    return strncmp(name, "MPI_", strlen("MPI_")) == 0 ? name : NULL;
}

size_t
callargs_mpi_call(const struct image *image, const struct thread *thread, const char **ret_name)
{
    for (size_t i = thread->caller; i > 0 && i + WRAPPERS_MAX > thread->caller; i--) {
        const struct frame *inner = &thread->frames[i - 1];
        const struct module *module = image_module_at(image, inner->pc);
        *ret_name = mpi_name(callsite_symbol(image, thread->frames[i].address));
        if (*ret_name == NULL && module != NULL)
            *ret_name = mpi_name(srcloc_at(module->file, inner->pc - module->bias)->symbol);
        if (*ret_name != NULL)
            return i;
    }
    return 0;
}
