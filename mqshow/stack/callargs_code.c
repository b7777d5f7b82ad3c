// SPDX-License-Identifier: BSD-3-Clause
// Arguments as the code of the function that was called keeps them.
#include "mqshow/base/alloc.h"
#include "mqshow/stack/callargs_parts.h"
#include "mqshow/stack/callsite.h"
#include "mqshow/symbols/image.h"
#include "mqshow/stack/keptargs.h"
#include "mqshow/process/memory.h"
#include "mqshow/stack/threads.h"
#include "target/machine/machine.h"

#include <stdlib.h>

enum { CODE_MAX = 1 << 15 /* bytes of a function */ };

static bool
may_return(const void *image, uint64_t function)
{
    return callsite_returns(image, function);
}

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

/** Reads the code of the function of a frame. @param ret `bytes` are for free() */
static bool
read_code(const struct image *image, const struct frame *frame, const struct frame *caller,
          struct function_code *ret)
{
    uint64_t start;
    if (!find_start(image, frame, caller, &start))
        return false;
    const struct module *module = image_module_at(image, start);
    uint64_t size = module != NULL ? objfile_function_room(module->file, start - module->bias) : 0;
    // Behind the last function there may be nothing to read.
    uint64_t most =
        module != NULL && module->end - start < CODE_MAX ? module->end - start : CODE_MAX;
    size = size < most ? size : most;
    unsigned char *bytes = alloc_zeroed(size + 1, 1);
    *ret = (struct function_code){
        machine_of(image_machine(image)), bytes, (size_t) size, start, image, may_return};
    if (size > 0 && memory_read(&image->debuggee, start, ret->size, bytes))
        return true;
    free(bytes);
    return false;
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

bool
callargs_in_code(const struct image *image, const struct thread *thread, size_t caller,
                 const struct parameter *parameter, uint64_t *ret)
{
    struct function_code code;
    struct kept_places places;
    const struct frame *frame = caller > 0 ? &thread->frames[caller - 1] : NULL;
    if (machine_of(image_machine(image)) == NULL || caller == 0 || caller >= thread->n_frames ||
        !read_code(image, frame, &thread->frames[caller], &code))
        return false;
    const struct kept_argument argument = {parameter->number, parameter->width};
    bool found = keptargs_find(&code, &argument, frame->address, &places);
    if (found) {
        found = read_place(image, frame, thread->frames[caller].sp, &places, parameter->width, ret);
        free(places.offsets);
    }
    free((void *) code.bytes);
    return found;
}
