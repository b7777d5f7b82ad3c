// SPDX-License-Identifier: BSD-3-Clause
// An input damages the core of a process: its headers, its notes, or its memory where that is read.
//
// The first byte chooses the core, one of those in the folder that FUZZ_CORES names. The files that
// the process had loaded are read once.
#include "tests/fuzz/damage.h"
#include "tests/fuzz/harness.h"
#include "mqshow/process/core.h"
#include "mqshow/run/sample.h"
#include "mqshow/base/options.h"
#include "mqshow/text/print.h"
#include "mqshow/mqd/recording.h"
#include "mqshow/base/diag.h"
#include "mqshow/verdict/labels.h"
#include "mqshow/verdict/text.h"
#include "mqshow/run/document_print.h"

#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <unistd.h>

const char *__lsan_default_suppressions(void) __attribute__((visibility("default")));

enum {
    BASES_MAX = 16,
    WORDS = 10,
    STACK = 2048, // bytes
    FOREIGN_MAX = 8,
    HEADERS_TIMES = 24,
    NOTES_TIMES = 24
};

/** A core, and the run that looks at it again and again. */
static struct base {
    struct damage damage;
    char *argv[WORDS];
    struct options options;
    struct run run;
    const struct objfile *newest; // file that the sound core needs
} bases[BASES_MAX];
static size_t n_bases;
static FILE *nowhere;

/** Where bytes of the process's memory are in the core. */
static void
add_memory(struct base *base, const struct core *core, uint64_t addr, uint64_t size)
{
    for (size_t i = 0; i < core->n_segments; i++) {
        const struct core_segment *segment = &core->segments[i];
        uint64_t at = addr - segment->start;
        if (addr >= segment->start && at < segment->held)
            damage_add_region(&base->damage, segment->offset + at,
                              size < segment->held - at ? size : segment->held - at);
    }
}

/** The stacks of the threads, as their registers say. */
static void
add_stacks(struct base *base, const struct core *core, const GElf_Phdr *notes)
{
    GElf_Nhdr note;
    size_t at = 0, name, desc;
    Elf_Data *data =
        elf_getdata_rawchunk(core->elf, (int64_t) notes->p_offset, notes->p_filesz, ELF_T_NHDR);
    while (data != NULL && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
        struct elf_prstatus status;
        if (note.n_type != NT_PRSTATUS || note.n_descsz < sizeof status)
            continue;
        memcpy(&status, (char *) data->d_buf + desc, sizeof status);
        const struct user_regs_struct *registers = (const void *) status.pr_reg;
        add_memory(base, core, registers->rsp, STACK);
    }
}

/** Small regions count as often as many of those of the memory. */
static void
add_headers(struct base *base, const struct core *core)
{
    size_t count = 0;
    GElf_Phdr header;
    elf_getphdrnum(core->elf, &count);
    for (int i = 0; i < HEADERS_TIMES; i++)
        damage_add_region(&base->damage, 0, sizeof(Elf64_Ehdr) + count * sizeof(Elf64_Phdr));
    for (size_t i = 0; i < count; i++) {
        if (gelf_getphdr(core->elf, (int) i, &header) == NULL || header.p_type != PT_NOTE)
            continue;
        for (int k = 0; k < NOTES_TIMES; k++)
            damage_add_region(&base->damage, header.p_offset, header.p_filesz);
        add_stacks(base, core, &header);
    }
}

/** What the library has read, as a record of it says. */
static void
add_read(struct base *base, const struct core *core, FILE *record)
{
    char *line = NULL;
    size_t room = 0;
    rewind(record);
    while (getline(&line, &room, record) > 0) {
        uint64_t addr;
        int at = 0;
        if (sscanf(line, "memory 0x%" SCNx64 " %n", &addr, &at) == 1)
            add_memory(base, core, addr, 64);
    }
    free(line);
}

