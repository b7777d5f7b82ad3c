// SPDX-License-Identifier: BSD-3-Clause
// What debug information says about code: whose function it is, and where that stands.
#include "tools/source.h"

#include "tools/alloc.h"

#include <dwarf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 16 }; // directives within each other

/** What compilers put into the names of functions that they make of OpenMP regions and tasks. */
static const char *const outlined_marks[] = {"._omp_fn.", ".omp_outlined", ".omp_task_entry"};

const char *
source_mark(const char *name)
{
    for (size_t i = 0; i < sizeof outlined_marks / sizeof *outlined_marks; i++) {
        const char *mark = strstr(name, outlined_marks[i]);
        if (mark != NULL)
            return mark;
    }
    return NULL;
}

static int
line_of(Dwarf_Die *unit, Dwarf_Addr addr)
{
    int number;
    Dwarf_Line *line = dwarf_getsrc_die(unit, addr);
    return line != NULL && dwarf_lineno(line, &number) == 0 ? number : 0;
}

int
source_line_of_directive(Dwarf_Die *unit, Dwarf_Die *function)
{
    Dwarf_Addr entry;
    Dwarf_Attribute attribute;
    Dwarf_Word line;
    if (dwarf_tag(function) == DW_TAG_subprogram)
        return dwarf_entrypc(function, &entry) == 0 ? line_of(unit, entry) : 0;
    return dwarf_attr(function, DW_AT_call_line, &attribute) != NULL &&
                   dwarf_formudata(&attribute, &line) == 0 && line <= INT_MAX
               ? (int) line
               : 0;
}

/** Name of the innermost function around an address.
 * @param ret_line when all functions that are known around it were taken out: the line of the
 * directive that the outermost of these was taken out for, if it is known
 * @return NULL when none of them was written by the user
 */
static const char *
name_at(Dwarf_Die *unit, Dwarf_Addr addr, int *ret_line)
{
    Dwarf_Die *scopes = NULL;
    const char *found = NULL;
    int count = dwarf_getscopes(unit, addr, &scopes);
    for (int i = 0; i < count && found == NULL; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
            continue;
        const char *name = dwarf_diename(&scopes[i]);
        found = name != NULL && *name != '\0' && source_mark(name) == NULL ? name : NULL;
        int line = found == NULL ? source_line_of_directive(unit, &scopes[i]) : 0;
        *ret_line = line > 0 ? line : *ret_line;
    }
    free(scopes);
    return found;
}

static bool
is_of_line(Dwarf_Line *line, const char *file, int number, Dwarf_Addr *ret)
{
    int found;
    const char *source = dwarf_linesrc(line, NULL, NULL);
    return dwarf_lineno(line, &found) == 0 && found == number && source != NULL &&
           strcmp(source, file) == 0 && dwarf_lineaddr(line, ret) == 0;
}

/** The user's function that the line of a directive stands in: all code of that line belongs to
 * it, but for what was taken out of it. A directive within another one's code is in the function
 * of that one.
 * @param depth how many directives may be around it
 */
static const char *
function_of_line(Dwarf_Die *unit, const char *file, int number, int depth)
{
    Dwarf_Lines *lines;
    size_t count;
    int around = 0;
    if (depth == 0 || dwarf_getsrclines(unit, &lines, &count) != 0)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        Dwarf_Addr addr;
        int outer = number;
        const char *name = is_of_line(dwarf_onesrcline(lines, i), file, number, &addr)
                               ? name_at(unit, addr, &outer)
                               : NULL;
        if (name != NULL)
            return name;
        around = outer != number ? outer : around;
    }
    return around > 0 ? function_of_line(unit, file, around, depth - 1) : NULL;
}

Dwarf_Die *
source_unit(Dwfl_Module *module, GElf_Addr addr, Dwarf_Addr *ret_bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(module, addr, ret_bias);
    // The table that this looks into is not there in what clang makes.
    if (unit == NULL)
        while ((unit = dwfl_module_nextcu(module, unit, ret_bias)) != NULL)
            if (dwarf_haspc(unit, addr - *ret_bias) == 1)
                break;
    return unit;
}

/** Takes ".", ".." and doubled slashes out of an absolute path, as it is written. */
static void
shorten_path(char *path)
{
    char *end = path; // of what is kept
    for (char *next, *part = path; part != NULL; part = next) {
        next = strchr(part + 1, '/');
        size_t length = next != NULL ? (size_t) (next - part) : strlen(part);
        if (length == 3 && strncmp(part, "/..", 3) == 0) {
            while (end > path && *--end != '/')
                continue;
        } else if (length > 1 && !(length == 2 && part[1] == '.')) {
            memmove(end, part, length);
            end += length;
        }
    }
    *end = '\0';
}

char *
source_path(Dwarf_Die *unit, const char *file)
{
    Dwarf_Attribute attr;
    const char *dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
    char *ret = *file != '/' && dir != NULL ? alloc_format("%s/%s", dir, file) : alloc_text(file);
    if (*ret == '/')
        shorten_path(ret);
    return ret;
}

const char *
source_function_of_line(Dwarf_Die *unit, const char *file, int number)
{
    return function_of_line(unit, file, number, DEPTH_MAX);
}
