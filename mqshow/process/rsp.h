// SPDX-License-Identifier: BSD-3-Clause
// gdb's remote serial protocol: questions to a debugger's stub and its replies (GDB's manual,
// appendix E).
//
// The stub is not trusted: a reply is limited in size and in time, and after an error nothing more
// is asked.
#ifndef MQSHOW_PROCESS_RSP_H
#define MQSHOW_PROCESS_RSP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RSP_SECONDS = 15,          // for one reply
    RSP_REPLY_MAX = 1 << 20,   // bytes of one
    RSP_OBJECT_MAX = 16 << 20, // bytes of an object that comes in parts
    RSP_QUESTION_MAX = 1024,
};

/** A connection; processes that fork() share it, one asks at a time. */
struct rsp {
    int fd;
    int seconds;        // for one reply
    bool no_acks;       // packets are not acknowledged
    size_t packet_size; // bytes of a packet that the stub takes and makes
    bool *asking;       // shared by all processes: a reply is awaited
    char *error;        // why nothing can be asked any more; NULL: that is not so
    char *reply;        // to the last question, with a NUL behind it
    size_t size;        // bytes of it
    size_t capacity;
    unsigned char input[4096]; // that has come and is not used
    size_t input_at, input_end;
};

/** Connects. @param address "HOST:PORT", or "fd:N" of a socket that this program was given
 * @return NULL, or why not, to free()
 */
char *rsp_init(struct rsp *rsp, const char *address);

/** Agrees with the stub on what both know. @return false: see rsp->error */
bool rsp_begin(struct rsp *rsp);

/** Asks, and puts the reply into rsp->reply: "" when the stub does not know the question.
 * @return false: see rsp->error
 */
bool rsp_ask(struct rsp *rsp, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Reads an object. @return its bytes with a NUL behind them, to free(); NULL: there is none */
char *rsp_read_object(struct rsp *rsp, const char *object, const char *annex, size_t *ret_size);

/** Closes the connection. */
void rsp_deinit(struct rsp *rsp);

/** Bytes of hexadecimal digits, two each. @return their number, up to the first that is none */
size_t rsp_from_hex(const char *digits, size_t n_digits, void *ret, size_t most);

/** Whether a reply is an error. */
bool rsp_is_error(const struct rsp *rsp);

#endif
