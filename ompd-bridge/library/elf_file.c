// SPDX-License-Identifier: BSD-3-Clause
// Parses just enough of an ELF file, with small bounded reads: a damaged file can only be refused.
#include "ompd-bridge/library/elf_file.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADERS_MAX = 64, DYNAMIC_MAX = 512, CHAIN_MAX = 4096, MACHINE_BITS = sizeof(void *) * 8 };

/** The header of the very object that this code is in. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static bool
read_at(const struct elf_file *elf, uint64_t offset, size_t size, void *ret)
{
    if (offset > elf->size || size > elf->size - offset)
        return false;
    return pread(elf->fd, ret, size, (off_t) offset) == (ssize_t) size;
}

// Where in the file the byte stands that is loaded to `addr`.
static bool
file_offset(const struct elf_file *elf, uint64_t addr, uint64_t *ret)
{
    for (unsigned i = 0; i < elf->n_loads; i++) {
        const struct elf_load *load = &elf->loads[i];
        if (addr < load->addr || addr - load->addr >= load->size)
            continue;
        *ret = load->offset + (addr - load->addr);
        return true;
    }
    return false;
}

static bool
is_ours(const ElfW(Ehdr) * header)
{
    return memcmp(header->e_ident, __ehdr_start.e_ident, EI_VERSION + 1) == 0 &&
           header->e_machine == __ehdr_start.e_machine && header->e_type == ET_DYN &&
           header->e_phentsize == sizeof(ElfW(Phdr)) && header->e_phnum <= HEADERS_MAX;
}

static bool
take_segment(struct elf_file *elf, const ElfW(Phdr) * segment)
{
    if (segment->p_type == PT_DYNAMIC) {
        elf->dynamic = segment->p_offset;
        elf->n_dynamic = segment->p_filesz / sizeof(ElfW(Dyn));
        return elf->n_dynamic <= DYNAMIC_MAX;
    }
    if (segment->p_type != PT_LOAD)
        return true;
    if (elf->n_loads == sizeof(elf->loads) / sizeof(elf->loads[0]))
        return false;
    elf->loads[elf->n_loads++] =
        (struct elf_load){segment->p_offset, segment->p_vaddr, segment->p_filesz};
    return true;
}

static bool
read_segments(struct elf_file *elf, const ElfW(Ehdr) * header)
{
    for (unsigned i = 0; i < header->e_phnum; i++) {
        ElfW(Phdr) segment;
        uint64_t offset = header->e_phoff + i * sizeof(segment);
        if (!read_at(elf, offset, sizeof(segment), &segment) || !take_segment(elf, &segment))
            return false;
    }
    return elf->n_dynamic > 0;
}

static bool
read_entry(const struct elf_file *elf, uint64_t index, ElfW(Dyn) * ret)
{
    return index < elf->n_dynamic &&
           read_at(elf, elf->dynamic + index * sizeof(*ret), sizeof(*ret), ret) &&
           ret->d_tag != DT_NULL;
}

static bool
read_dynamic(struct elf_file *elf)
{
    ElfW(Dyn) entry;
    uint64_t strings = 0, symbols = 0, hash = 0;
    for (uint64_t i = 0; read_entry(elf, i, &entry); i++) {
        if (entry.d_tag == DT_STRTAB)
            strings = entry.d_un.d_ptr;
        else if (entry.d_tag == DT_STRSZ)
            elf->strings_size = entry.d_un.d_val;
        else if (entry.d_tag == DT_SYMTAB)
            symbols = entry.d_un.d_ptr;
        else if (entry.d_tag == DT_GNU_HASH)
            hash = entry.d_un.d_ptr;
    }
    return file_offset(elf, strings, &elf->strings) && file_offset(elf, symbols, &elf->symbols) &&
           file_offset(elf, hash, &elf->hash);
}

const char *
elf_file_init(struct elf_file *elf, int fd)
{
    struct stat st;
    ElfW(Ehdr) header;
    memset(elf, 0, sizeof(*elf));
    elf->fd = fd;
    if (fstat(fd, &st) != 0 || st.st_size < 0)
        return "it cannot be read";
    elf->size = (uint64_t) st.st_size;
    if (!read_at(elf, 0, sizeof(header), &header) || !is_ours(&header))
        return "it is not a shared library for this machine";
    if (!read_segments(elf, &header) || !read_dynamic(elf))
        return "its ELF headers are damaged";
    return NULL;
}

// Reads a name of the string table; "" when it is longer than there is room for.
static void
read_name(const struct elf_file *elf, uint64_t at, char *ret)
{
    ret[0] = '\0';
    if (at >= elf->strings_size)
        return;
    uint64_t left = elf->strings_size - at;
    size_t size = left < ELF_NAME_MAX ? (size_t) left : ELF_NAME_MAX;
    if (!read_at(elf, elf->strings + at, size, ret) || !memchr(ret, '\0', size))
        ret[0] = '\0';
}

bool
elf_file_needs(const struct elf_file *elf, unsigned index, char *ret)
{
    ElfW(Dyn) entry;
    unsigned seen = 0;
    for (uint64_t i = 0; read_entry(elf, i, &entry); i++)
        if (entry.d_tag == DT_NEEDED && seen++ == index) {
            read_name(elf, entry.d_un.d_val, ret);
            return true;
        }
    return false;
}

static uint32_t
gnu_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (uint8_t) *name;
    return hash;
}

static bool
is_definition(const struct elf_file *elf, uint64_t index, const char *name)
{
    ElfW(Sym) symbol;
    char found[ELF_NAME_MAX];
    if (!read_at(elf, elf->symbols + index * sizeof(symbol), sizeof(symbol), &symbol))
        return false;
    read_name(elf, symbol.st_name, found);
    return symbol.st_shndx != SHN_UNDEF && strcmp(found, name) == 0;
}

bool
elf_file_exports(const struct elf_file *elf, const char *name)
{
    struct {
        uint32_t n_buckets, first, bloom_words, shift;
    } head;
    uint32_t hash = gnu_hash(name), index, link;
    if (!read_at(elf, elf->hash, sizeof(head), &head) || head.n_buckets == 0)
        return false;
    uint64_t buckets = elf->hash + sizeof(head) + head.bloom_words * (uint64_t) (MACHINE_BITS / 8);
    uint64_t chains = buckets + head.n_buckets * (uint64_t) sizeof(uint32_t);
    if (!read_at(elf, buckets + hash % head.n_buckets * sizeof(index), sizeof(index), &index) ||
        index < head.first)
        return false;
    for (unsigned i = 0; i < CHAIN_MAX; i++, index++) {
        if (!read_at(elf, chains + (index - head.first) * (uint64_t) sizeof(link), sizeof(link),
                     &link))
            return false;
        if ((link | 1) == (hash | 1) && is_definition(elf, index, name))
            return true;
        if (link & 1)
            return false;
    }
    return false;
}
