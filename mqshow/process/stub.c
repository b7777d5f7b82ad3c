// SPDX-License-Identifier: BSD-3-Clause
// A process that a debugger holds: what it is, and its memory.
#include "mqshow/process/stub.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/bytes.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    PAGES = 1 << 14, // that are kept
};

struct page {
    uint64_t addr;
    unsigned char bytes[PAGE];
};

/** Asks for memory, part by part. @return number of bytes, from the first on */
static size_t
fetch(struct stub *stub, uint64_t addr, size_t size, void *ret)
{
    size_t done = 0, most = stub->rsp.packet_size / 2 - 4;
    while (done < size) {
        size_t want = size - done < most ? size - done : most;
        if (!rsp_ask(&stub->rsp, "m%" PRIx64 ",%zx", addr + done, want) || rsp_is_error(&stub->rsp))
            break;
        size_t n = rsp_from_hex(stub->rsp.reply, stub->rsp.size, (char *) ret + done, want);
        done += n;
        if (n == 0)
            break;
    }
    return done;
}

/** A page of memory; NULL: it cannot be read as a whole. */
static const struct page *
find_page(struct stub *stub, uint64_t addr)
{
    struct page **slot = &stub->pages[addr / PAGE % PAGES];
    if (*slot != NULL && (*slot)->addr == addr)
        return *slot;
    struct page *page = *slot != NULL ? *slot : alloc_bytes(sizeof *page);
    *slot = NULL;
    if (fetch(stub, addr, PAGE, page->bytes) != PAGE) {
        free(page);
        return NULL;
    }
    page->addr = addr;
    return *slot = page;
}

size_t
stub_read_some(struct stub *stub, uint64_t addr, size_t size, void *ret)
{
    size_t done = 0;
    while (done < size) {
        uint64_t at = addr + done, offset = at % PAGE;
        size_t room = PAGE - (size_t) offset, want = size - done < room ? size - done : room;
        const struct page *page = find_page(stub, at - offset);
        size_t n = page != NULL ? want : fetch(stub, at, want, (char *) ret + done);
        if (page != NULL)
            memcpy((char *) ret + done, page->bytes + offset, want);
        done += n;
        if (n < want)
            break;
    }
    return done;
}

bool
stub_read(struct stub *stub, uint64_t addr, size_t size, void *ret)
{
    return size > 0 && addr + size >= addr && stub_read_some(stub, addr, size, ret) == size;
}

/** Takes what is needed of the auxiliary vector, if it is of that width.
 * @return false: it is not, by the size of a program header
 */
static bool
take_auxv(struct stub *stub, const char *words, size_t size, size_t width)
{
    size_t expected = width == 8 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    bool is_it = false;
    for (size_t i = 0; i + 1 < size / width; i += 2) {
        const char *entry = words + i * width;
        uint64_t key = bytes_uint(entry, width), value = bytes_uint(entry + width, width);
        is_it |= key == AT_PHENT && value == expected;
        stub->headers = key == AT_PHDR ? value : stub->headers;
        stub->n_headers = key == AT_PHNUM ? (size_t) value : stub->n_headers;
        stub->vdso = key == AT_SYSINFO_EHDR ? value : stub->vdso;
        stub->strings_end = key == AT_EXECFN ? value : stub->strings_end;
    }
    stub->pointer_size = (int) width;
    return is_it && stub->headers != 0;
}

static bool
read_auxv(struct stub *stub)
{
    size_t size = 0;
    char *words = rsp_read_object(&stub->rsp, "auxv", "", &size);
    bool good =
        words != NULL && (take_auxv(stub, words, size, 8) || take_auxv(stub, words, size, 4));
    free(words);
    return good;
}

/** Asks what the process is. @return NULL, or why it cannot be read */
static const char *
examine(struct stub *stub)
{
    struct rsp *rsp = &stub->rsp;
    if (!rsp_begin(rsp) || !rsp_ask(rsp, "?"))
        return rsp->error;
    if (rsp->size == 0 || strchr("TS", rsp->reply[0]) == NULL)
        return "the debugger holds no stopped process";
    stub_list_threads(stub);
    if (stub->n_threads == 0)
        return rsp->error != NULL ? rsp->error : "the debugger lists no threads";
    if (!read_auxv(stub))
        return rsp->error != NULL ? rsp->error
                                  : "the debugger does not provide the auxiliary vector";
    size_t size;
    const char *program = stub->places->program;
    char *path = program != NULL ? alloc_text(program) : NULL, annex[24] = "";
    if (stub->names_pids)
        snprintf(annex, sizeof annex, "%x", (unsigned) stub->pid);
    if (path == NULL)
        path = rsp_read_object(rsp, "exec-file", annex, &size);
    if (path == NULL || *path == '\0') {
        free(path);
        return rsp->error != NULL ? rsp->error
                                  : "the debugger does not name the program: give it with --exe";
    }
    free(stub->program);
    stub->program = path;
    return NULL;
}

struct stub *
stub_create(const char *address, const struct named_places *places)
{
    struct stub *stub = alloc_zeroed(1, sizeof *stub);
    *stub =
        (struct stub){.address = alloc_text(address), .places = places, .program = alloc_text("")};
    stub->pages = alloc_zeroed(PAGES, sizeof *stub->pages);
    char *problem = rsp_init(&stub->rsp, address);
    if (problem == NULL) {
        const char *why = examine(stub);
        problem = why != NULL ? alloc_text(why) : NULL;
    }
    if (problem == NULL)
        stub_open_files(stub);
    if (problem == NULL && stub->rsp.error != NULL)
        problem = alloc_text(stub->rsp.error);
    if (problem == NULL && stub->n_modules == 0)
        problem = alloc_format("%s, the program, cannot be read", stub->program);
    if (problem != NULL)
        stub->unusable = alloc_format("%s: %s", address, problem);
    free(problem);
    return stub;
}

void
stub_release(struct stub *stub)
{
    if (stub->rsp.fd >= 0 && stub->n_threads > 0 && stub->names_pids)
        rsp_ask(&stub->rsp, "D;%x", (unsigned) stub->pid);
    else if (stub->rsp.fd >= 0 && stub->n_threads > 0)
        rsp_ask(&stub->rsp, "D");
    rsp_deinit(&stub->rsp);
}

void
stub_destroy(struct stub *stub)
{
    if (stub == NULL)
        return;
    stub_release(stub);
    for (size_t i = 0; i < stub->n_threads; i++)
        free(stub->threads[i].name);
    for (size_t i = 0; i < stub->n_modules; i++) {
        close(stub->modules[i].fd);
        free(stub->modules[i].path);
    }
    for (size_t i = 0; i < stub->n_problems; i++)
        free(stub->problems[i]);
    for (size_t i = 0; i < PAGES; i++)
        free(stub->pages[i]);
    free(stub->pages);
    free(stub->problems);
    free(stub->modules);
    free(stub->threads);
    free(stub->program);
    free(stub->unusable);
    free(stub->address);
    free(stub);
}
