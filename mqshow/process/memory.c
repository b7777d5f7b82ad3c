// SPDX-License-Identifier: BSD-3-Clause
// Reading the memory of a process, or what its core has of it.
#include "mqshow/process/memory.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/bytes.h"
#include "mqshow/process/copy.h"
#include "mqshow/process/core.h"
#include "mqshow/process/debuggee.h"
#include "mqshow/process/footprint.h"
#include "mqshow/process/procfs.h"
#include "mqshow/process/stub.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

/** Reads what was copied of a running process. */
static bool
read_copied(const struct debuggee *debuggee, uint64_t addr, size_t size, void *ret)
{
    return (debuggee->copy != NULL && copy_read(debuggee->copy, addr, size, ret)) ||
           (debuggee->footprint != NULL && footprint_read(debuggee->footprint, addr, size, ret));
}

bool
memory_read(const struct debuggee *debuggee, uint64_t addr, size_t size, void *ret)
{
    struct footprint *footprint = debuggee->footprint;
    if (size == 0) // there is nothing that could fail
        return true;
    if (debuggee->core != NULL)
        return core_read(debuggee->core, addr, size, ret);
    if (debuggee->stub != NULL)
        return stub_read(debuggee->stub, addr, size, ret);
    if (read_copied(debuggee, addr, size, ret))
        return true;
    bool read = (footprint == NULL || !footprint_ends(footprint)) &&
                bytes_read_process(debuggee->pid, addr, size, ret);
    if (footprint != NULL)
        footprint_note(footprint, addr, size, read);
    return read;
}

bool
memory_is_past(const struct debuggee *debuggee)
{
    return debuggee->footprint != NULL && debuggee->footprint->moment == FOOTPRINT_PAST;
}

bool
memory_read_ahead(const struct debuggee *debuggee, uint64_t addr, size_t size, void *ret)
{
    return memory_is_past(debuggee) && size > PAGE ? read_copied(debuggee, addr, size, ret)
                                                   : memory_read(debuggee, addr, size, ret);
}

bool
memory_read_uint(const struct debuggee *debuggee, uint64_t addr, size_t width, uint64_t *ret)
{
    unsigned char bytes[sizeof *ret];
    if (width > sizeof bytes || !memory_read(debuggee, addr, width, bytes))
        return false;
    *ret = bytes_uint(bytes, width);
    return true;
}

void
memory_read_words(const struct debuggee *debuggee, const uint64_t *addrs, size_t count,
                  uint64_t *ret)
{
    struct footprint *footprint = debuggee->footprint;
    bool is_live = debuggee->core == NULL && debuggee->stub == NULL;
    bool is_copied = footprint != NULL && footprint->copied.count > 0;
    uint64_t copied;
    for (size_t i = 0; i < count; i++) {
        size_t read = is_live && !is_copied ? bytes_read_pieces(debuggee->pid, addrs + i, count - i,
                                                                sizeof *ret, ret + i, sizeof *ret)
                                            : 0;
        for (size_t k = 0; k < read && footprint != NULL; k++)
            footprint_note(footprint, addrs[i + k], sizeof *ret, true);
        i += read;
        if (i < count && !memory_read(debuggee, addrs[i], sizeof *ret, &ret[i]))
            ret[i] = 0;
    }
    for (size_t i = 0; i < count && is_live && debuggee->copy != NULL; i++)
        if (copy_read(debuggee->copy, addrs[i], sizeof copied, &copied))
            ret[i] = copied;
}

bool
memory_read_tid(const struct debuggee *debuggee, uint64_t pthread, pid_t *ret)
{
    uint64_t tid;
    if (!memory_read_uint(debuggee, pthread + PTHREAD_TID_AT, sizeof(int32_t), &tid))
        return false;
    *ret = (pid_t) tid;
    return true;
}

bool
memory_read_text(const struct debuggee *debuggee, uint64_t addr, size_t size, char *ret)
{
    size_t done = 0;
    memset(ret, 0, size);
    while (done < size - 1) {
        size_t chunk = PAGE - (size_t) ((addr + done) % PAGE);
        chunk = chunk < size - 1 - done ? chunk : size - 1 - done;
        if (!memory_read(debuggee, addr + done, chunk, ret + done)) {
            ret[done] = '\0';
            return false;
        }
        if (memchr(ret + done, '\0', chunk) != NULL)
            return true;
        done += chunk;
    }
    return false;
}

bool
memory_read_map(const struct debuggee *debuggee, uint64_t addr, size_t count, uint64_t *ret)
{
    unsigned char bytes[MAP_WORDS * sizeof *ret];
    size_t width = (size_t) debuggee->pointer_size;
    if (!memory_read(debuggee, addr, count * width, bytes))
        return false;
    for (size_t i = 0; i < count; i++)
        ret[i] = bytes_uint(bytes + i * width, width);
    return true;
}

/** A variable in strings, each ended by a NUL, with the environment at their end; a NUL is behind
 * them.
 */
static char *
find_variable(const char *strings, size_t size, const char *name)
{
    const char *found = NULL;
    size_t length = strlen(name);
    // The last one: below are the arguments, and the stack.
    for (size_t at = 0; at < size; at += strlen(strings + at) + 1)
        if (strncmp(strings + at, name, length) == 0 && strings[at + length] == '=')
            found = strings + at + length + 1;
    return alloc_text(found);
}

char *
memory_environment(const struct debuggee *debuggee, const char *name)
{
    enum { STRINGS_MAX = 1 << 18 }; // bytes of arguments and environment
    const struct stub *stub = debuggee->stub;
    if (debuggee->core == NULL && stub == NULL)
        return procfs_environment(debuggee->pid, name);
    uint64_t end = debuggee->core != NULL ? debuggee->core->strings_end : stub->strings_end;
    uint64_t start = end, below;
    if (end < STRINGS_MAX || (stub != NULL && stub->unusable != NULL))
        return NULL;
    char *strings = alloc_zeroed(STRINGS_MAX + 1, 1), *last = strings + STRINGS_MAX;
    for (; end - start < STRINGS_MAX; start = below) {
        below = (start - 1) / PAGE * PAGE;
        below = end - below > STRINGS_MAX ? end - STRINGS_MAX : below;
        if (!memory_read(debuggee, below, start - below, last - (end - below)))
            break;
    }
    char *found = find_variable(last - (end - start), (size_t) (end - start), name);
    free(strings);
    return found;
}
