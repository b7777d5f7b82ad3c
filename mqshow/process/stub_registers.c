// SPDX-License-Identifier: BSD-3-Clause
// The registers of the threads that a debugger holds.
//
// Those that libdwfl wants have their places in a reply to "g" on every stub. Where others are, the
// stub's description tells, in which registers stand in the order of that reply (GDB's manual,
// "Target Descriptions").
#include "mqshow/process/stub.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPLY_BYTES = 1 << 13, BITS_MAX = 1 << 12 };

/** Where registers are that have names. */
struct described {
    const struct regset *regset;
    size_t count, bytes;          // of the registers so far
    bool broken;                  // where the next ones are is not known
    size_t offsets[REGSET_NAMED]; // 0: not known
};

static void
add_register(struct described *described, const char **attributes)
{
    const char *name = "";
    unsigned long bits = 0, number = described->count;
    for (; *attributes != NULL; attributes += 2) {
        name = strcmp(attributes[0], "name") == 0 ? attributes[1] : name;
        bits = strcmp(attributes[0], "bitsize") == 0 ? strtoul(attributes[1], NULL, 10) : bits;
        number = strcmp(attributes[0], "regnum") == 0 ? strtoul(attributes[1], NULL, 10) : number;
    }
    described->broken |= bits == 0 || bits > BITS_MAX || bits % 8 != 0 ||
                         number != described->count || described->bytes > REPLY_BYTES;
    int known = regset_named(described->regset, name);
    if (known >= 0 && !described->broken)
        described->offsets[known] = described->bytes;
    described->bytes += bits / 8;
    described->count++;
}

static void
start_element(void *arg, const char *name, const char **attributes)
{
    struct described *described = arg;
    described->broken |= strcmp(name, "xi:include") == 0; // which may have registers
    if (strcmp(name, "reg") == 0 && !described->broken)
        add_register(described, attributes);
}

/** Takes the registers of a thread. @param maps of the process; NULL: not known */
static void
copy_registers(struct stub *stub, const struct described *described, const struct maps *maps,
               struct copied_thread *thread)
{
    unsigned char bytes[REPLY_BYTES];
    struct rsp *rsp = &stub->rsp;
    char pid[16] = "";
    if (stub->names_pids)
        snprintf(pid, sizeof pid, "p%x.", (unsigned) stub->pid);
    if (described->regset == NULL || !rsp_ask(rsp, "Hg%s%x", pid, (unsigned) thread->tid) ||
        strcmp(rsp->reply, "OK") != 0 || !rsp_ask(rsp, "g") || rsp_is_error(rsp))
        return;
    size_t n = rsp_from_hex(rsp->reply, rsp->size, bytes, sizeof bytes);
    thread->size = regset_from_stub(described->regset, bytes, n, thread->registers);
    if (thread->size == 0)
        return;
    thread->regset = described->regset;
    bool tells_call = regset_add_named(described->regset, described->offsets, bytes, n,
                                       thread->registers, &thread->size);
    copy_call(thread, maps);
    thread->call.known &= tells_call;
}

void
stub_copy(struct stub *stub, GElf_Half machine, struct copy *copy)
{
    struct described described = {.regset = regset_of(machine)};
    struct maps maps = {.count = 0};
    *copy = (struct copy){.n_threads = stub->n_threads};
    copy->threads = alloc_zeroed(stub->n_threads, sizeof *copy->threads);
    if (machine == EM_X86_64)
        stub_parse(stub, "features", "target.xml", start_element, &described);
    if (stub_is_local(stub))
        maps_init(&maps, stub->pid);
    for (size_t i = 0; i < stub->n_threads; i++) {
        copy->threads[i].tid = stub->threads[i].tid;
        copy_registers(stub, &described, maps.count > 0 ? &maps : NULL, &copy->threads[i]);
    }
    maps_deinit(&maps);
}
