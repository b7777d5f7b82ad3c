// SPDX-License-Identifier: BSD-3-Clause
// Plays the debugger: serves the mqs callbacks from scripts, counts them, and lets one of them
// fail.
#ifndef TESTS_SCRIPT_HOST_H
#define TESTS_SCRIPT_HOST_H

#include "tests/script/dll.h"
#include "tests/script/script.h"

/** Kinds of callback that are counted, and that can fail. */
enum ask {
    ASK_READ,
    ASK_ALLOCATION,
    ASK_SYMBOL,
    ASK_TYPE,
    ASK_FIELD,
    ASK_SIZE,
    ASK_FUNCTION,
    ASKS
};

/** Which calls fail: number `first` (from 1) of its kind since host_fault(), and `count` - 1 more.
 */
struct fault {
    enum ask kind;
    size_t first; // 0: none
    size_t count;
};

struct mqs_image_ {
    struct script *script;
    mqs_image_info *info;
};

struct mqs_process_ {
    struct script *script;
    mqs_image *image;
    mqs_process_info *info;
};

/** A process of a script, and the image that it runs. */
struct fake {
    struct mqs_image_ image;
    struct mqs_process_ process;
    mqs_basic_callbacks basic;
    mqs_image_callbacks image_callbacks;
    mqs_process_callbacks process_callbacks;
};

extern const char *const ask_names[ASKS];

/** Prepares the callbacks as the script wants them. The fake must not move afterwards. */
void fake_init(struct fake *fake, struct script *script);

/** Sets which calls fail from now on, and counts from 0 again. */
void host_fault(struct fault fault);

/** Calls of this kind since host_fault(). */
size_t host_count(enum ask kind);

/** Bytes read since host_fault(). */
size_t host_bytes(void);

/** From now on whole pages cannot be read, so that the DLL reads what it wants and nothing around
 * it, and that is kept in `ret` too. NULL: no more.
 */
void host_watch(struct memory *ret);

/** Notes that the DLL did what it must not do. */
void host_violation(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Number of violations so far, and the first one since the last host_forgive(). */
size_t host_violations(void);
const char *host_first_violation(void);
void host_forgive(void);

#endif
