// SPDX-License-Identifier: BSD-3-Clause
// Collects the places that instructions name relative to themselves.
#include "target/code.h"

#include <string.h>

enum { CODE_MIN = 16 };

static void
add_reference(struct code_references *references, taddr addr, bool loads)
{
    for (unsigned i = 0; i < references->count; i++)
        if (references->at[i].addr == addr && references->at[i].loads == loads)
            return;
    if (references->count < CODE_REFERENCES)
        references->at[references->count++] = (struct code_reference){addr, loads};
}

const struct machine *
code_machine(const uint8_t *code, size_t size, taddr addr)
{
    struct insn insn;
    for (size_t i = 0; addr % 4 == 0 && i + 4 <= size; i += 4)
        if (machine_decode(&machine_aarch64, code + i, 4, addr + i, &insn) &&
            insn.kind == INSN_RETURN)
            return &machine_aarch64;
    return &machine_x86_64;
}

enum status
code_read(struct inferior *inf, taddr addr, size_t *size, uint8_t *ret)
{
    enum status status = inferior_read(inf, addr, *size, ret);
    while (status == STATUS_UNREADABLE && *size / 2 >= CODE_MIN) {
        *size /= 2;
        status = inferior_read(inf, addr, *size, ret);
    }
    return status;
}

static void
add_call(struct code_calls *calls, taddr addr)
{
    for (unsigned i = 0; i < calls->count; i++)
        if (calls->at[i] == addr)
            return;
    if (calls->count < CODE_CALLS)
        calls->at[calls->count++] = addr;
}

// What code refers to and calls.
struct found {
    struct code_references references;
    struct code_calls calls;
};

static void
scan(const uint8_t *code, size_t size, taddr addr, struct found *ret)
{
    const struct machine *machine = code_machine(code, size, addr);
    struct insn_refs refs = {.addresses = {0}};
    struct insn insn;
    for (size_t at = 0; machine_sweep(machine, code, size, addr, &at, &insn);) {
        const taddr found = insn_refs_address(&refs, &insn);
        insn_refs_apply(&refs, &insn);
        // What is computed from a place is named by no instruction.
        if (insn.kind == INSN_ADDRESS && insn.to >= 0)
            refs.addresses[insn.to] = 0;
        if (found != 0 && insn.kind != INSN_PAGE && insn.kind != INSN_CALL &&
            insn.kind != INSN_JUMP)
            add_reference(&ret->references, found, insn.memory);
        if (insn.kind == INSN_CALL && insn.target != 0)
            add_call(&ret->calls, insn.target);
    }
}

enum { KNOWN = 32, KNOWN_REFERENCES = 128 };

// Code that was scanned, so that it is not again at each look.
struct known_code {
    struct code_key {
        taddr addr;
        size_t size;   // bytes; 0: none
        uint64_t hash; // of them
    } key;
    unsigned n_references, n_calls;
    struct code_reference references[KNOWN_REFERENCES];
    taddr calls[CODE_CALLS];
};

struct code_memo {
    struct known_code known[KNOWN];
    unsigned next; // whose place is taken next
};

