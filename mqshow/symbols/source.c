// SPDX-License-Identifier: BSD-3-Clause
// What debug information says about code: whose function it is, and where that stands.
#include "mqshow/symbols/source.h"

#include "mqshow/base/alloc.h"
#include "mqshow/symbols/names.h"

#include <dwarf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 16, NAME_MAX_READ = 1000 }; // directives or scopes within each other; bytes

const char *
source_linkage_name(Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    const char *name =
        dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));
    return name != NULL ? name
                        : dwarf_formstring(
                              dwarf_attr_integrate(function, DW_AT_MIPS_linkage_name, &attribute));
}

/** The entry that declares a function where the source does. */
static Dwarf_Die
declaration_of(const Dwarf_Die *function)
{
    static const unsigned references[] = {DW_AT_abstract_origin, DW_AT_specification};
    Dwarf_Die ret = *function;
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die next;
        if (dwarf_formref_die(dwarf_attr(&ret, references[i], &attribute), &next) != NULL)
            ret = next;
    }
    return ret;
}

/** What the members of a scope have before their names; NULL: nothing. */
static const char *
qualifier(Dwarf_Die *scope)
{
    const char *name = dwarf_diename(scope);
    const int tag = dwarf_tag(scope);
    if (tag == DW_TAG_namespace)
        return name != NULL ? name : "(anonymous namespace)";
    return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
                   tag == DW_TAG_module
               ? name
               : NULL;
}

/** The name of a function with those of the scopes that it is declared in, for free(). */
static char *
qualified_name(const Dwarf_Die *function, const char *name)
{
    Dwarf_Die declaration = declaration_of(function), *scopes = NULL;
    int count = dwarf_getscopes_die(&declaration, &scopes);
    char *ret = alloc_format("%.*s", NAME_MAX_READ, name);
    for (int i = 1; i < count && i < DEPTH_MAX; i++) {
        const char *scope = qualifier(&scopes[i]);
        char *inner = ret;
        ret = scope != NULL ? alloc_format("%.*s::%s", NAME_MAX_READ, scope, inner) : inner;
        if (ret != inner)
            free(inner);
    }
    free(scopes);
    return ret;
}

const char *
source_raw_name(Dwarf_Die *function)
{
    const char *name = dwarf_diename(function);
    return name != NULL ? name : source_linkage_name(function);
}

bool
source_is_outlined(Dwarf_Die *function)
{
    const char *name = source_raw_name(function);
    return name != NULL && names_mark(name) != NULL;
}

char *
source_function_name(Dwarf_Die *function, const char *symbol)
{
    const char *linkage = source_linkage_name(function), *name = dwarf_diename(function);
    const char *known = linkage != NULL ? linkage : symbol;
    char *ret = known != NULL && names_is_qualified(known) ? names_readable(known) : NULL;
    if (name == NULL || (ret != NULL && !names_is_mangled(ret)))
        return ret;
    free(ret);
    char *qualified = qualified_name(function, name);
    ret = names_readable(qualified);
    free(qualified);
    return ret;
}

int
source_number(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    return dwarf_attr_integrate(die, name, &attribute) != NULL &&
                   dwarf_formudata(&attribute, &value) == 0 && value <= INT_MAX
               ? (int) value
               : 0;
}

const char *
source_file(Dwarf_Die *unit, Dwarf_Die *die, unsigned name)
{
    // dwarf_decl_file() takes the number 0 for none, which DWARF 5 has for the unit's own file.
    Dwarf_Files *files;
    size_t count, number = (size_t) source_number(die, name);
    return dwarf_hasattr_integrate(die, name) && dwarf_getsrcfiles(unit, &files, &count) == 0 &&
                   number < count
               ? dwarf_filesrc(files, number, NULL, NULL)
               : NULL;
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
    if (dwarf_tag(function) == DW_TAG_subprogram)
        return dwarf_entrypc(function, &entry) == 0 ? line_of(unit, entry) : 0;
    return source_number(function, DW_AT_call_line);
}

