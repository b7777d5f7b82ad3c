// SPDX-License-Identifier: BSD-3-Clause
// One file that processes have loaded, with its symbols and types, shared by all of them.
#include "mqshow/symbols/objfile.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/build_id.h"
#include "mqshow/symbols/srcloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/diag.h"
#include "mqshow/base/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_MAX_SHOWN = 4096, TEXTS_MAX = 16 << 20 }; // bytes

static const char *
module_path(Dwfl_Module *module)
{
    const char *path = NULL;
    const char *name = dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &path, NULL);
    return path != NULL ? path : name;
}

static char *
module_key(Dwfl_Module *module)
{
    const unsigned char *bytes;
    GElf_Addr vaddr;
    int length = dwfl_module_build_id(module, &bytes, &vaddr);
    const struct build_id found = build_id(bytes, length);
    return found.length > 0 ? build_id_text(&found) : alloc_text(module_path(module));
}

struct objfile *
objfiles_get(struct objfiles *files, Dwfl_Module *module, uint64_t *ret_bias)
{
    GElf_Addr bias;
    if (dwfl_module_getelf(module, &bias) == NULL)
        return NULL;
    *ret_bias = bias;
    char *key = module_key(module);
    for (struct objfile *file = files->first; file != NULL; file = file->next) {
        if (strcmp(file->key, key) == 0) {
            free(key);
            return file;
        }
    }
    struct objfile *file = alloc_zeroed(1, sizeof *file);
    *file = (struct objfile){.next = files->first,
                             .key = key,
                             .path = escape_text(module_path(module), PATH_MAX_SHOWN),
                             .runtime = runtime_of_file(module_path(module)),
                             .module = module,
                             .bias = bias};
    files->first = file;
    return file;
}

void
objfiles_deinit(struct objfiles *files)
{
    while (files->first != NULL) {
        struct objfile *file = files->first;
        files->first = file->next;
        types_deinit(&file->types);
        srcloc_deinit(file);
        free(file->symbols);
        free(file->error);
        free(file->path);
        free(file->key);
        free(file);
    }
}

// Symbols are in the order of the first bytes of their names, and of a hash of all: the names of a
// large C++ library begin with the same hundred bytes, which would be compared again and again. A
// static symbol table writes versions behind an @, which do not count.

enum { PREFIX_BYTES = 4 };

uint64_t
objfile_symbol_order(const char *name)
{
    uint32_t prefix = 0, hash = 2166136261u; // FNV-1a
    for (size_t i = 0; *name != '\0' && *name != '@'; i++, name++) {
        unsigned char byte = (unsigned char) *name;
        prefix |= i < PREFIX_BYTES ? (uint32_t) byte << 8 * (PREFIX_BYTES - 1 - i) : 0;
        hash = (hash ^ byte) * 16777619u;
    }
    return (uint64_t) prefix << 32 | hash;
}

/** Whether a symbol names something with an address of its own, and of which kind. */
static bool
classify(const GElf_Sym *sym, enum symbol_kind *ret)
{
    const int type = GELF_ST_TYPE(sym->st_info);
    const bool is_code = type == STT_FUNC || type == STT_GNU_IFUNC;
    *ret = is_code ? SYMBOL_FUNCTION : SYMBOL_VARIABLE;
    return is_code || type == STT_NOTYPE || type == STT_OBJECT || type == STT_COMMON;
}

static void
add_symbol(struct objfile *file, int index)
{
    GElf_Sym sym;
    GElf_Addr addr;
    GElf_Word section;
    GElf_Addr bias;
    Elf *elf;
    enum symbol_kind kind;
    const char *name =
        dwfl_module_getsym_info(file->module, index, &sym, &addr, &section, &elf, &bias);
    if (name == NULL || *name == '\0' || section == SHN_UNDEF || section == SHN_ABS ||
        !classify(&sym, &kind))
        return;
    *ALLOC_ADD(file->symbols, file->n_symbols, file->capacity) = (struct symbol){
        .name = name,
        .order = objfile_symbol_order(name),
        .value = addr - file->bias,
        .kind = kind,
        .local = GELF_ST_BIND(sym.st_info) == STB_LOCAL,
    };
}

/** Whether names are equal but for their versions. */
static bool
is_named(const struct symbol *symbol, const char *name)
{
    size_t length = strcspn(name, "@");
    return strncmp(symbol->name, name, length) == 0 &&
           (symbol->name[length] == '\0' || symbol->name[length] == '@');
}

