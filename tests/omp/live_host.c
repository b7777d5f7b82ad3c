// SPDX-License-Identifier: BSD-3-Clause
// Reads a running process with process_vm_readv() and the symbol tables of its files.
#include "tests/omp/live_host.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

int live_host_blocks;

static bool
map_file(struct live_file *file)
{
    struct stat st;
    int fd = open(file->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    void *bytes = MAP_FAILED;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > (off_t) sizeof(Elf64_Ehdr))
        bytes = mmap(NULL, (size_t) st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED)
        return false;
    file->bytes = bytes;
    file->size = (size_t) st.st_size;
    return memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

static bool
is_known(const struct live_host *host, const char *path)
{
    for (unsigned i = 0; i < host->n_files; i++)
        if (strcmp(host->files[i].path, path) == 0)
            return true;
    return false;
}

void
live_host_update(struct live_host *host)
{
    char name[64], line[512], path[256];
    unsigned long start, offset;
    snprintf(name, sizeof(name), "/proc/%d/maps", (int) host->pid);
    FILE *maps = fopen(name, "re");
    while (maps && fgets(line, sizeof(line), maps)) {
        int got = sscanf(line, "%lx-%*x %*s %lx %*s %*s %255s", &start, &offset, path);
        if (got != 3 || offset != 0 || path[0] != '/' || is_known(host, path) ||
            host->n_files == LIVE_FILES)
            continue;
        struct live_file *file = &host->files[host->n_files];
        snprintf(file->path, sizeof(file->path), "%s", path);
        file->base = start;
        if (map_file(file))
            host->n_files++;
    }
    if (maps)
        fclose(maps);
}

bool
live_host_init(struct live_host *host, pid_t pid)
{
    memset(host, 0, sizeof(*host));
    host->pid = pid;
    live_host_update(host);
    return host->n_files > 0;
}

void
live_host_deinit(struct live_host *host)
{
    for (unsigned i = 0; i < host->n_files; i++)
        munmap((void *) host->files[i].bytes, host->files[i].size);
    host->n_files = 0;
}

static bool
host_read(void *opaque, taddr addr, size_t size, void *ret)
{
    struct live_host *host = opaque;
    struct iovec local = {ret, size};
    struct iovec remote = {(void *) (uintptr_t) addr, size};
    host->reads++;
    host->bytes += size;
    return process_vm_readv(host->pid, &local, 1, &remote, 1, 0) == (ssize_t) size;
}

static bool
find_in_table(const struct live_file *file, const Elf64_Shdr *table, const char *name, taddr *ret)
{
    const Elf64_Ehdr *header = (const void *) file->bytes;
    const Elf64_Shdr *sections = (const void *) (file->bytes + header->e_shoff);
    const char *strings = (const char *) file->bytes + sections[table->sh_link].sh_offset;
    const Elf64_Sym *symbols = (const void *) (file->bytes + table->sh_offset);
    for (size_t i = 0; i < table->sh_size / sizeof(*symbols); i++) {
        int type = ELF64_ST_TYPE(symbols[i].st_info);
        if (symbols[i].st_shndx == SHN_UNDEF || type == STT_TLS ||
            strcmp(strings + symbols[i].st_name, name) != 0)
            continue;
        *ret = symbols[i].st_value + (header->e_type == ET_DYN ? file->base : 0);
        return true;
    }
    return false;
}

static bool
host_symbol(void *opaque, const char *name, taddr *ret)
{
    struct live_host *host = opaque;
    host->lookups++;
    for (unsigned i = 0; i < host->n_files; i++) {
        const struct live_file *file = &host->files[i];
        const Elf64_Ehdr *header = (const void *) file->bytes;
        const Elf64_Shdr *sections = (const void *) (file->bytes + header->e_shoff);
        for (unsigned s = 0; s < header->e_shnum; s++) {
            bool wanted = sections[s].sh_type == SHT_DYNSYM ||
                          (sections[s].sh_type == SHT_SYMTAB && !host->stripped);
            if (wanted && find_in_table(file, &sections[s], name, ret))
                return true;
        }
    }
    return false;
}

static const struct target_type *
no_type(void *host, const char *name)
{
    (void) host;
    (void) name;
    return NULL;
}

static int64_t
no_size(void *host, const struct target_type *type)
{
    (void) host;
    (void) type;
    return -1;
}

static int64_t
no_offset(void *host, const struct target_type *type, const char *field)
{
    (void) host;
    (void) type;
    (void) field;
    return -1;
}

static bool
host_model(void *host, struct datamodel *ret)
{
    (void) host;
    *ret = (struct datamodel){.short_size = sizeof(short),
                              .int_size = sizeof(int),
                              .long_size = sizeof(long),
                              .long_long_size = sizeof(long long),
                              .pointer_size = sizeof(void *),
                              .bool_size = sizeof(bool),
                              .size_t_size = sizeof(size_t)};
    return true;
}

static void *
host_alloc(size_t size)
{
    void *memory = malloc(size);
    live_host_blocks += memory != NULL;
    return memory;
}

static void
host_free(void *memory)
{
    live_host_blocks -= memory != NULL;
    free(memory);
}

struct target
live_host_target(struct live_host *host)
{
    static const struct target_ops ops = {
        .read = host_read,
        .find_symbol = host_symbol,
        .find_function = host_symbol,
        .find_type = no_type,
        .type_size = no_size,
        .field_offset = no_offset,
        .data_model = host_model,
        .alloc = host_alloc,
        .free = host_free,
    };
    return (struct target){.ops = &ops, .host = host};
}
