// SPDX-License-Identifier: BSD-3-Clause
// The reader of libucp, for adapters of MPI libraries that hand it their messages: which receives
// it has not matched yet, the messages that nobody has received, and its requests.
//
// libucp matches words of 64 bits; what they mean is the adapter's business, and so is what lies
// behind a request: the MPI library's own part.
#ifndef UCP_H
#define UCP_H

#include "target/inferior.h"
#include "target/layout.h"

/** Where libucp's structs are among an adapter's needs: its needs.def includes the one of this
 * folder, in one piece. */
struct ucp_place {
    unsigned first_struct;
    unsigned first_field;
};

/** For a file that has the adapter's needs. */
#define UCP_PLACE ((struct ucp_place){S(ucp_request_send), F(ucp_request_send, flags)})

/** libucp in one process, and one of its workers. */
struct ucp {
    struct inferior *inf;
    struct layout layout; // of libucp's structs alone
    taddr worker;         // 0: none yet
    uint32_t user_size;   // bytes of the MPI library's own part of a request; 0: not known
};

/** Resolves libucp's structs in an adapter's layout from the built-in block for the version that
 * the process has, or from the newest one if there is none: ucp_use_worker() has the process
 * choose. What debug information says stays.
 * @return STATUS_MISMATCH when the version is not known; the layout is then unchanged
 */
CHECKED enum status
ucp_resolve(struct inferior *inf, struct ucp_place place, struct layout *layout);

/** Takes libucp's structs out of an adapter's layout. */
void ucp_init(struct ucp *ucp, struct inferior *inf, const struct layout *layout,
              struct ucp_place place);

/** Whether the layouts of all structs are known; nothing below works without. */
bool ucp_readable(const struct ucp *ucp);

/** Makes a worker the one to be read. What is in it must confirm the layout; where that is a
 * built-in one, or there is none, the newest block that it confirms is used, one for the release
 * before all others.
 * @param context the libucp context that it must belong to
 * @return STATUS_CORRUPT when it does not, STATUS_MISMATCH when no layout is confirmed
 */
CHECKED enum status ucp_use_worker(struct ucp *ucp, taddr worker, taddr context);

/** Puts the layout that a worker has confirmed back among an adapter's structs. Its label says
 * which block that is, and of which release the library is if the block is for another. */
void ucp_put_back(const struct ucp *ucp, struct ucp_place place, struct layout *layout);

/** Makes libucp's structs in an adapter's layout unknown if they were refused, or are for another
 * release and not confirmed.
 * @param status of ucp_use_worker(), or why there is no worker */
void ucp_drop_refused(enum status status, struct ucp_place place, struct layout *layout);

/** Calls `visit` for each receive of the worker that no message has matched, queue by queue.
 *
 * Stops with the first status other than STATUS_OK that `visit` gives.
 * @param most receives that there can be, at least one
 */
CHECKED enum status
ucp_each_expected(const struct ucp *ucp, uint64_t most,
                  enum status (*visit)(void *context, taddr request), void *context);

/** How many receives found no message and were queued, since the worker was made. @return
 * STATUS_ABSENT where that is not known */
CHECKED enum status ucp_count_queued(const struct ucp *ucp, uint64_t *ret);

/** A message that nobody has received. */
struct ucp_message {
    taddr addr;
    uint64_t tag;   // the word that it was sent with
    uint64_t bytes; // when it is sized
    bool sized;
    bool rendezvous; // only the envelope is here
    bool transit;    // libucp does not have it yet: `addr` is of shared memory
};

/** Reads a message. */
CHECKED enum status ucp_message_load(const struct ucp *ucp, taddr addr, struct ucp_message *ret);

/** Calls `visit` for each message of the worker, oldest first; otherwise as ucp_each_expected(). */
CHECKED enum status
ucp_each_message(const struct ucp *ucp,
                 enum status (*visit)(void *context, const struct ucp_message *message,
                                      uint32_t order),
                 void *context);

/** Calls `visit` for each message that lies in shared memory and that libucp has not taken in yet,
 * in the order in which it will, `order` behind that of all of ucp_each_message(); otherwise as
 * that. Where the layout of that memory is not known, or not confirmed by what is there, none.
 */
CHECKED enum status
ucp_each_transit(const struct ucp *ucp,
                 enum status (*visit)(void *context, const struct ucp_message *message,
                                      uint32_t order),
                 void *context);

/** Bytes of a request: behind it is the MPI library's own part, to which it points. */
uint32_t ucp_request_size(const struct ucp *ucp);

/** Whether the word before a request says that the worker's pool has it, and that it is in use. */
bool ucp_is_of_pool(const struct ucp *ucp, taddr request);

/** Whether ucp_each_request() can be used. */
bool ucp_has_pool(const struct ucp *ucp);

/** Calls `visit` for each request in use of the worker's pool, the newest first if none was given
 * back in between; not for those whose memory is the MPI library's. Otherwise as
 * ucp_each_expected().
 */
CHECKED enum status
ucp_each_request(const struct ucp *ucp, enum status (*visit)(void *context, taddr request),
                 void *context);

/** What a request is for, and how far it is. */
struct ucp_state {
    bool receives; // a message by its word
    bool sends;    // likewise
    bool complete;
    bool released;     // the MPI library wants nothing more of it
    bool has_callback; // of a complete receive: it was posted, not matched at once
};

/** Reads what a request is for. */
CHECKED enum status ucp_state_load(const struct ucp *ucp, taddr addr, struct ucp_state *ret);

/** A receive. */
struct ucp_receive {
    uint64_t tag;      // what was asked for
    uint64_t tag_mask; // bits of it that count
    uint64_t sequence; // place in the order of posting
    taddr buffer;      // 0: in several pieces
    taddr datatype;    // as of ucp_send
    uint64_t element;  // bytes of one of the data's elements; 0: not known
    uint64_t bytes;
    taddr user_data;     // the MPI library's
    taddr worker;        // that it was posted to
    uint64_t sender_tag; // of the message that was matched
    uint64_t sender_bytes;
};

/** Reads a receive. */
CHECKED enum status ucp_receive_load(const struct ucp *ucp, taddr addr, struct ucp_receive *ret);

/** A send. */
struct ucp_send {
    uint64_t tag; // something else as soon as its data is on the way
    taddr endpoint;
    taddr buffer;   // 0: in several pieces
    taddr datatype; // the MPI library's, whose data it packs itself; 0: another, or not known
    uint64_t bytes;
    taddr callback; // 0: none, or not known
    bool synchronous;
    bool may_move; // the receiver may have answered: what stands for `tag` can be something else
};

/** Reads a send. */
CHECKED enum status ucp_send_load(const struct ucp *ucp, taddr addr, struct ucp_send *ret);

#endif
