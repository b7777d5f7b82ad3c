// SPDX-License-Identifier: BSD-3-Clause
// Reading one process, with messages that say what could not be read.
#include "target/inferior.h"

#include <inttypes.h>
#include <string.h>

enum {
    FETCH_MAX = 4096, // bytes that are fetched at once
    STRING_PART = 64, // bytes of a string that are read at once where bytes count
};

enum status
inferior_init(struct inferior *inf, struct target target)
{
    memset(inf, 0, sizeof(*inf));
    inf->target = target;
    trail_reset(&inf->trail);
    if (!target.ops->data_model(target.host, &inf->model) || !datamodel_valid(&inf->model))
        return trail_begin(&inf->trail, STATUS_UNSUPPORTED,
                           "the debugger describes a machine that has no C types");
    if (target.ops->reads_exactly)
        inf->pieces = pieces_create(target, inf->model.pointer_size);
    else
        inf->snapshot = snapshot_create(target, inf->model.pointer_size);
    if (!inf->snapshot && !inf->pieces)
        return trail_begin(&inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
    return STATUS_OK;
}

void
inferior_deinit(struct inferior *inf)
{
    snapshot_destroy(inf->snapshot);
    pieces_destroy(inf->pieces);
    if (inf->target.ops)
        inf->target.ops->free(inf->code);
    inf->snapshot = NULL;
    inf->pieces = NULL;
    inf->code = NULL;
}

void
inferior_refresh(struct inferior *inf)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < inf->n_symbols; i++)
        if (inf->symbols[i].found)
            inf->symbols[kept++] = inf->symbols[i];
    inf->n_symbols = kept;
    if (inf->pieces)
        pieces_forget(inf->pieces);
    else
        snapshot_forget(inf->snapshot);
    trail_reset(&inf->trail);
}

static enum status
read_bytes(struct inferior *inf, taddr addr, size_t size, void *ret)
{
    return inf->pieces ? pieces_read(inf->pieces, addr, size, ret)
                       : snapshot_read(inf->snapshot, addr, size, ret);
}

void
inferior_fetch(struct inferior *inf, taddr addr, size_t size)
{
    uint8_t unused[FETCH_MAX];
    if (inf->pieces && size <= sizeof(unused) &&
        pieces_read(inf->pieces, addr, size, unused) != STATUS_OK)
        return;
}

enum status
inferior_read(struct inferior *inf, taddr addr, size_t size, void *ret)
{
    enum status status = read_bytes(inf, addr, size, ret);
    if (status != STATUS_OK)
        trail_begin(&inf->trail, status, "%zu bytes at 0x%" PRIx64 " cannot be read", size, addr);
    return status;
}

enum status
inferior_read_uint(struct inferior *inf, taddr addr, size_t width, uint64_t *ret)
{
    uint8_t bytes[8];
    if (width != 1 && width != 2 && width != 4 && width != 8)
        return trail_begin(&inf->trail, STATUS_MISUSE, "no integer has %zu bytes", width);
    TRY(inferior_read(inf, addr, width, bytes));
    *ret = datamodel_uint(&inf->model, bytes, width);
    return STATUS_OK;
}

enum status
inferior_read_pointer(struct inferior *inf, taddr addr, taddr *ret)
{
    return inferior_read_uint(inf, addr, inf->model.pointer_size, ret);
}

static size_t
min(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Reads up to and with the NUL, or `size` bytes; page by page, or in small parts where bytes count,
// and in smaller steps when the host does not have as much.
static enum status
read_characters(struct inferior *inf, taddr addr, size_t size, char *ret)
{
    const size_t unit = inf->pieces ? STRING_PART : SNAPSHOT_PAGE;
    size_t step = unit;
    while (size > 0) {
        size_t piece = min(min(step, size), (size_t) (unit - addr % unit));
        enum status status = read_bytes(inf, addr, piece, ret);
        if (status != STATUS_OK && piece == 1)
            return status;
        if (status != STATUS_OK) {
            step = piece / 2;
            continue;
        }
        if (memchr(ret, '\0', piece))
            return STATUS_OK;
        addr += piece;
        ret += piece;
        size -= piece;
    }
    return STATUS_OK;
}

enum status
inferior_read_string(struct inferior *inf, taddr addr, size_t size, char *ret)
{
    enum status status = read_characters(inf, addr, size - 1, ret);
    ret[size - 1] = '\0';
    size_t length = status == STATUS_OK ? strlen(ret) : 0;
    memset(ret + length, 0, size - length);
    if (status != STATUS_OK)
        trail_begin(&inf->trail, status, "the string at 0x%" PRIx64 " cannot be read", addr);
    return status;
}

// The answer that is known already; NULL when there is none.
static const struct symbol *
find_known(const struct inferior *inf, const char *name)
{
    for (unsigned i = 0; i < inf->n_symbols; i++)
        if (strcmp(inf->symbols[i].name, name) == 0)
            return &inf->symbols[i];
    return NULL;
}

static struct symbol
ask_host(struct inferior *inf, const char *name)
{
    struct symbol symbol = {.name = name};
    symbol.found = inf->target.ops->find_symbol(inf->target.host, name, &symbol.addr);
    if (inf->n_symbols < INFERIOR_SYMBOLS)
        inf->symbols[inf->n_symbols++] = symbol;
    return symbol;
}

static void
note_symbol(struct inferior *inf, struct symbol symbol)
{
    unsigned i = 0;
    while (i < inf->n_symbols && strcmp(inf->symbols[i].name, symbol.name) != 0)
        i++;
    if (i == INFERIOR_SYMBOLS)
        return;
    inf->symbols[i] = symbol;
    if (i == inf->n_symbols)
        inf->n_symbols++;
}

void
inferior_remember(struct inferior *inf, const char *name, taddr addr)
{
    note_symbol(inf,
                (struct symbol){.name = name, .addr = addr, .found = true, .remembered = true});
}

void
inferior_give_up(struct inferior *inf, const char *name)
{
    note_symbol(inf, (struct symbol){.name = name, .remembered = true});
}

bool
inferior_has_given_up(const struct inferior *inf, const char *name)
{
    const struct symbol *known = find_known(inf, name);
    return known != NULL && known->remembered && !known->found;
}

static struct symbol
find_symbol(struct inferior *inf, const char *name)
{
    const struct symbol *known = find_known(inf, name);
    return known ? *known : ask_host(inf, name);
}

bool
inferior_has_name(struct inferior *inf, const char *name)
{
    const struct symbol symbol = find_symbol(inf, name);
    return symbol.found && !symbol.remembered;
}

enum status
inferior_symbol(struct inferior *inf, const char *name, taddr *ret)
{
    const struct symbol symbol = find_symbol(inf, name);
    if (!symbol.found)
        return trail_begin(&inf->trail, STATUS_ABSENT, "there is no variable %s", name);
    *ret = symbol.addr;
    return STATUS_OK;
}

void *
inferior_alloc(struct inferior *inf, size_t size)
{
    return inf->target.ops->alloc(size > 0 ? size : 1);
}

void
inferior_free(struct inferior *inf, void *memory)
{
    inf->target.ops->free(memory);
}