static void
print(struct document *document)
{
    const struct document_form form = {.flags = JSON_INDENT(1)};
    struct verdict verdict;
    labels_set(document);
    verdict_init(&verdict, document);
    verdict_print(&verdict, nowhere, (struct verdict_style){.all = true});
    document_print(nowhere, document, &verdict, &form);
    verdict_deinit(&verdict);
    print_text(nowhere, document->reports, 1, (struct style){.all = true, .stacks = true});
}

static void
look(struct base *base, struct core *core)
{
    struct run *run = &base->run;
    job_deinit(&run->job);
    run->job = (struct job){.items = NULL};
    job_add_core(&run->job, core);
    run->document = document_create(1);
    sample_one(run, 0);
    print(run->document);
    document_destroy(run->document);
    sample_close(run, 0);
}

static const struct named_places as_named;

/** Looks at the sound core, and notes what of it was read. */
static void
prepare(struct base *base)
{
    char path[] = "/tmp/fuzz_core.XXXXXX";
    int fd = mkstemp(path);
    FILE *record = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (record == NULL)
        die("cannot make a file in /tmp");
    struct core *core = core_create(base->damage.path, &as_named);
    base->options.record = path;
    look(base, core);
    base->options.record = NULL;
    remove(path);
    add_headers(base, core);
    add_read(base, core, record);
    fclose(record);
    // The job owns the core.
    base->newest = base->run.files.first;
}

static void
begin(struct base *base)
{
    char *const words[WORDS] = {"fuzz_core",      "--core", "--all", "--stacks",       "--icvs",
                                "--control-vars", "--dll",  DLL,     base->damage.path};
    memcpy(base->argv, words, sizeof words);
    optind = 0;
    options_init(&base->options, WORDS - 1, base->argv);
    base->run = (struct run){.options = &base->options, .count = 1, .n_here = 1};
    base->run.debuggees = alloc_zeroed(1, sizeof *base->run.debuggees);
    char *problem = dll_open(&base->run.dll, DLL);
    if (problem != NULL)
        die("%s", problem);
    base->run.dll.mqs_setup_basic_callbacks(&host_basic);
    prepare(base);
}

/** libdw 0.188 loses what it follows the threads of a core with when their notes are damaged. That
 * sessions end, their files tell.
 */
const char *
__lsan_default_suppressions(void)
{
    return "leak:libdw.so\n";
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void) argc, (void) argv;
    glob_t found = {0};
    const char *folder = getenv("FUZZ_CORES");
    char *pattern = alloc_format("%s/*.core", folder != NULL ? folder : CORES);
    nowhere = fopen("/dev/null", "w");
    glob(pattern, 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc && n_bases < BASES_MAX; i++)
        if (damage_init(&bases[n_bases].damage, found.gl_pathv[i]))
            begin(&bases[n_bases++]);
    globfree(&found);
    if (n_bases == 0 || nowhere == NULL)
        die("there are no files %s", pattern);
    free(pattern);
    return 0;
}

/** A session that has not ended keeps its files open. */
static void
check_that_sessions_ended(void)
{
    enum { FILES_MAX = 1024 };
    static int first;
    int open_files = 0;
    for (int fd = 0; fd < FILES_MAX; fd++)
        open_files += fcntl(fd, F_GETFD) >= 0;
    if (first != 0 && open_files > first)
        abort();
    first = open_files;
}

/** Files that only damaged cores name are forgotten from time to time, with all others. */
static void
forget_files(void)
{
    static size_t foreign;
    for (size_t i = 0; i < n_bases; i++)
        foreign += bases[i].run.files.first != bases[i].newest;
    if (foreign <= FOREIGN_MAX * n_bases)
        return;
    foreign = 0;
    for (size_t i = 0; i < n_bases; i++)
        objfiles_deinit(&bases[i].run.files);
    image_close_sessions();
    check_that_sessions_ended();
    for (size_t i = 0; i < n_bases; i++)
        bases[i].newest = NULL;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct base *base = &bases[*data % n_bases];
    damage_do(&base->damage, data + 1, size - 1);
    look(base, core_create(base->damage.path, &as_named));
    damage_mend(&base->damage);
    if (base->newest == NULL)
        base->newest = base->run.files.first;
    forget_files();
    return 0;
}
