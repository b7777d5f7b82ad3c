// SPDX-License-Identifier: BSD-3-Clause
// What lies at an address of a process: a function and its source line, or a variable.
#include "mqshow/symbols/symbolized.h"

#include "mqshow/base/escape.h"
#include "mqshow/symbols/names.h"
#include "mqshow/symbols/source.h"

#include <elfutils/libdw.h>
#include <stdlib.h>

enum { NAME_MAX_SHOWN = 1000 }; // bytes

/** The address as the session knows it that the file was opened in. */
static GElf_Addr
address_in_session(const struct module *module, uint64_t addr)
{
    return addr - module->bias + module->file->bias;
}

static void
set_symbol(struct symbolized *symbolized, Dwfl_Module *module, GElf_Addr addr, bool of_data)
{
    GElf_Off offset = 0;
    GElf_Sym sym;
    const char *name = dwfl_module_addrinfo(module, addr, &offset, &sym, NULL, NULL, NULL);
    if (name == NULL || *name == '\0')
        return;
    // Without a size the nearest symbol may have nothing to do with the address.
    if (of_data && (GELF_ST_TYPE(sym.st_info) == STT_FUNC || offset >= sym.st_size))
        return;
    symbolized->symbol = escape_text(name, NAME_MAX_SHOWN);
    symbolized->offset = offset;
}

static void
set_source_line(struct symbolized *symbolized, Dwfl_Module *module, GElf_Addr addr)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = source_unit(module, addr, &bias);
    Dwarf_Line *line = unit != NULL ? dwarf_getsrc_die(unit, addr - bias) : NULL;
    const char *file = line != NULL ? dwarf_linesrc(line, NULL, NULL) : NULL;
    if (file == NULL || dwarf_lineno(line, &symbolized->line) != 0 || symbolized->line <= 0)
        return;
    char *path = source_path(unit, file);
    symbolized->file = escape_text(path, NAME_MAX_SHOWN);
    free(path);
    if (symbolized->function == NULL || names_is_mangled(symbolized->function)) {
        char *name = source_function_of_line(unit, file, symbolized->line);
        if (name != NULL)
            free(symbolized->function);
        symbolized->function = name != NULL ? name : symbolized->function;
    }
}

void
symbolize_code(struct symbolized *symbolized, const struct image *image, uint64_t addr)
{
    const struct module *module = image_module_at(image, addr);
    *symbolized = (struct symbolized){.addr = addr};
    if (module == NULL)
        return;
    GElf_Addr local = address_in_session(module, addr);
    set_symbol(symbolized, module->file->module, local, false);
    // GNU's compiler and newer ones of LLVM make the symbol of the user's function.
    if (symbolized->symbol != NULL && symbolized->offset == 0)
        symbolized->function = names_readable(symbolized->symbol);
    set_source_line(symbolized, module->file->module, local);
}

/** The file whose data an address may be of: what it does not fill lies behind its mappings. */
static const struct module *
module_of_data(const struct image *image, uint64_t addr)
{
    const struct module *below = NULL, *found = image_module_at(image, addr);
    for (size_t i = 0; i < image->n_modules; i++)
        if (image->modules[i].end <= addr && (!below || image->modules[i].end > below->end))
            below = &image->modules[i];
    return found ? found : below;
}

void
symbolize_data(struct symbolized *symbolized, const struct image *image, uint64_t addr)
{
    const struct module *module = module_of_data(image, addr);
    *symbolized = (struct symbolized){.addr = addr};
    if (module != NULL)
        set_symbol(symbolized, module->file->module, address_in_session(module, addr), true);
}

bool
symbolized_is_outlined(const struct image *image, uint64_t addr, uint64_t *ret)
{
    const struct module *module = image_module_at(image, addr);
    GElf_Off offset = 0;
    GElf_Sym sym;
    const char *name = module != NULL ? dwfl_module_addrinfo(module->file->module,
                                                             address_in_session(module, addr),
                                                             &offset, &sym, NULL, NULL, NULL)
                                      : NULL;
    if (name == NULL || names_mark(name) == NULL)
        return false;
    *ret = addr - offset;
    return true;
}

void
symbolized_deinit(struct symbolized *symbolized)
{
    free(symbolized->symbol);
    free(symbolized->function);
    free(symbolized->file);
}
