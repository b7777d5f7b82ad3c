// SPDX-License-Identifier: BSD-3-Clause
// An input damages the program of a process, with its debug information: what may be read, symbols,
// types, lines, stacks and arguments are asked for.
//
// The first byte chooses the program. The process is made up: it has the program's file mapped, and
// a stack.
#include "ompd-bridge/library/elf_file.h"
#include "tests/fuzz/damage.h"
#include "tests/fuzz/harness.h"
#include "mqshow/stack/callargs.h"
#include "mqshow/stack/callsite.h"
#include "mqshow/mqd/dll_select.h"
#include "mqshow/process/core.h"
#include "mqshow/symbols/image.h"
#include "mqshow/base/named_file.h"
#include "mqshow/symbols/names.h"
#include "mqshow/base/diag.h"
#include "mqshow/stack/threads.h"
#include "mqshow/mqd/trust.h"

#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BASES_MAX = 16, SYMBOLS_MAX = 48, FRAMES = 3, NEEDED_MAX = 64 };
const char *__lsan_default_suppressions(void) __attribute__((visibility("default")));

enum { PROGRAM = 0x555555554000, STACK = 0x7ffffffde000, STACK_SIZE = 0x1000 };

static struct base {
    struct damage damage;
} bases[BASES_MAX];
static size_t n_bases;

/** dwarf_getsrclines() of elfutils 0.188 loses its list of files when a table of lines is damaged.
 * That sessions end, fuzz_core sees to.
 */
const char *
__lsan_default_suppressions(void)
{
    return "leak:libdw.so\n";
}

static void
add_sections(struct base *base)
{
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(base->damage.fd, ELF_C_READ, NULL);
    GElf_Ehdr header;
    GElf_Shdr section;
    size_t programs = 0;
    if (gelf_getehdr(elf, &header) == NULL)
        die("%s is no program", base->damage.path);
    elf_getphdrnum(elf, &programs);
    damage_add_region(&base->damage, 0, sizeof(Elf64_Ehdr) + programs * sizeof(Elf64_Phdr));
    damage_add_region(&base->damage, header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr));
    for (Elf_Scn *at = NULL; (at = elf_nextscn(elf, at)) != NULL;)
        if (gelf_getshdr(at, &section) != NULL && section.sh_type != SHT_NOBITS)
            damage_add_region(&base->damage, section.sh_offset, section.sh_size);
    elf_end(elf);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void) argc, (void) argv;
    glob_t found = {0};
    const char *folder = getenv("FUZZ_CORES");
    char *pattern = alloc_format("%s/*lib*mp", folder != NULL ? folder : CORES);
    glob(pattern, 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc && n_bases < BASES_MAX; i++)
        if (damage_init(&bases[n_bases].damage, found.gl_pathv[i]))
            add_sections(&bases[n_bases++]);
    globfree(&found);
    if (n_bases == 0)
        die("there are no files %s", pattern);
    free(pattern);
    return 0;
}

/** What is looked at before a library is loaded. */
static void
check_library(const char *path, int fd)
{
    struct elf_file file;
    char needed[ELF_NAME_MAX];
    free(trust_check_elf(path));
    named_file_may_be_opened(path);
    if (elf_file_init(&file, fd) != NULL)
        return;
    elf_file_exports(&file, "main");
    elf_file_exports(&file, "ompd_initialize");
    for (unsigned i = 0; i < NEEDED_MAX && elf_file_needs(&file, i, needed); i++)
        continue;
}

static void
ask_types(const struct image *image)
{
    static const char *const types[] = {"struct ompi_status_public_t",
                                        "MPI_Comm",
                                        "int",
                                        "struct _IO_FILE",
                                        "omp_lock_t",
                                        "size_t"};
    static const char *const fields[] = {"_fileno", "MPI_TAG", "_lk", "_flags", "none"};
    struct type_entry entry;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!image_type(image, types[i], &entry))
            continue;
        type_size(&entry);
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
            type_field_offset(&entry, fields[k]);
    }
}

