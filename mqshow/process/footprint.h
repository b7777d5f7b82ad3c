// SPDX-License-Identifier: BSD-3-Clause
// Which memory of a process a look at it reads: noted in one look, copied at once in the next, so
// that the process need not stand still while what is there is understood.
#ifndef MQSHOW_PROCESS_FOOTPRINT_H
#define MQSHOW_PROCESS_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { FOOTPRINT_BYTES = 16 << 20 };

struct footprint_part {
    uint64_t start;
    size_t size; // bytes
    size_t at;   // of the bytes of all, where its own begin, once it is copied
};

struct footprint_list {
    struct footprint_part *items;
    size_t count, capacity;
};

/** When the process is read. */
enum footprint_moment {
    FOOTPRINT_STILL, // it stands still
    FOOTPRINT_AHEAD, // it runs, and is to be stopped: what is too much to be copied is not read
    FOOTPRINT_PAST,  // it has gone on since it was copied
};

/** All zero: nothing is noted. */
struct footprint {
    struct footprint_list noted;
    struct footprint_list refused; // those that could not be read
    struct footprint_list copied;  // in ascending order, none within another
    size_t size;                   // bytes of those noted
    size_t limit;                  // of that; 0: FOOTPRINT_BYTES
    unsigned char *bytes;          // of those copied
    size_t room;                   // bytes there
    bool full;                     // what was noted is more than is copied
    enum footprint_moment moment;
    bool missed; // something was noted since footprint_prepare()
};

/** Notes what was read of the process itself. What could not be read then as now is not missed. */
void footprint_note(struct footprint *footprint, uint64_t addr, size_t size, bool readable);

/** Whether nothing more need be read of a process that runs. */
bool footprint_ends(const struct footprint *footprint);

/** Makes room for all that is noted, while the process still runs. Forgets what was copied.
 * @return false: nothing is noted, or too much */
bool footprint_prepare(struct footprint *footprint);

/** Copies what was noted before footprint_prepare(). */
void footprint_copy(struct footprint *footprint, pid_t pid);

/** Reads exactly `size` bytes as they were copied. @return false: they are not in the copy */
bool footprint_read(const struct footprint *footprint, uint64_t addr, size_t size, void *ret);

/** Frees what was copied; what was noted stays. */
void footprint_rest(struct footprint *footprint);

/** Frees all, and has noted nothing. */
void footprint_deinit(struct footprint *footprint);

#endif
