// SPDX-License-Identifier: BSD-3-Clause
// Reading the interpreter's structs and objects.
#include "mqshow/python/objects.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/process/bytes.h"
#include "mqshow/process/memory.h"
#include "mqshow/symbols/image.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1024, BYTES_MAX = 1 << 20, READ_COST = 64 };
enum { TEXT_LENGTH = 16, TEXT_STATE = 32, BYTES_SIZE = 16, BYTES_VALUE = 32 }; // of all releases
enum { DICT_KEYS = 32, DICT_VALUES = 40, KEYS_BYTES = 40, ENTRIES_MAX = 1 << 12 }; // likewise

bool
chain_take(struct chain *chain, uint64_t addr)
{
    if (chain->count == chain->max || addr == chain->mark)
        return false;
    chain->count++;
    if ((chain->count & (chain->count - 1)) == 0)
        chain->mark = addr;
    return true;
}

static bool
read_memory(struct objects *objects, uint64_t addr, size_t size, void *ret)
{
    uint64_t cost = size + READ_COST;
    objects->left = objects->left > cost ? objects->left - cost : 0;
    return objects->left > 0 && memory_read(&objects->image->debuggee, addr, size, ret);
}

bool
objects_uint(struct objects *objects, uint64_t addr, int offset, size_t width, uint64_t *ret)
{
    unsigned char bytes[sizeof *ret];
    if (offset == PYTHON_NONE || !read_memory(objects, addr + (uint64_t) offset, width, bytes))
        return false;
    *ret = bytes_uint(bytes, width);
    return true;
}

bool
objects_pointer(struct objects *objects, uint64_t addr, int offset, uint64_t *ret)
{
    return objects_uint(objects, addr, offset, sizeof *ret, ret);
}

