// SPDX-License-Identifier: BSD-3-Clause
// Numbered texts, as they go through a pipe from a process of this program that reads to its
// parent, which does not trust it.
#ifndef MQSHOW_PROCESS_PACKET_H
#define MQSHOW_PROCESS_PACKET_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One that arrives. Zeroed, it is empty. */
struct packet {
    struct {
        uint64_t what, size; // the number, and the bytes of the text
    } head;
    json_t *kept;      // what holds the text: many bytes may stay where they have arrived
    char *text;        // ended by a NUL that does not count
    uint64_t received; // bytes, with the head
};

enum packet_event { PACKET_MORE, PACKET_WHOLE, PACKET_ENDED };

/** Takes what has arrived. Nonsense counts as the end. After a whole one, packet_forget(). */
enum packet_event packet_receive(struct packet *packet, int fd);

/** Waits for a whole one. @param deadline on clock_us()
 * @return PACKET_MORE: it is too late, or this program is to end
 */
enum packet_event packet_wait(struct packet *packet, int fd, int64_t deadline);

/** Frees the text and makes it empty. */
void packet_forget(struct packet *packet);

/** Sends one, or ends this process: its parent is not to take what follows for the whole. */
void packet_send_or_exit(int fd, uint64_t what, const char *text, size_t size);

/** Sends the begin of one of `size` bytes; these follow in pieces. @return false: nobody takes it
 */
bool packet_begin(int fd, uint64_t what, uint64_t size);
bool packet_send_piece(int fd, const void *piece, size_t size);

#endif
