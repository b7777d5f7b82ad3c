// SPDX-License-Identifier: BSD-3-Clause
// Where in a thread's stack of machine code its Python frames are.
#ifndef MQSHOW_STACK_PYTHON_MERGE_H
#define MQSHOW_STACK_PYTHON_MERGE_H

#include "mqshow/stack/threads.h"

/** Python frames that come before a frame of the stack, from inside. */
struct python_place {
    const struct python_frame *frames;
    size_t count;
};

/** Places all of them: those that an activation of the interpreter evaluates, at its frame. Where
 * the activations cannot be found, all are at the innermost frame of the interpreter.
 * @return one for each frame of the stack and one for its end, to free()
 */
struct python_place *python_merge(const struct thread *thread, const struct python_thread *python);

/** Whether the innermost code of the program's own is Python: code without a source file, as of
 * extension modules, is not counted.
 */
bool python_is_innermost(const struct thread *thread);

#endif
