// SPDX-License-Identifier: BSD-3-Clause
// The source locations of an address of a file: resolved once for all processes that have loaded
// it.
#include "mqshow/symbols/srcloc.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/symbols/names.h"
#include "mqshow/symbols/objfile.h"
#include "mqshow/symbols/source.h"

#include <dwarf.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_SHOWN = 1000, INLINED_MAX = 64, NESTED_MAX = 12 }; // bytes; scopes; both

static int
compare_srclocs(const void *left, const void *right)
{
    const struct srcloc *a = left, *b = right;
    return (a->value > b->value) - (a->value < b->value);
}

/** Adds a line. @param function escaped, taken over; NULL: not known. @param symbol may be NULL */
static struct srcloc_line *
add_line(struct srcloc *srcloc, char *function, const char *symbol)
{
    size_t capacity = srcloc->count; // grown one by one: there are few
    srcloc->lines = alloc_grow(srcloc->lines, srcloc->count, &capacity, sizeof *srcloc->lines);
    struct srcloc_line *line = &srcloc->lines[srcloc->count++];
    bool differs = symbol != NULL && (function == NULL || strcmp(function, symbol) != 0);
    *line = (struct srcloc_line){.function = function,
                                 .symbol = differs ? escape_text(symbol, NAME_MAX_SHOWN) : NULL};
    return line;
}

static void
set_source(struct srcloc_line *line, Dwarf_Die *unit, const char *file, int number)
{
    if (file == NULL || number <= 0)
        return;
    char *path = source_path(unit, file);
    line->file = escape_text(path, NAME_MAX_SHOWN);
    line->line = number;
    free(path);
}

/** Name of a function, that of the user's when a compiler took this one out of it. */
static char *
name_of(Dwarf_Die *unit, Dwarf_Die *function, const char *file, const char *symbol)
{
    char *name = source_function_name(function, symbol);
    int line =
        source_is_outlined(function) && file != NULL ? source_line_of_directive(unit, function) : 0;
    if (line <= 0 || (name != NULL && !names_is_mangled(name)))
        return name;
    char *users = source_function_of_line(unit, file, line);
    if (users == NULL)
        return name;
    free(name);
    return users;
}

/** Adds the line of a function. @param symbol the one that it has, NULL: it is inlined */
static struct srcloc_line *
add_function(struct srcloc *srcloc, Dwarf_Die *unit, Dwarf_Die *function, const char *file,
             const char *symbol)
{
    const char *name = source_raw_name(function);
    // A task is outlined twice by LLVM's compiler, too, and only the outer part says what it is.
    bool is_part = srcloc->symbol != NULL && names_mark(srcloc->symbol) != NULL;
    char *users = name_of(unit, function, file, symbol), *construct = NULL;
    // Where the inner part is a function of its own, its line is not the directive's.
    bool has_line = name == NULL || strstr(name, "_debug__") == NULL ||
                    dwarf_tag(function) == DW_TAG_inlined_subroutine;
    if (source_is_outlined(function))
        construct = names_construct(is_part ? srcloc->symbol : name, file,
                                    has_line ? source_line_of_directive(unit, function) : 0);
    struct srcloc_line *line = add_line(srcloc, users != NULL ? users : alloc_text(construct),
                                        symbol != NULL ? symbol : source_linkage_name(function));
    line->construct = construct;
    return line;
}

/** The child of an entry that has an address in it, and one of two tags. */
static bool
find_child(Dwarf_Die *parent, Dwarf_Addr addr, int tag, int other_tag, Dwarf_Die *ret)
{
    int more = dwarf_child(parent, ret);
    for (; more == 0; more = dwarf_siblingof(ret, ret))
        if ((dwarf_tag(ret) == tag || dwarf_tag(ret) == other_tag) && dwarf_haspc(ret, addr) == 1)
            return true;
    return false;
}

static bool
may_hold_functions(int tag)
{
    return tag == DW_TAG_subprogram || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
           tag == DW_TAG_lexical_block || tag == DW_TAG_namespace || tag == DW_TAG_module;
}

/** The function that has an address in it and that is nested in another one, which has not: GNU's
 * compiler nests outlined functions and lambdas like that.
 */
static bool
find_nested(Dwarf_Die *parent, Dwarf_Addr addr, int depth, Dwarf_Die *ret)
{
    Dwarf_Die child;
    if (find_child(parent, addr, DW_TAG_subprogram, DW_TAG_subprogram, ret))
        return true;
    int more = depth > 0 ? dwarf_child(parent, &child) : -1;
    for (; more == 0; more = dwarf_siblingof(&child, &child))
        if (may_hold_functions(dwarf_tag(&child)) && find_nested(&child, addr, depth - 1, ret))
            return true;
    return false;
}