static int
compare_order(const void *key, const void *symbol)
{
    const uint64_t *order = key;
    uint64_t other = ((const struct symbol *) symbol)->order;
    return (*order > other) - (*order < other);
}

static int
compare_symbols(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    int order = compare_order(&a->order, b);
    if (order == 0)
        order = (a->local > b->local) - (a->local < b->local);
    return order != 0 ? order : (a->value > b->value) - (a->value < b->value);
}

static bool
has_symbol_table(Dwfl_Module *module)
{
    GElf_Addr bias;
    GElf_Shdr header;
    Elf *elf = dwfl_module_getelf(module, &bias);
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;)
        if (gelf_getshdr(section, &header) != NULL &&
            (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
            return true;
    return false;
}

static void
read_symbols(struct objfile *file)
{
    if (file->symbols_are_read)
        return;
    file->symbols_are_read = true;
    int count = dwfl_module_getsymtab(file->module);
    if (count < 0) {
        const char *error = dwfl_errmsg(-1);
        file->error = has_symbol_table(file->module) ? escape_text(error, SIZE_MAX) : NULL;
    }
    for (int i = 1; i < count; i++)
        add_symbol(file, i);
    if (file->n_symbols > 0)
        qsort(file->symbols, file->n_symbols, sizeof *file->symbols, compare_symbols);
}

/** Index of the first symbol that is not before `order`. */
static size_t
lower_bound(const struct objfile *file, uint64_t order)
{
    return search_first(&order, file->symbols, file->n_symbols, sizeof *file->symbols,
                        compare_order);
}

const struct symbol *
objfile_symbol_at(struct objfile *file, const char *name, uint64_t order, enum symbol_kind kind)
{
    read_symbols(file);
    for (size_t i = lower_bound(file, order); i < file->n_symbols; i++) {
        const struct symbol *symbol = &file->symbols[i];
        if (symbol->order != order)
            return NULL;
        if (symbol->kind == kind && is_named(symbol, name))
            return symbol;
    }
    return NULL;
}

const struct symbol *
objfile_symbol(struct objfile *file, const char *name, enum symbol_kind kind)
{
    return objfile_symbol_at(file, name, objfile_symbol_order(name), kind);
}

const struct symbol *
objfile_next_symbol(struct objfile *file, const char *prefix, size_t *at)
{
    size_t length = strlen(prefix);
    uint64_t mask = ~(UINT64_MAX >> 8 * (length < PREFIX_BYTES ? length : PREFIX_BYTES));
    uint64_t order = objfile_symbol_order(prefix) & mask;
    read_symbols(file);
    for (size_t i = *at > 0 ? *at : lower_bound(file, order); i < file->n_symbols; i++) {
        const struct symbol *symbol = &file->symbols[i];
        if ((symbol->order & mask) != order)
            return NULL;
        *at = i + 1;
        if (strncmp(symbol->name, prefix, length) == 0)
            return symbol;
    }
    return NULL;
}

bool
objfile_has_openmp(struct objfile *file)
{
    if (!file->openmp_is_known)
        file->has_openmp = file->runtime == RUNTIME_OPENMP ||
                           (file->runtime == RUNTIME_NONE &&
                            (objfile_symbol(file, "GOMP_parallel", SYMBOL_FUNCTION) != NULL ||
                             objfile_symbol(file, "__kmpc_fork_call", SYMBOL_FUNCTION) != NULL));
    file->openmp_is_known = true;
    return file->has_openmp;
}

/** Texts that only an OpenMP runtime has. */
static bool
mentions_openmp(const Elf_Data *data)
{
    static const char *const texts[] = {"\nlibgomp: ", "GOMP_OFFLOAD_version", "LLVM OMP version",
                                        "Intel(R) OMP version"};
    for (size_t i = 0; data != NULL && data->d_buf != NULL && i < sizeof texts / sizeof *texts; i++)
        if (memmem(data->d_buf, data->d_size, texts[i], strlen(texts[i])) != NULL)
            return true;
    return false;
}

bool
objfile_mentions_openmp(struct objfile *file)
{
    GElf_Addr bias;
    GElf_Shdr header;
    size_t names;
    Elf *elf = dwfl_module_getelf(file->module, &bias);
    if (elf == NULL || elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL;
         section = elf_nextscn(elf, section)) {
        const char *name =
            gelf_getshdr(section, &header) != NULL ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name != NULL && strcmp(name, ".rodata") == 0 && header.sh_size <= TEXTS_MAX)
            return mentions_openmp(elf_rawdata(section, NULL));
    }
    return false;
}

