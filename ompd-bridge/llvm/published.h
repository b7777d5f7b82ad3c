// SPDX-License-Identifier: BSD-3-Clause
// The table of struct layouts that LLVM's OpenMP runtime publishes for OMPD: its entries, its
// check.
#ifndef OMPD_BRIDGE_LLVM_PUBLISHED_H
#define OMPD_BRIDGE_LLVM_PUBLISHED_H

#include "target/inferior.h"

/** The variables, numbered in the runtime's order: OFFSET_type__field, then WIDTH_type__field, then
 * FLAG_flag, SIZEOF_name, WORD_name. */
enum published_entry {
#define FIELD(type, field, kind) OFFSET_##type##__##field,
#include "ompd-bridge/llvm/published.def"
#define FIELD(type, field, kind) WIDTH_##type##__##field,
#include "ompd-bridge/llvm/published.def"
#define FLAG(flag) FLAG_##flag,
#include "ompd-bridge/llvm/published.def"
#define SIZE(name, kind) SIZEOF_##name,
#include "ompd-bridge/llvm/published.def"
#define WORD(name, kind) WORD_##name,
#include "ompd-bridge/llvm/published.def"
    PUBLISHED_ENTRIES
};

enum {
    PUBLISHED_FIELDS = WIDTH_kmp_base_info_t__th_current_task,
    PUBLISHED_FIRST_FLAG = FLAG_final,
    PUBLISHED_FLAGS = SIZEOF_kmp_info_t - FLAG_final,
    PUBLISHED_ENTRY = 8,             // bytes of each variable
    PUBLISHED_STRUCT_MAX = 64 * 1024 // bytes of any struct of the runtime
};

/** Whose runtime it is, where that is known. */
enum published_maker { MAKER_UNKNOWN, MAKER_LLVM, MAKER_INTEL };

/** A checked copy of the table, or a layout that is built in (builtin.h). */
struct published {
    enum published_maker maker;
    const char *builtin; // the releases that it is of; NULL: the process publishes it
    uint64_t values[PUBLISHED_ENTRIES];
    taddr addresses[PUBLISHED_ENTRIES];
};

/** Finds the table, by the names of its variables or, when they are stripped, near `landmark`, and
 * checks it.
 * @param landmark address of a variable of the runtime
 * @return STATUS_ABSENT when nothing there is such a table (also before the runtime has filled it);
 * STATUS_CORRUPT when the named variables make no sense; STATUS_UNREADABLE; the trail says more
 */
CHECKED enum status published_find(struct inferior *inf, taddr landmark, struct published *ret);

/** Whether all values can be those of a runtime: widths fit their kinds, fields their structs,
 * flags are single and distinct bits. Looks at nothing but `values`.
 * @return STATUS_CORRUPT, and the trail names the variable
 */
CHECKED enum status published_check(const uint64_t *values, struct inferior *inf);

/** Whether the variable of that name may have this value, so that nobody who copies as many bytes
 * as it says comes to harm. Of one that is no entry of the table, little is known. */
bool published_fits(const char *name, uint64_t value, const struct datamodel *model);

/** Offset of a field in the outermost of the structs that hold it, as far as the table says where
 * they lie: of a kmp_base_info_t's field in kmp_info_t. What is of OMPT lies in a task or a team.
 * @param field an OFFSET_* */
uint64_t published_offset(const struct published *published, enum published_entry field);

/** Name of an entry, "ompd_access__kmp_info_t__th". */
const char *published_name(enum published_entry entry);

/** The entry of that name; PUBLISHED_ENTRIES when there is none. */
enum published_entry published_lookup(const char *name);

/** Recognises the release by the offsets that move from one to the next.
 *
 * What the table does not say is known of the releases seen only, so that others are refused,
 * unless the environment of the debugger has MQS_OMPD_UNKNOWN_RUNTIME=1.
 * @param published its maker is set
 * @param ret set to "14" or the like, a constant; "" for an unknown one that is read all the same
 * @return STATUS_UNSUPPORTED when it is unknown, and the trail says what is known and what was
 * found
 */
CHECKED enum status
published_release(struct published *published, struct inferior *inf, const char **ret);

#endif