/** The scopes from a function that stands within another one on, innermost first. */
static int
scopes_of_nested(Dwarf_Die *unit, Dwarf_Addr addr, Dwarf_Die **ret)
{
    Dwarf_Die found, inner;
    if (!find_nested(unit, addr, NESTED_MAX, &found))
        return 0;
    for (int i = 0; i < INLINED_MAX && find_child(&found, addr, DW_TAG_inlined_subroutine,
                                                  DW_TAG_lexical_block, &inner);
         i++)
        found = inner;
    return dwarf_getscopes_die(&found, ret);
}

int
srcloc_scopes(Dwarf_Die *unit, Dwarf_Addr addr, Dwarf_Die **ret)
{
    Dwarf_Die *scopes = NULL;
    *ret = NULL;
    int count = dwarf_getscopes(unit, addr, &scopes);
    bool in_function = count > 0 && dwarf_tag(&scopes[0]) != DW_TAG_compile_unit;
    if (in_function)
        count = dwarf_getscopes_die(&scopes[0], ret);
    free(scopes);
    return in_function ? count : scopes_of_nested(unit, addr, ret);
}

static void
add_lines(struct srcloc *srcloc, Dwarf_Die *unit, Dwarf_Addr addr)
{
    int number = 0;
    bool after_outlined = false; // the one that only calls it is not worth a line
    Dwarf_Line *at = dwarf_getsrc_die(unit, addr);
    const char *file = at != NULL ? dwarf_linesrc(at, NULL, NULL) : NULL;
    Dwarf_Die *scopes;
    int count = srcloc_scopes(unit, addr, &scopes);
    if (at == NULL || dwarf_lineno(at, &number) != 0)
        number = 0;
    for (int i = 0; i < count && srcloc->count < INLINED_MAX; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
            continue;
        if (!after_outlined || !source_is_outlined(&scopes[i]))
            set_source(add_function(srcloc, unit, &scopes[i], file,
                                    tag == DW_TAG_subprogram ? srcloc->symbol : NULL),
                       unit, file, number);
        after_outlined = source_is_outlined(&scopes[i]);
        if (tag == DW_TAG_subprogram)
            break;
        number = source_number(&scopes[i], DW_AT_call_line);
        file = source_file(unit, &scopes[i], DW_AT_call_file);
    }
    free(scopes);
}

static void
set_symbol(struct srcloc *srcloc, const struct objfile *file)
{
    GElf_Off offset;
    GElf_Sym sym;
    const char *name = dwfl_module_addrinfo(file->module, srcloc->value + file->bias, &offset, &sym,
                                            NULL, NULL, NULL);
    srcloc->symbol = alloc_text(name != NULL && *name != '\0' ? name : NULL);
}

/** A line that is known from the symbol only. */
static void
add_symbol(struct srcloc *srcloc)
{
    char *function = srcloc->symbol != NULL ? names_readable(srcloc->symbol) : NULL;
    bool is_outlined = srcloc->symbol != NULL && names_mark(srcloc->symbol) != NULL;
    char *construct = is_outlined ? names_construct(srcloc->symbol, NULL, 0) : NULL;
    struct srcloc_line *line =
        add_line(srcloc, function != NULL ? function : alloc_text(construct), srcloc->symbol);
    line->construct = construct;
}

const struct srcloc *
srcloc_at(struct objfile *file, uint64_t value)
{
    struct srcloc *srcloc = alloc_zeroed(1, sizeof *srcloc);
    srcloc->value = value;
    struct srcloc **found = alloc_or_die(tsearch(srcloc, &file->srclocs, compare_srclocs));
    if (*found != srcloc) {
        free(srcloc);
        return *found;
    }
    Dwarf_Addr bias;
    errno = 0;
    // The lines of the C library say nothing of a job, and its debug information is large.
    Dwarf_Die *unit =
        file->runtime != RUNTIME_C ? source_unit(file->module, value + file->bias, &bias) : NULL;
    set_symbol(srcloc, file);
    if (unit != NULL)
        add_lines(srcloc, unit, value + file->bias - bias);
    alloc_check_errno();
    if (srcloc->count == 0)
        add_symbol(srcloc);
    return srcloc;
}

static void
free_code(void *item)
{
    struct srcloc *srcloc = item;
    for (size_t i = 0; i < srcloc->count; i++) {
        free(srcloc->lines[i].function);
        free(srcloc->lines[i].symbol);
        free(srcloc->lines[i].construct);
        free(srcloc->lines[i].file);
    }
    free(srcloc->lines);
    free(srcloc->symbol);
    free(srcloc);
}

void
srcloc_deinit(struct objfile *file)
{
    tdestroy(file->srclocs, free_code);
    file->srclocs = NULL;
}