static uint64_t
hash(const uint8_t *code, size_t size)
{
    uint64_t ret = size, word = 0;
    for (size_t i = 0; i < size; i += sizeof(word)) {
        memcpy(&word, code + i, size - i < sizeof(word) ? size - i : sizeof(word));
        ret = (ret ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        ret ^= ret >> 32;
    }
    return ret;
}

static bool
recall(const struct inferior *inf, struct code_key key, struct found *ret)
{
    for (unsigned i = 0; inf->code && i < KNOWN; i++) {
        const struct known_code *known = &inf->code->known[i];
        if (known->key.addr != key.addr || known->key.size != key.size ||
            known->key.hash != key.hash)
            continue;
        ret->references.count = known->n_references;
        ret->calls.count = known->n_calls;
        memcpy(ret->references.at, known->references,
               known->n_references * sizeof(*known->references));
        memcpy(ret->calls.at, known->calls, known->n_calls * sizeof(*known->calls));
        return true;
    }
    return false;
}

// Without memory for it the code is scanned again the next time.
static void
remember(struct inferior *inf, struct code_key key, const struct found *found)
{
    if (!inf->code) {
        inf->code = inf->target.ops->alloc(sizeof(*inf->code));
        if (inf->code)
            memset(inf->code, 0, sizeof(*inf->code));
    }
    if (!inf->code || found->references.count > KNOWN_REFERENCES)
        return;
    struct known_code *known = &inf->code->known[inf->code->next++ % KNOWN];
    known->key = key;
    known->n_references = found->references.count;
    known->n_calls = found->calls.count;
    memcpy(known->references, found->references.at,
           known->n_references * sizeof(*known->references));
    memcpy(known->calls, found->calls.at, known->n_calls * sizeof(*known->calls));
}

enum status
code_function(struct inferior *inf, const char *function, taddr *ret)
{
    if (inf->model.pointer_size != 8 || inf->model.big_endian)
        return trail_begin(&inf->trail, STATUS_UNSUPPORTED,
                           "machine code can be read of x86-64 and aarch64 only");
    if (!inf->target.ops->find_function(inf->target.host, function, ret))
        return trail_begin(&inf->trail, STATUS_ABSENT, "there is no function %s", function);
    return STATUS_OK;
}

static enum status
read_function(struct inferior *inf, taddr addr, size_t *size, uint8_t *ret)
{
    if (*size > CODE_BYTES)
        return trail_begin(&inf->trail, STATUS_MISUSE, "%zu bytes of code", *size);
    return code_read(inf, addr, size, ret);
}

static enum status
find_in(struct inferior *inf, taddr addr, size_t size, struct found *ret)
{
    uint8_t code[CODE_BYTES];
    ret->references.count = ret->calls.count = 0;
    TRY(read_function(inf, addr, &size, code));
    const struct code_key key = {addr, size, hash(code, size)};
    if (recall(inf, key, ret))
        return STATUS_OK;
    scan(code, size, addr, ret);
    remember(inf, key, ret);
    return STATUS_OK;
}

enum status
code_references_at(struct inferior *inf, taddr addr, size_t size, struct code_references *ret)
{
    struct found found;
    const enum status status = find_in(inf, addr, size, &found);
    *ret = found.references;
    return status;
}

enum status
code_references(struct inferior *inf, const char *function, size_t size,
                struct code_references *ret)
{
    taddr addr;
    ret->count = 0;
    TRY(code_function(inf, function, &addr));
    return code_references_at(inf, addr, size, ret);
}

enum status
code_calls_at(struct inferior *inf, taddr addr, size_t size, struct code_calls *ret)
{
    struct found found;
    const enum status status = find_in(inf, addr, size, &found);
    *ret = found.calls;
    return status;
}

enum status
code_calls(struct inferior *inf, const char *function, size_t size, struct code_calls *ret)
{
    taddr addr;
    ret->count = 0;
    TRY(code_function(inf, function, &addr));
    return code_calls_at(inf, addr, size, ret);
}

enum { GIVEN_BYTES = 256 }; // of a function that are looked at for what it gives

// What is known of registers on the way through a function.
struct given {
    struct insn_refs refs;
    taddr loaded[MACHINE_REGISTERS]; // where the four bytes in it are from; 0: not known
    uint32_t argument;               // 1 << register, of those that hold the first argument
};

// Where an instruction loads from; code may take a variable's address from a table.
static taddr
loaded_from(struct inferior *inf, const struct given *given, const struct insn *insn)
{
    const taddr slot = insn->base >= 0 ? given->refs.slots[insn->base] : 0;
    taddr variable;
    const taddr addr = insn_refs_address(&given->refs, insn);
    if (addr != 0 || slot == 0 || inferior_read_pointer(inf, slot, &variable) != STATUS_OK)
        return addr;
    return variable + (taddr) insn->offset;
}

static void
given_apply(struct inferior *inf, struct given *given, const struct insn *insn)
{
    const bool copies = insn->kind == INSN_COPY && insn->width == sizeof(taddr) &&
                        (given->argument >> insn->from & 1) != 0;
    const taddr from = insn->kind == INSN_LOAD && insn->width == sizeof(int32_t)
                           ? loaded_from(inf, given, insn)
                           : 0;
    uint32_t written = insn->clobbers;
    if (insn->to >= 0)
        written |= UINT32_C(1) << insn->to;
    if (insn->kind == INSN_LOAD && insn->second >= 0)
        written |= UINT32_C(1) << insn->second;
    for (unsigned i = 0; i < MACHINE_REGISTERS; i++)
        if ((written >> i & 1) != 0)
            given->loaded[i] = 0;
    given->argument &= ~written;
    if (copies)
        given->argument |= UINT32_C(1) << insn->to;
    if (insn->to >= 0 && from != 0)
        given->loaded[insn->to] = from;
    insn_refs_apply(&given->refs, insn);
}

// Code up to its first return.
static taddr
find_given(struct inferior *inf, taddr addr)
{
    uint8_t code[GIVEN_BYTES];
    size_t size = sizeof(code);
    struct given given = {.argument = 0};
    struct insn insn;
    if (read_function(inf, addr, &size, code) != STATUS_OK)
        return 0;
    const struct machine *machine = code_machine(code, size, addr);
    given.argument = UINT32_C(1) << machine->arguments[0];
    for (size_t at = 0;
         machine_sweep(machine, code, size, addr, &at, &insn) && insn.kind != INSN_RETURN;
         given_apply(inf, &given, &insn))
        if (insn.kind == INSN_STORE && insn.written == sizeof(int32_t) && insn.offset == 0 &&
            insn.base >= 0 && (given.argument >> insn.base & 1) != 0 && insn.from >= 0 &&
            given.loaded[insn.from] != 0)
            return given.loaded[insn.from];
    return 0;
}

enum status
code_given_int(struct inferior *inf, const char *function, taddr *ret)
{
    struct code_calls calls;
    taddr addr;
    TRY(code_function(inf, function, &addr));
    *ret = find_given(inf, addr);
    TRY(code_calls_at(inf, addr, GIVEN_BYTES, &calls));
    for (unsigned i = 0; i < calls.count && *ret == 0; i++)
        *ret = find_given(inf, calls.at[i]);
    return *ret != 0
               ? STATUS_OK
               : trail_begin(&inf->trail, STATUS_ABSENT, "the code of %s gives no int", function);
}

bool
code_is_version(const char *text)
{
    const size_t major = strspn(text, "0123456789");
    return major > 0 && major < 4 && text[major] == '.' && text[major + 1] >= '0' &&
           text[major + 1] <= '9';
}

static bool
find_text(struct inferior *inf, const struct code_references *found, bool (*is)(const char *text),
          char *ret, size_t ret_size, taddr *ret_addr)
{
    for (unsigned i = 0; i < found->count; i++) {
        *ret_addr = found->at[i].addr;
        if (!found->at[i].loads &&
            inferior_read_string(inf, *ret_addr, ret_size, ret) == STATUS_OK && is(ret))
            return true;
    }
    return false;
}

enum { TEXT_CODE = 256 }; // bytes of a function that are looked at for texts

enum status
code_text(struct inferior *inf, const char *function, bool (*is)(const char *text), char *ret,
          size_t ret_size, taddr *ret_addr)
{
    struct code_references found;
    struct code_calls calls;
    TRY(code_references(inf, function, TEXT_CODE, &found));
    if (find_text(inf, &found, is, ret, ret_size, ret_addr))
        return STATUS_OK;
    TRY(code_calls(inf, function, TEXT_CODE, &calls));
    for (unsigned i = 0; i < calls.count; i++)
        if (code_references_at(inf, calls.at[i], TEXT_CODE, &found) == STATUS_OK &&
            find_text(inf, &found, is, ret, ret_size, ret_addr))
            return STATUS_OK;
    return trail_begin(&inf->trail, STATUS_ABSENT, "the code of %s names no such text", function);
}
