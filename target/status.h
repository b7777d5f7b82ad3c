// SPDX-License-Identifier: BSD-3-Clause
// How functions fail: a status code, and a trail that says where.
#ifndef TARGET_STATUS_H
#define TARGET_STATUS_H

#include <stddef.h>

enum status {
#define STATUS(name, text) STATUS_##name,
#include "target/status.def"
#undef STATUS
    STATUS_COUNT
};

#define CHECKED      __attribute__((warn_unused_result))
#define PRINTF(f, a) __attribute__((format(printf, f, a)))

/** Leaves the calling function with the status of `call` unless that is STATUS_OK. */
#define TRY(call)                         \
    do {                                  \
        enum status try_status_ = (call); \
        if (try_status_ != STATUS_OK)     \
            return try_status_;           \
    } while (0)

/** Text of a status; of any number, never NULL. */
const char *status_text(int status);

/** A message that grows towards its front.
 *
 * The function that fails says what it could not do; each caller on the way out puts in front where
 * it was: "communicator 3: group: ompi_group_t at 0x7f00: unreadable". It never allocates; what
 * does not fit is cut at the front and marked with "<".
 */
struct trail {
    char buffer[320];
    size_t start; // of the text in buffer; the text ends with the buffer's last byte, a NUL
};

/** Empties the trail; also its initialisation. */
void trail_reset(struct trail *trail);

/** Starts the trail anew with this text. @return `status`, for the caller to return */
enum status
trail_begin(struct trail *trail, enum status status, const char *format, ...) PRINTF(3, 4);

/** Puts "text: " in front of the trail, or of the status's text when the trail is empty. @return
 * `status`, for the caller to return */
enum status
trail_prepend(struct trail *trail, enum status status, const char *format, ...) PRINTF(3, 4);

/** The text; "" when the trail is empty. It is valid until the trail changes. */
const char *trail_text(const struct trail *trail);

#endif
