// SPDX-License-Identifier: BSD-3-Clause
// The files that one process has loaded: symbols and types by name over all of them.
#ifndef MQSHOW_SYMBOLS_IMAGE_H
#define MQSHOW_SYMBOLS_IMAGE_H

#include "mqshow/process/debuggee.h"
#include "mqshow/process/maps.h"
#include "mqshow/symbols/objfile.h"

#include <gelf.h>
#include <sys/types.h>

struct module {
    struct objfile *file;
    uint64_t bias;
    uint64_t start, end; // addresses in the process
};

struct image {
    struct debuggee debuggee;
    char *path;             // of the program
    struct module *modules; // in the order in which the dynamic linker searches them
    size_t n_modules;
    size_t capacity;
    struct maps maps; // of a running process when its files were listed, or later
    Dwfl *stacks;     // for stacks_unwind(); NULL: none
    bool attached;    // likewise: that was done before
    bool holds;       // likewise: it stays from one sample to the next
    void *descent;    // likewise: what it is doing
};

/** Lists the files of a running process.
 * @return NULL, or why not, to free()
 */
char *image_init(struct image *image, struct objfiles *files, pid_t pid);

/** Lists those of the process of a core, which must live longer.
 * @return NULL, or why not, to free()
 */
char *image_init_core(struct image *image, struct objfiles *files, const struct core *core);

/** Lists those of a process that a debugger holds; its stub must live longer.
 * @return NULL, or why not, to free()
 */
char *image_init_stub(struct image *image, struct objfiles *files, struct stub *stub);

/** Reads while the process runs what it would otherwise stand still for: the symbols and
 * types of all files, and what their stacks are followed with. */
void image_prepare(struct image *image);

/** Reads the map of a running process anew, unless it is as it was.
 * @return whether the files are the same */
bool image_read_map(struct image *image);

/** Ends what the stacks were followed with, unless it can be used again. */
void image_end_stacks(struct image *image);

/** Frees the list; the files and the session they need stay until image_close_sessions(). */
void image_deinit(struct image *image);

/** Ends all sessions, after objfiles_deinit(). */
void image_close_sessions(void);

/** The machine that the process is one of, EM_NONE when it is not known. */
GElf_Half image_machine(const struct image *image);

/** The file that an address of the process belongs to; NULL: none. */
const struct module *image_module_at(const struct image *image, uint64_t addr);

/** The runtime that the code at an address belongs to. */
enum runtime image_runtime_at(const struct image *image, uint64_t addr);

/** Address of a symbol: global and weak ones of all files first, then local ones. */
bool
image_symbol(const struct image *image, const char *name, enum symbol_kind kind, uint64_t *ret);

/** A complete type by name, "struct NAME" being fine too. */
bool image_type(const struct image *image, const char *name, struct type_entry *ret);

// Parts of it.

/** A session for a process or core with all its files reported; NULL when it cannot be read.
 * @param is_of_stacks it is quick, and good for following stacks only
 */
Dwfl *debuginfo_session(const struct image *image, bool is_of_stacks);

/** Makes another session as good for following stacks. */
void debuginfo_end_search(Dwfl *session);

#endif
