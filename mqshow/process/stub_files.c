// SPDX-License-Identifier: BSD-3-Clause
// The files of a process that a debugger holds: which they are, by the list of the dynamic linker
// in its memory, and opening them here or through the stub.
#include "mqshow/process/stub.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/build_id.h"
#include "mqshow/base/named_file.h"
#include "mqshow/process/core.h"
#include "mqshow/process/debuggee.h"
#include "mqshow/process/memory.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    HEAD_BYTES = 1 << 16,
    MODULES_MAX = 4096,
    HEADERS_MAX = 256,
    DYNAMIC_MAX = 512,    // entries of the program's dynamic section
    FILE_MAX = 512 << 20, // bytes of a file that comes through the stub
};

/** What is in memory of a file's beginning, of as much as its first piece has. */
struct head {
    bool known;
    struct build_id id;
};

static struct head
head_at(struct stub *stub, uint64_t addr, uint64_t size)
{
    char *bytes = alloc_zeroed(HEAD_BYTES, 1);
    size_t n = stub_read_some(stub, addr, size < HEAD_BYTES ? (size_t) size : HEAD_BYTES, bytes);
    struct head ret;
    ret.known = build_id_of_start(bytes, n, &ret.id);
    free(bytes);
    return ret;
}

/** The first program header of a kind. @return false: there is none */
static bool
find_header(Elf *elf, GElf_Word type, GElf_Phdr *ret)
{
    size_t count;
    if (elf == NULL || elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count && i < INT_MAX; i++)
        if (gelf_getphdr(elf, (int) i, ret) != NULL && ret->p_type == type)
            return true;
    return false;
}

/** Where the program's addresses are in memory, by its headers. */
static uint64_t
program_bias(const struct stub *stub, Elf *elf)
{
    GElf_Phdr header;
    GElf_Ehdr file;
    if (find_header(elf, PT_PHDR, &header))
        return stub->headers - header.p_vaddr;
    if (!find_header(elf, PT_LOAD, &header) || gelf_getehdr(elf, &file) == NULL)
        return 0;
    return stub->headers - file.e_phoff - (header.p_vaddr - header.p_offset);
}

/** Whether an open file is what is in memory. @param bias NULL: it is the program */
static bool
is_the_one(struct stub *stub, int fd, const uint64_t *bias, uint64_t *ret_bias)
{
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    GElf_Phdr first;
    bool good = find_header(elf, PT_LOAD, &first);
    if (good) {
        struct build_id found = build_id_of(elf);
        *ret_bias = bias != NULL ? *bias : program_bias(stub, elf);
        struct head head = head_at(stub, *ret_bias + first.p_vaddr - first.p_offset,
                                   first.p_offset + first.p_filesz);
        // What a debugger took from a core may lack it: then it has to be believed.
        good = !head.known || build_id_equals(&head.id, &found);
    }
    elf_end(elf);
    return good;
}