enum runtime
objfile_runtime_at(struct objfile *file, uint64_t value)
{
    const char *symbol = NULL;
    if (file->runtime == RUNTIME_NONE && objfile_has_openmp(file))
        symbol = dwfl_module_addrname(file->module, value + file->bias);
    return symbol != NULL ? runtime_of_linked(symbol) : file->runtime;
}

bool
objfile_function_offset(struct objfile *file, uint64_t value, uint64_t *ret)
{
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char *name =
        dwfl_module_addrinfo(file->module, value + file->bias, &offset, &symbol, NULL, NULL, NULL);
    *ret = offset;
    return name != NULL && offset < symbol.st_size && GELF_ST_TYPE(symbol.st_info) == STT_FUNC;
}

uint64_t
objfile_function_room(struct objfile *file, uint64_t value)
{
    uint64_t room = UINT64_MAX;
    read_symbols(file);
    for (size_t i = 0; i < file->n_symbols; i++) {
        const struct symbol *symbol = &file->symbols[i];
        if (symbol->kind == SYMBOL_FUNCTION && symbol->value > value &&
            symbol->value - value < room)
            room = symbol->value - value;
    }
    return room;
}

/** The symbol of a relocation of a section that is for one slot; NULL: there is none. */
static const char *
find_in_relocations(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, uint64_t slot)
{
    GElf_Shdr symbols_header;
    GElf_Rela relocation;
    GElf_Sym symbol;
    Elf_Data *data = elf_getdata(section, NULL);
    Elf_Scn *table = elf_getscn(elf, header->sh_link);
    Elf_Data *symbols = table != NULL ? elf_getdata(table, NULL) : NULL;
    if (data == NULL || symbols == NULL || gelf_getshdr(table, &symbols_header) == NULL)
        return NULL;
    for (int i = 0; gelf_getrela(data, i, &relocation) != NULL; i++)
        if (relocation.r_offset == slot &&
            gelf_getsym(symbols, (int) GELF_R_SYM(relocation.r_info), &symbol) != NULL)
            return elf_strptr(elf, symbols_header.sh_link, symbol.st_name);
    return NULL;
}

const char *
objfile_slot_symbol(struct objfile *file, uint64_t slot)
{
    GElf_Addr bias;
    GElf_Shdr header;
    const char *name = NULL;
    Elf *elf = dwfl_module_getelf(file->module, &bias);
    for (Elf_Scn *section = NULL;
         elf != NULL && name == NULL && (section = elf_nextscn(elf, section)) != NULL;)
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_RELA &&
            (header.sh_flags & SHF_INFO_LINK) != 0) // that of the procedure linkage table
            name = find_in_relocations(elf, section, &header, slot);
    return name;
}

bool
objfile_is_linker(const struct objfile *file)
{
    return strncmp(base_name(module_path(file->module)), "ld", 2) == 0;
}

static void
read_types(struct objfile *file)
{
    GElf_Addr bias;
    if (file->types.are_read)
        return;
    Dwarf *dwarf = dwfl_module_getdwarf(file->module, &bias);
    if (dwarf != NULL)
        diag_progress("reading the types of %s", module_path(file->module));
    types_read(&file->types, dwarf);
}

/** Whether types may be asked of a file: those of MPI and OpenMP are, and those of the user are
 * many. What has a symbol that was asked for may be a program that MPI was linked into.
 */
static bool
has_types(const struct objfile *file)
{
    return file->runtime == RUNTIME_MPI || file->runtime == RUNTIME_OPENMP ||
           (file->runtime == RUNTIME_NONE && file->is_asked);
}

void
objfile_prepare(struct objfile *file)
{
    GElf_Addr bias;
    errno = 0;
    read_symbols(file);
    if (has_types(file))
        read_types(file);
    else if (file->runtime == RUNTIME_NONE) // stacks need its lines
        dwfl_module_getdwarf(file->module, &bias);
    alloc_check_errno();
}

bool
objfile_type(struct objfile *file, const char *name, bool tag_only, struct type_entry *ret)
{
    if (!has_types(file))
        return false;
    read_types(file);
    return types_find(&file->types, name, tag_only, ret);
}
