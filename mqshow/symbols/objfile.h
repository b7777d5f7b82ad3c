// SPDX-License-Identifier: BSD-3-Clause
// One file that processes have loaded, with its symbols and types, shared by all of them.
#ifndef MQSHOW_SYMBOLS_OBJFILE_H
#define MQSHOW_SYMBOLS_OBJFILE_H

#include "mqshow/base/runtime.h"
#include "mqshow/symbols/types.h"

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

enum symbol_kind { SYMBOL_VARIABLE, SYMBOL_FUNCTION };

struct symbol {
    const char *name;
    uint64_t order; // as objfile_symbol_order() has it
    uint64_t value; // link-time address
    enum symbol_kind kind;
    bool local;
};

struct objfile {
    struct objfile *next;
    char *key;  // build-id in hexadecimal, or else the path
    char *path; // escaped
    enum runtime runtime;
    bool is_asked;       // it has a symbol that was asked for
    Dwfl_Module *module; // of the first process that had it
    uint64_t bias;       // of that module
    bool symbols_are_read;
    bool openmp_is_known, has_openmp;
    char *error;            // why there are no symbols although the file has a table; NULL: none
    struct symbol *symbols; // sorted by name; of one name the best first
    size_t n_symbols;
    size_t capacity;
    struct types types;
    void *srclocs; // of tsearch(), see mqshow/symbols/srcloc.h
};

/** All files seen so far. */
struct objfiles {
    struct objfile *first;
};

/** The file behind a module of a process. The module must live as long as the list.
 * @param bias what is added to its link-time addresses in that process
 * @return NULL when the file cannot be read
 */
struct objfile *objfiles_get(struct objfiles *files, Dwfl_Module *module, uint64_t *ret_bias);

/** Frees all of them, before the sessions of their modules end. */
void objfiles_deinit(struct objfiles *files);

/** Reads all symbols and types that may be asked for, which the first question about them would do
 * otherwise. */
void objfile_prepare(struct objfile *file);

/** What the symbols of a file are in ascending order of, before anything else. */
uint64_t objfile_symbol_order(const char *name);

/** The best symbol of this kind; NULL when there is none. */
const struct symbol *objfile_symbol(struct objfile *file, const char *name, enum symbol_kind kind);

/** The same for one who asks many files. @param order as objfile_symbol_order() has it */
const struct symbol *
objfile_symbol_at(struct objfile *file, const char *name, uint64_t order, enum symbol_kind kind);

/** The next symbol whose name begins with a prefix.
 * @param at 0 at first, then as the call before left it
 * @return NULL: there is no more */
const struct symbol *objfile_next_symbol(struct objfile *file, const char *prefix, size_t *at);

/** Bytes from the beginning of the function with a symbol that a link-time address is in.
 * @return false when it is in none
 */
bool objfile_function_offset(struct objfile *file, uint64_t value, uint64_t *ret);

/** Bytes from a link-time address to the next function that has a symbol. */
uint64_t objfile_function_room(struct objfile *file, uint64_t value);

/** The symbol whose address the dynamic linker writes to a link-time address; NULL: none. */
const char *objfile_slot_symbol(struct objfile *file, uint64_t slot);

/** Whether this file is an OpenMP runtime, or has one linked in. */
bool objfile_has_openmp(struct objfile *file);

/** Whether texts in this file show that an OpenMP runtime is linked in, also without symbols. */
bool objfile_mentions_openmp(struct objfile *file);

/** The runtime that the code at a link-time address belongs to. */
enum runtime objfile_runtime_at(struct objfile *file, uint64_t value);

/** Whether this is the dynamic linker, by its file's name. */
bool objfile_is_linker(const struct objfile *file);

/** Looks a type up in the debug information. @param tag_only it was asked for as "struct NAME" */
bool objfile_type(struct objfile *file, const char *name, bool tag_only, struct type_entry *ret);

#endif