/** Copies a file through the stub. @return -1: it cannot be had */
static int
copy_file(struct stub *stub, const char *path)
{
    struct rsp *rsp = &stub->rsp;
    size_t length = strlen(path), done = 0;
    char name[RSP_QUESTION_MAX];
    if (2 * length >= sizeof name - 32)
        return -1;
    for (size_t i = 0; i < length; i++)
        snprintf(name + 2 * i, 3, "%02x", (unsigned char) path[i]);
    if (!rsp_ask(rsp, "vFile:open:%s,0,0", name) || rsp->size < 2 || rsp->reply[0] != 'F' ||
        rsp->reply[1] == '-')
        return -1;
    unsigned long file = strtoul(rsp->reply + 1, NULL, 16);
    int fd = memfd_create("module", MFD_CLOEXEC);
    bool good = fd >= 0;
    while (good && done < FILE_MAX) {
        good = rsp_ask(rsp, "vFile:pread:%lx,%zx,%zx", file, rsp->packet_size / 2, done) &&
               rsp->reply[0] == 'F' && rsp->reply[1] != '-';
        const char *data = good ? memchr(rsp->reply, ';', rsp->size) : NULL;
        size_t n = data != NULL ? rsp->size - (size_t) (data + 1 - rsp->reply) : 0;
        if (n == 0)
            break;
        good = write(fd, data + 1, n) == (ssize_t) n;
        done += n;
    }
    rsp_ask(rsp, "vFile:close:%lx", file);
    if (good && done > 0 && done < FILE_MAX)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static int
open_here(const char *path)
{
    int fd = named_file_may_be_opened(path) ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
    if (fd < 0 || named_file_may_be_read(fd, path, NULL))
        return fd;
    close(fd);
    return -1;
}

/** Adds a file that is loaded.
 * @param path where it is in the process, and `place` on this machine
 * @param bias NULL: it is the program
 */
static void
add_module(struct stub *stub, const char *path, const char *place, const uint64_t *bias)
{
    struct stub_module module = {.bias = 0};
    char *resolved = realpath(place, NULL);
    module.path = resolved != NULL ? resolved : alloc_text(path);
    int here = open_here(place);
    module.fd = here;
    if (here < 0 || !is_the_one(stub, here, bias, &module.bias)) {
        module.fd = copy_file(stub, path);
        if (module.fd >= 0 && (!named_file_may_be_read(module.fd, path, NULL) ||
                               !is_the_one(stub, module.fd, bias, &module.bias))) {
            close(module.fd);
            module.fd = -1;
        }
        if (here >= 0)
            close(here);
    }
    if (module.fd < 0) {
        *ALLOC_ADD(stub->problems, stub->n_problems, stub->problems_capacity) = alloc_format(
            here >= 0 ? "%s is not the file that the process has loaded: its build-id differs"
                      : "%s, which the process has loaded, cannot be read",
            place);
        free(module.path);
        return;
    }
    *ALLOC_ADD(stub->modules, stub->n_modules, stub->modules_capacity) = module;
}

static void
add_program(struct stub *stub)
{
    char *place = stub->places->program != NULL ? alloc_text(stub->program)
                                                : named_file_place(stub->places, stub->program);
    add_module(stub, stub->program, place, NULL);
    free(place);
}

static void
add_library(struct stub *stub, const char *path, uint64_t bias)
{
    char *place = named_file_place(stub->places, path);
    add_module(stub, path, place, &bias);
    free(place);
}

/** Address of the program's dynamic section, by its headers in memory; 0: it has none. */
static uint64_t
find_dynamic(struct stub *stub)
{
    uint64_t own = 0, dynamic = 0;
    bool wide = stub->pointer_size == 8;
    size_t size = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    for (size_t i = 0; i < stub->n_headers && i < HEADERS_MAX; i++) {
        union {
            Elf64_Phdr wide;
            Elf32_Phdr narrow;
        } header;
        if (!stub_read(stub, stub->headers + i * size, size, &header))
            return 0;
        uint32_t type = wide ? header.wide.p_type : header.narrow.p_type;
        uint64_t addr = wide ? header.wide.p_vaddr : header.narrow.p_vaddr;
        own = type == PT_PHDR ? stub->headers - addr : own;
        dynamic = type == PT_DYNAMIC ? addr : dynamic;
    }
    return dynamic != 0 ? dynamic + own : 0;
}

/** The first entry of the dynamic linker's list; 0: none. */
static uint64_t
first_map(struct stub *stub, const struct debuggee *memory)
{
    uint64_t at = find_dynamic(stub), entry[2], debug[2];
    for (int i = 0; at != 0 && i < DYNAMIC_MAX && memory_read_map(memory, at, 2, entry); i++) {
        if (entry[0] == DT_NULL)
            break;
        if (entry[0] == DT_DEBUG)
            return entry[1] != 0 && memory_read_map(memory, entry[1], 2, debug) ? debug[1] : 0;
        at += 2 * (uint64_t) memory->pointer_size;
    }
    return 0;
}

/** Reads a path up to its NUL. */
static bool
read_path(struct stub *stub, uint64_t addr, char *ret, size_t size)
{
    size_t n = stub_read_some(stub, addr, size, ret);
    return n > 0 && *ret == '/' && memchr(ret, '\0', n) != NULL;
}

void
stub_open_files(struct stub *stub)
{
    const struct debuggee memory = {.stub = stub, .pointer_size = stub->pointer_size};
    uint64_t map[MAP_WORDS], first = first_map(stub, &memory), at = first;
    char path[PATH_MAX];
    elf_version(EV_CURRENT);
    add_program(stub);
    for (int i = 0; i < MODULES_MAX && at != 0 && stub->rsp.error == NULL &&
                    memory_read_map(&memory, at, MAP_WORDS, map);
         i++) {
        if (i > 0 && read_path(stub, map[MAP_NAME], path, sizeof path)) // the first is the program
            add_library(stub, path, map[MAP_BIAS]);
        at = map[MAP_NEXT] != first ? map[MAP_NEXT] : 0;
    }
}

bool
stub_report(struct stub *stub, Dwfl *session)
{
    dwfl_report_begin(session);
    for (size_t i = 0; i < stub->n_modules; i++)
        core_report_file(session, stub->modules[i].path, stub->modules[i].fd, stub->modules[i].bias,
                         true);
    char *bytes = alloc_bytes(VDSO_MAX);
    size_t n = stub->vdso != 0 ? stub_read_some(stub, stub->vdso, VDSO_MAX, bytes) : 0;
    bool good = core_report_end(session, stub->vdso, bytes, n);
    free(bytes);
    return good;
}