static void
ask_symbols(const struct image *image, const struct module *module)
{
    size_t at = 0;
    uint64_t addr;
    const struct symbol *symbol;
    for (size_t i = 0;
         i < SYMBOLS_MAX && (symbol = objfile_next_symbol(module->file, "", &at)) != NULL; i++) {
        const uint64_t value = symbol->value;
        free(names_readable(symbol->name));
        srcloc_at(module->file, value);
        srcloc_at(module->file, value + 7);
        objfile_function_offset(module->file, value + 1, &addr);
        objfile_function_room(module->file, value);
        objfile_slot_symbol(module->file, value);
        free(callsite_mpi_call(image, module->bias + value + 16));
    }
    free(dll_select_named_by(image));
}

/** A stack whose frames are in the functions of two symbols. */
static void
ask_stack(const struct image *image, uint64_t inner, uint64_t outer)
{
    struct threads threads = {.items = NULL};
    struct thread *thread = threads_add(&threads, 1);
    static const char *const names[] = {"MPI_Recv", "work", "stand_still", "post"};
    const char *name;
    uint64_t value;
    for (size_t i = 0; i < FRAMES; i++) {
        struct registers *registers = alloc_zeroed(1, sizeof *registers);
        thread->frames =
            alloc_grow(thread->frames, thread->n_frames, &thread->capacity, sizeof *thread->frames);
        registers->known = UINT32_MAX;
        registers->values[6] = registers->values[7] = STACK + 64 * i;
        thread->frames[thread->n_frames++] = (struct frame){.address = i == 0 ? inner : outer,
                                                            .pc = i == 0 ? inner : outer - 1,
                                                            .sp = STACK + 64 * i,
                                                            .registers = registers};
    }
    thread->caller = 1;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        callargs_find(image, thread, 1, names[i], &(struct parameter){i, "depth", 4}, &value);
    callargs_mpi_call(image, thread, &name);
    symbolize_threads(&threads, image);
    threads_deinit(&threads);
}

static void
ask(const struct image *image)
{
    static const char *const functions[] = {"main", "post", "stand_still", "work", "_start"};
    enum { FUNCTIONS = sizeof functions / sizeof *functions };
    uint64_t places[FUNCTIONS] = {0};
    ask_types(image);
    for (size_t i = 0; i < image->n_modules; i++)
        ask_symbols(image, &image->modules[i]);
    for (size_t i = 0; i < FUNCTIONS; i++)
        image_symbol(image, functions[i], SYMBOL_FUNCTION, &places[i]);
    for (size_t i = 1; i < FUNCTIONS; i++)
        ask_stack(image, places[i] + 23, places[i - 1] + 37);
}

/** A process that has nothing but the program and a stack. The memory of both is the file. */
static void
look(const struct base *base, int fd)
{
    struct stat st;
    fstat(fd, &st);
    const uint64_t size = (uint64_t) st.st_size;
    struct core_segment segments[] = {{PROGRAM, size, 0, size, false, true},
                                      {STACK, STACK_SIZE, 0, STACK_SIZE, true, false}};
    struct core_mapping mapping = {PROGRAM, PROGRAM + size, 0, (char *) base->damage.path, fd,
                                   true};
    const struct core core = {.path = mapping.path,
                              .fd = fd,
                              .program = mapping.path,
                              .segments = segments,
                              .n_segments = 2,
                              .mappings = &mapping,
                              .n_mappings = 1};
    struct objfiles files = {NULL};
    struct image image;
    char *problem = image_init_core(&image, &files, &core);
    if (problem == NULL) {
        image_prepare(&image);
        ask(&image);
    }
    free(problem);
    image_deinit(&image);
    objfiles_deinit(&files);
    image_close_sessions();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct base *base = &bases[*data % n_bases];
    damage_do(&base->damage, data + 1, size - 1);
    int fd = open(base->damage.path, O_RDONLY | O_CLOEXEC);
    check_library(base->damage.path, fd);
    if (named_file_may_be_read(fd, base->damage.path, NULL))
        look(base, fd);
    close(fd);
    damage_mend(&base->damage);
    return 0;
}
