// SPDX-License-Identifier: BSD-3-Clause
// What lies at an address of a process: a function and its source line, or a variable.
#include "tools/place.h"

#include "tools/alloc.h"
#include "tools/escape.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_SHOWN = 1000, DEPTH_MAX = 16 }; // bytes; directives within each other

/** What compilers put into the names of functions that they make of OpenMP regions and tasks. */
static const char *const outlined_marks[] = {"._omp_fn.", ".omp_outlined", ".omp_task_entry"};

static const char *
find_mark(const char *name)
{
    for (size_t i = 0; i < sizeof outlined_marks / sizeof *outlined_marks; i++) {
        const char *mark = strstr(name, outlined_marks[i]);
        if (mark != NULL)
            return mark;
    }
    return NULL;
}

static const struct module *
find_module(const struct image *image, uint64_t addr)
{
    for (size_t i = 0; i < image->n_modules; i++)
        if (addr >= image->modules[i].start && addr < image->modules[i].end)
            return &image->modules[i];
    return NULL;
}

/** The address as the session knows it that the file was opened in. */
static GElf_Addr
address_in_session(const struct module *module, uint64_t addr)
{
    return addr - module->bias + module->file->bias;
}

static void
tell_symbol(struct place *place, Dwfl_Module *module, GElf_Addr addr, bool of_data)
{
    GElf_Off offset = 0;
    GElf_Sym sym;
    const char *name = dwfl_module_addrinfo(module, addr, &offset, &sym, NULL, NULL, NULL);
    if (name == NULL || *name == '\0')
        return;
    // Without a size the nearest symbol may have nothing to do with the address.
    if (of_data && (GELF_ST_TYPE(sym.st_info) == STT_FUNC || offset >= sym.st_size))
        return;
    place->symbol = escape_text(name, NAME_MAX_SHOWN);
    place->offset = offset;
}

static int
line_of(Dwarf_Die *unit, Dwarf_Addr addr)
{
    int number;
    Dwarf_Line *line = dwarf_getsrc_die(unit, addr);
    return line != NULL && dwarf_lineno(line, &number) == 0 ? number : 0;
}

/** The line of the directive that a function was taken out for; 0: not known. */
static int
line_of_directive(Dwarf_Die *unit, Dwarf_Die *function)
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
        found = name != NULL && *name != '\0' && find_mark(name) == NULL ? name : NULL;
        int line = found == NULL ? line_of_directive(unit, &scopes[i]) : 0;
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

/** The compilation unit that an address belongs to. */
static Dwarf_Die *
find_unit(Dwfl_Module *module, GElf_Addr addr, Dwarf_Addr *ret_bias)
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

/** The path of a source file: names are relative to the directory that was compiled in.
 * @return for free()
 */
static char *
whole_path(Dwarf_Die *unit, const char *file)
{
    Dwarf_Attribute attr;
    const char *dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
    char *ret = *file != '/' && dir != NULL ? alloc_format("%s/%s", dir, file) : alloc_text(file);
    if (*ret == '/')
        shorten_path(ret);
    return ret;
}

static void
tell_source(struct place *place, Dwfl_Module *module, GElf_Addr addr)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = find_unit(module, addr, &bias);
    Dwarf_Line *line = unit != NULL ? dwarf_getsrc_die(unit, addr - bias) : NULL;
    const char *file = line != NULL ? dwarf_linesrc(line, NULL, NULL) : NULL;
    if (file == NULL || dwarf_lineno(line, &place->line) != 0 || place->line <= 0)
        return;
    char *path = whole_path(unit, file);
    place->file = escape_text(path, NAME_MAX_SHOWN);
    free(path);
    const char *name = function_of_line(unit, file, place->line, DEPTH_MAX);
    place->function = name != NULL ? escape_text(name, NAME_MAX_SHOWN) : NULL;
}

/** Takes the function from the symbol, which gcc and newer clang make of its name. */
static void
tell_function_of_symbol(struct place *place)
{
    const char *mark = find_mark(place->symbol);
    size_t length = mark != NULL ? (size_t) (mark - place->symbol) : strlen(place->symbol);
    if (length > 0 && place->offset == 0)
        place->function = alloc_format("%.*s", (int) length, place->symbol);
}

void
place_init_code(struct place *place, const struct image *image, uint64_t addr)
{
    const struct module *module = find_module(image, addr);
    *place = (struct place){.addr = addr};
    if (module == NULL)
        return;
    GElf_Addr local = address_in_session(module, addr);
    tell_symbol(place, module->file->module, local, false);
    tell_source(place, module->file->module, local);
    if (place->function == NULL && place->symbol != NULL)
        tell_function_of_symbol(place);
}

void
place_init_data(struct place *place, const struct image *image, uint64_t addr)
{
    const struct module *module = find_module(image, addr);
    *place = (struct place){.addr = addr};
    if (module != NULL)
        tell_symbol(place, module->file->module, address_in_session(module, addr), true);
}

bool
place_is_taken_out(const struct image *image, uint64_t addr, uint64_t *ret)
{
    const struct module *module = find_module(image, addr);
    GElf_Off offset = 0;
    GElf_Sym sym;
    const char *name = module != NULL ? dwfl_module_addrinfo(module->file->module,
                                                             address_in_session(module, addr),
                                                             &offset, &sym, NULL, NULL, NULL)
                                      : NULL;
    if (name == NULL || find_mark(name) == NULL)
        return false;
    *ret = addr - offset;
    return true;
}

void
place_deinit(struct place *place)
{
    free(place->symbol);
    free(place->function);
    free(place->file);
}
