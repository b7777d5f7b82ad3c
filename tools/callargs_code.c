// SPDX-License-Identifier: BSD-3-Clause
// Arguments as the code before a call sets them, where the compiler does not optimize.
#include "tools/argcode.h"
#include "tools/callargs_parts.h"
#include "tools/image.h"
#include "tools/memory.h"

#include <dwarf.h>
#include <string.h>

enum {
    LINES_MAX = 8,  // before a call, whose code is followed
    CODE_MAX = 256, // bytes of it
};

/** Whether code is as compilers make it that do not optimize: then what is passed to a function is
 * put into registers right before the call. One compiler tells its options, the others describe
 * calls when they optimize.
 */
static bool
is_plain(const struct place *place)
{
    Dwarf_Attribute attribute;
    const char *producer = dwarf_formstring(dwarf_attr(place->unit, DW_AT_producer, &attribute));
    if (producer == NULL ||
        (strstr(producer, "GNU C") == NULL && strstr(producer, "clang version") == NULL))
        return false;
    char level = '0'; // the last one counts
    for (const char *at = producer; (at = strstr(at, " -O")) != NULL; at += strlen(" -O"))
        level = at[strlen(" -O")];
    if (level != '0')
        return false;
    for (int i = 0; i < place->n_scopes; i++)
        if (dwarf_hasattr(&place->scopes[i], DW_AT_call_all_calls) ||
            dwarf_hasattr(&place->scopes[i], DW_AT_GNU_all_call_sites))
            return false;
    return true;
}

/** Where the last lines of the source begin in the code up to a call, the last one first. */
static size_t
list_lines(const struct place *place, Dwarf_Addr *ret)
{
    Dwarf_Lines *lines;
    Dwarf_Addr addr;
    size_t n_lines, count = 0;
    if (dwarf_getsrclines(place->unit, &lines, &n_lines) != 0)
        return 0;
    for (size_t i = 0; i < n_lines; i++) {
        if (dwarf_lineaddr(dwarf_onesrcline(lines, i), &addr) != 0 || addr > place->pc ||
            (count > 0 && addr == ret[0]))
            continue;
        count += count < LINES_MAX;
        memmove(ret + 1, ret, (count - 1) * sizeof *ret);
        ret[0] = addr;
    }
    return count;
}

bool
callargs_in_code(const struct image *image, const struct place *place, const char *function,
                 const struct parameter *parameter, uint64_t *ret)
{
    Dwarf_Addr starts[LINES_MAX];
    unsigned char code[CODE_MAX];
    int number = callargs_register(image, parameter->number);
    (void) function;
    if (image_machine(image) != EM_X86_64 || number < 0 || !is_plain(place))
        return false;
    size_t count = list_lines(place, starts);
    for (size_t i = 0; i < count && place->after - starts[i] <= sizeof code; i++) {
        size_t size = (size_t) (place->after - starts[i]);
        uint64_t addr = starts[i] + place->in.bias;
        // Nothing jumps into a line of one compiler, which begins a line where something may.
        if (memory_read(image, addr, size, code) &&
            argcode_find(&place->in, code, size, addr, number, i == 0, ret))
            return true;
    }
    return false;
}