/** The innermost function around an address that the user wrote.
 * @param ret_line when all functions that are known around it were outlined: the line of the
 * directive that the outermost of these was outlined for, if it is known
 */
static bool
users_function_at(Dwarf_Die *unit, Dwarf_Addr addr, int *ret_line, Dwarf_Die *ret)
{
    Dwarf_Die *scopes = NULL;
    bool found = false;
    int count = dwarf_getscopes(unit, addr, &scopes);
    for (int i = 0; i < count && !found; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
            continue;
        found = source_raw_name(&scopes[i]) != NULL && !source_is_outlined(&scopes[i]);
        int line = !found ? source_line_of_directive(unit, &scopes[i]) : 0;
        *ret_line = line > 0 ? line : *ret_line;
        *ret = scopes[i];
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
 * it, but for what was outlined of it. A directive within another one's code is in the function
 * of that one.
 * @param depth how many directives may be around it
 */
static bool
function_of_line(Dwarf_Die *unit, const char *file, int number, int depth, Dwarf_Die *ret)
{
    Dwarf_Lines *lines;
    size_t count;
    int around = 0;
    if (depth == 0 || dwarf_getsrclines(unit, &lines, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        Dwarf_Addr addr;
        int outer = number;
        if (is_of_line(dwarf_onesrcline(lines, i), file, number, &addr) &&
            users_function_at(unit, addr, &outer, ret))
            return true;
        around = outer != number ? outer : around;
    }
    return around > 0 && function_of_line(unit, file, around, depth - 1, ret);
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

/** The search for the function that is declared last before a line. */
struct search {
    Dwarf_Die *unit;
    char *path;
    int line, found_line;
    Dwarf_Die found;
};

static bool
is_local(const Dwarf_Die *function)
{
    Dwarf_Die declaration = declaration_of(function), *scopes = NULL;
    int count = dwarf_getscopes_die(&declaration, &scopes);
    bool ret = false;
    for (int i = 1; i < count; i++)
        ret = ret || dwarf_tag(&scopes[i]) == DW_TAG_subprogram;
    free(scopes);
    return ret;
}

/** Whether an entry says that it stands in the file that is searched. A file can have two numbers,
 * and be named by paths from different folders. */
static bool
is_in_file(const struct search *search, Dwarf_Die *function)
{
    const char *file = source_file(search->unit, function, DW_AT_decl_file);
    char *path = file != NULL ? source_path(search->unit, file) : NULL;
    bool ret = path != NULL && strcmp(path, search->path) == 0;
    free(path);
    return ret;
}

static void
consider(struct search *search, Dwarf_Die *function)
{
    int line = source_number(function, DW_AT_decl_line);
    if (line > search->line || line <= search->found_line ||
        dwarf_hasattr(function, DW_AT_declaration) || source_raw_name(function) == NULL ||
        source_is_outlined(function) || !is_in_file(search, function) || is_local(function))
        return;
    search->found = *function;
    search->found_line = line;
}

/** Looks at the functions of a unit, a namespace, a module or a class. */
static void
search_functions(struct search *search, Dwarf_Die *parent, int depth)
{
    Dwarf_Die child;
    int more = depth > 0 ? dwarf_child(parent, &child) : -1;
    for (; more == 0; more = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) == DW_TAG_subprogram)
            consider(search, &child);
        else if (qualifier(&child) != NULL)
            search_functions(search, &child, depth - 1);
    }
}

char *
source_function_of_line(Dwarf_Die *unit, const char *file, int number)
{
    Dwarf_Die function;
    if (function_of_line(unit, file, number, DEPTH_MAX, &function))
        return source_function_name(&function, NULL);
    // All code of the line may be in what was outlined.
    struct search search = {.unit = unit, .path = source_path(unit, file), .line = number};
    search_functions(&search, unit, DEPTH_MAX);
    free(search.path);
    return search.found_line > 0 ? source_function_name(&search.found, NULL) : NULL;
}