/** Appends a character as UTF-8. */
static char *
add_character(char *end, uint32_t c)
{
    if (c < 0x80) {
        *end++ = (char) c;
        return end;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    *end++ = (char) (first[more] | (c >> (6 * more) & (0x3fu >> more)));
    while (more-- > 0)
        *end++ = (char) (0x80 | (c >> (6 * more) & 0x3f));
    return end;
}

/** Characters of 1, 2 or 4 bytes as UTF-8, escaped, for free(). */
static char *
convert_text(const unsigned char *bytes, size_t length, size_t kind)
{
    char *text = alloc_zeroed(4 * length + 1, 1), *end = text;
    for (size_t i = 0; i < length; i++)
        end = add_character(end, (uint32_t) bytes_uint(bytes + i * kind, kind));
    char *ret = escape_text(text, SIZE_MAX);
    free(text);
    return ret;
}

char *
objects_text(struct objects *objects, uint64_t addr)
{
    const struct python_layout *layout = &objects->layout;
    unsigned char bytes[TEXT_MAX * sizeof(uint32_t)];
    uint64_t length, state;
    if (!objects_pointer(objects, addr, TEXT_LENGTH, &length) ||
        !objects_uint(objects, addr, TEXT_STATE, sizeof(uint32_t), &state) || length > INT32_MAX)
        return NULL;
    size_t kind = state >> 2 & 7, shown = length < TEXT_MAX ? (size_t) length : TEXT_MAX;
    bool is_compact = (state >> 5 & 1) != 0, is_ascii = (state >> 6 & 1) != 0;
    if ((kind != 1 && kind != 2 && kind != 4) || !is_compact)
        return NULL;
    addr += (uint64_t) (is_ascii ? layout->text_header : layout->text_wide_header);
    addr += (length - shown) * kind;
    return read_memory(objects, addr, shown * kind, bytes) ? convert_text(bytes, shown, kind)
                                                           : NULL;
}

unsigned char *
objects_bytes(struct objects *objects, uint64_t addr, size_t *ret_size)
{
    uint64_t size;
    if (!objects_pointer(objects, addr, BYTES_SIZE, &size) || size > BYTES_MAX)
        return NULL;
    unsigned char *bytes = alloc_zeroed((size_t) size + 1, 1);
    if (read_memory(objects, addr + BYTES_VALUE, (size_t) size, bytes)) {
        *ret_size = (size_t) size;
        return bytes;
    }
    free(bytes);
    return NULL;
}

/** The entries of a dict: a hash, which a table of texts only does not have, the key, the value. */
struct entries {
    uint64_t addr;
    size_t count, width, key_at;
};

/** Goes past the table of indices, which lies before the entries. */
static bool
find_entries(struct objects *objects, uint64_t keys, struct entries *ret)
{
    unsigned char head[KEYS_BYTES];
    if (!read_memory(objects, keys, sizeof head, head))
        return false;
    uint64_t size, count;
    if (objects->layout.minor < 11) {
        uint64_t slots = bytes_uint(head + 8, 8);
        size = slots <= UINT8_MAX ? slots : 2 * slots;
        count = bytes_uint(head + 32, 8);
        *ret = (struct entries){.addr = keys + 40 + size, .width = 24, .key_at = 8};
    } else {
        size = head[9] < 32 ? (uint64_t) 1 << head[9] : UINT64_MAX;
        count = bytes_uint(head + 24, 8);
        bool of_texts = head[10] != 0;
        *ret = (struct entries){
            .addr = keys + 32 + size, .width = of_texts ? 16 : 24, .key_at = of_texts ? 0 : 8};
    }
    ret->count = (size_t) count;
    return count <= ENTRIES_MAX && size <= 4 * ENTRIES_MAX;
}

struct item {
    uint64_t key, value;
};

/** Reads those of the entries that are in use, for free(). */
static struct item *
read_items(struct objects *objects, const struct entries *entries, size_t *ret_count)
{
    size_t size = entries->count * entries->width;
    unsigned char *bytes = alloc_zeroed(size + 1, 1);
    struct item *ret = alloc_zeroed(entries->count, sizeof *ret);
    *ret_count = 0;
    if (read_memory(objects, entries->addr, size, bytes))
        for (size_t i = entries->key_at; i < size; i += entries->width) {
            struct item item = {bytes_uint(bytes + i, 8), bytes_uint(bytes + i + 8, 8)};
            if (item.key != 0 && item.value != 0)
                ret[(*ret_count)++] = item;
        }
    free(bytes);
    return ret;
}

/** Keeps the items whose keys have this word. They are many: their words are read together.
 * @return their number */
static size_t
keep(struct objects *objects, struct item *items, size_t count, int offset, uint64_t word)
{
    uint64_t *addrs = alloc_zeroed(count, sizeof *addrs), *words = alloc_zeroed(count, sizeof word);
    uint64_t cost = count * (sizeof word + READ_COST);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        addrs[i] = items[i].key + (uint64_t) offset;
    objects->left = objects->left > cost ? objects->left - cost : 0;
    if (objects->left > 0)
        memory_read_words(&objects->image->debuggee, addrs, count, words);
    for (size_t i = 0; i < count; i++)
        if (words[i] == word)
            items[kept++] = items[i];
    free(addrs);
    free(words);
    return kept;
}

static bool
is_named(struct objects *objects, uint64_t text, const char *name)
{
    char *read = objects_text(objects, text);
    bool ret = read != NULL && strcmp(read, name) == 0;
    free(read);
    return ret;
}

bool
objects_item(struct objects *objects, uint64_t dict, const char *name, uint64_t *ret)
{
    struct entries entries;
    uint64_t keys, values;
    size_t count;
    if (!objects_pointer(objects, dict, DICT_VALUES, &values) || values != 0 ||
        !objects_pointer(objects, dict, DICT_KEYS, &keys) || !find_entries(objects, keys, &entries))
        return false;
    struct item *items = read_items(objects, &entries, &count);
    count = keep(objects, items, count, TEXT_LENGTH, strlen(name));
    count = keep(objects, items, count, objects->layout.text_header, bytes_uint(name, 8));
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        *ret = items[i].value;
        found = is_named(objects, items[i].key, name);
    }
    free(items);
    return found;
}
