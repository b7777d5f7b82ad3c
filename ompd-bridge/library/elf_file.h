// SPDX-License-Identifier: BSD-3-Clause
// What a shared library on disk exports and needs, learnt without running any of it.
#ifndef OMPD_BRIDGE_LIBRARY_ELF_FILE_H
#define OMPD_BRIDGE_LIBRARY_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_NAME_MAX = 256 }; // bytes of a library's or symbol's name with the NUL

/** An open ELF shared library of this process's own class and machine. Offsets are in the file. */
struct elf_file {
    int fd;
    uint64_t size;
    uint64_t dynamic; // offset of the dynamic section
    uint64_t n_dynamic;
    uint64_t strings; // of the string table
    uint64_t strings_size;
    uint64_t symbols;
    uint64_t hash; // of the GNU hash table
    struct elf_load {
        uint64_t offset, addr, size;
    } loads[16];
    unsigned n_loads;
};

/** Reads the headers of an open file. Keeps `fd`, does not own it.
 * @return NULL, or why this is no library for us, a literal
 */
const char *elf_file_init(struct elf_file *elf, int fd);

/** Whether the library defines a symbol of this name for others. */
bool elf_file_exports(const struct elf_file *elf, const char *name);

/** Name of the library number `index` that the file needs.
 * @param ret room for ELF_NAME_MAX bytes; "" when the name cannot be read or is longer
 * @return false past the last one
 */
bool elf_file_needs(const struct elf_file *elf, unsigned index, char *ret);

#endif
