// SPDX-License-Identifier: BSD-3-Clause
// Messages within a node that a process has not looked at yet, as it computes: they are in the
// receive FIFOs of libuct's transports over shared memory, and libucp's queues do not have them.
#include "mpi-impl-adapters/ucp/layout.h"

#include <string.h>

enum {
    INTERFACES_MAX = 1 << 8,
    SHIFT_MAX = 20,        // of a FIFO's elements, which are a power of two
    ELEMENT_MAX = 1 << 16, // bytes
    CONTROL_MAX = 1 << 10, // bytes from the FIFO's control block to its elements
    HEADROOM_MAX = 1 << 10,
    HEADER_MAX = 41,    // bytes of libucp's that are looked at
    COMPARED_MAX = 256, // bytes of a message
};

#define HEAD_ARMED (UINT64_C(1) << 63) // of the head's index: the receiver wants a signal

/** Behind all that libucp's queue can have. */
#define FIRST_ORDER (UINT32_C(1) << 31)

/** Flags of an element. The owner's is the lowest bit of how often the FIFO had gone round when the
 * element was written. */
enum { ELEMENT_OWNER = 1 << 0, ELEMENT_INLINE = 1 << 1 };

enum { OPCODE_AT = 40, OPCODE_TAG = 0 }; // of a rendezvous: a message by its word

/** What libucp begins a message with, by the number of the active message. The word comes first. */
static const struct packet {
    uint8_t id;
    uint8_t header; // bytes
    bool whole;     // the data is all behind it
    bool rendezvous;
} packets[] = {
    {.id = 2, .header = 8, .whole = true},
    {.id = 3, .header = 24},
    {.id = 6, .header = 24, .whole = true}, // synchronous
    {.id = 7, .header = 40},                // likewise
    {.id = 9, .header = HEADER_MAX, .rendezvous = true},
};

/** A FIFO, and what visits its messages. */
struct fifo {
    const struct ucp *ucp;
    taddr elements;
    uint64_t stride;
    uint64_t segment; // bytes of a descriptor for data that is too long for an element
    taddr descriptor; // the next one to be used
    uint64_t next;    // index of the element that is looked at next; they do not wrap around
    uint64_t head;    // of the one that is written next
    unsigned shift;
};

/** Who is called for each message. */
struct visitor {
    enum status (*visit)(void *context, const struct ucp_message *message, uint32_t order);
    void *context;
    uint32_t order;
};

// Any interface may be asked: what of it is not of a FIFO contradicts itself.
// @return STATUS_ABSENT when it has none
static enum status
load_fifo(const struct ucp *ucp, taddr interface, struct fifo *ret)
{
    struct view view;

    TRY(view_load(ucp->inf, &ucp->layout, S(uct_mm_iface_fifo), interface, &view));
    const taddr control = view_uint(&view, F(uct_mm_iface_fifo, recv_fifo_ctl));
    const uint64_t mask = view_uint(&view, F(uct_mm_iface_fifo, fifo_mask));
    const uint64_t size = view_uint(&view, F(uct_mm_iface_fifo, fifo_size));
    *ret = (struct fifo){
        .ucp = ucp,
        .elements = view_uint(&view, F(uct_mm_iface_fifo, recv_fifo_elems)),
        .stride = view_uint(&view, F(uct_mm_iface_fifo, fifo_elem_size)),
        .segment = view_uint(&view, F(uct_mm_iface_fifo, seg_size)),
        .descriptor = view_uint(&view, F(uct_mm_iface_fifo, last_recv_desc)),
        .next = view_uint(&view, F(uct_mm_iface_fifo, read_index)),
        .shift = (unsigned) view_uint(&view, F(uct_mm_iface_fifo, fifo_shift)),
    };
    if (control == 0 || ret->shift > SHIFT_MAX || size != UINT64_C(1) << ret->shift ||
        mask != size - 1 || ret->stride > ELEMENT_MAX ||
        ret->stride <= ucp->layout.structs[S(uct_mm_fifo_elem)].size || ret->elements <= control ||
        ret->elements - control > CONTROL_MAX ||
        view_uint(&view, F(uct_mm_iface_fifo, read_index_elem)) !=
            ret->elements + (ret->next & mask) * ret->stride)
        return STATUS_ABSENT;
    TRY(inferior_read_uint(ucp->inf, control, sizeof(ret->head), &ret->head));
    ret->head &= ~HEAD_ARMED;
    return ret->head - ret->next <= size ? STATUS_OK : STATUS_ABSENT;
}

/** What an element has. */
struct element {
    taddr data;
    uint64_t length; // bytes
    uint64_t id;
    bool inside; // the data is in the element
};

// @return STATUS_ABSENT when it is not written yet, or contradicts itself
static enum status
load_element(const struct fifo *fifo, uint64_t index, struct element *ret)
{
    const struct ucp *ucp = fifo->ucp;
    const struct datamodel *model = &ucp->inf->model;
    const uint64_t own = ucp->layout.structs[S(uct_mm_fifo_elem)].size;
    const uint64_t mask = (UINT64_C(1) << fifo->shift) - 1;
    const taddr addr = fifo->elements + (index & mask) * fifo->stride;
    struct view view;

    TRY(view_load(ucp->inf, &ucp->layout, S(uct_mm_fifo_elem), addr, &view));
    const uint64_t flags = view_uint(&view, F(uct_mm_fifo_elem, flags));
    ret->inside = flags & ELEMENT_INLINE;
    ret->id = view_uint(&view, F(uct_mm_fifo_elem, am_id));
    ret->length = view_uint(&view, F(uct_mm_fifo_elem, length));
    ret->data = ret->inside
                    ? addr + own
                    : datamodel_uint(model, view_bytes(&view, F(uct_mm_fifo_elem, desc_data)),
                                     model->pointer_size);
    const bool written = (flags & ELEMENT_OWNER) == (index >> fifo->shift & 1);
    return written && ret->length <= (ret->inside ? fifo->stride - own : fifo->segment)
               ? STATUS_OK
               : STATUS_ABSENT;
}

// A process may be stopped when libucp has the message and the FIFO's index is not moved yet. It
// then is the newest one of the queue: the same memory, or a copy of what the element has; or the
// element has got a new descriptor. Of two equal messages, one in the queue and one not, the
// latter is left out.
static enum status
is_taken(const struct fifo *fifo, const struct element *element, bool *ret)
{
    const struct ucp *ucp = fifo->ucp;
    const struct field_layout *fields = ucp->layout.fields;
    uint8_t here[COMPARED_MAX], there[COMPARED_MAX];
    struct view worker, desc;

    *ret = !element->inside && element->data - fifo->descriptor <= HEADROOM_MAX;
    TRY(ucp_load_worker(ucp, &worker));
    const taddr newest = view_uint(&worker, F(ucp_worker_tags, unexpected_prev));
    if (*ret || newest == view_addr(&worker, F(ucp_worker_tags, unexpected_prev)))
        return STATUS_OK;
    const taddr addr = newest - (taddr) fields[F(ucp_recv_desc_tags, prev)].offset;
    const taddr data = addr + (taddr) fields[F(ucp_recv_desc_tags, tag)].offset;
    TRY(view_load(ucp->inf, &ucp->layout, S(ucp_recv_desc_tags), addr, &desc));
    *ret = data == element->data;
    if (!element->inside || element->length > COMPARED_MAX ||
        view_uint(&desc, F(ucp_recv_desc_tags, length)) != element->length)
        return STATUS_OK;
    TRY(inferior_read(ucp->inf, element->data, element->length, here));
    TRY(inferior_read(ucp->inf, data, element->length, there));
    *ret = memcmp(here, there, element->length) == 0;
    return STATUS_OK;
}

// libucp's header lies behind its descriptor, so that its members are known from there.
static uint64_t
header_word(const struct ucp *ucp, const uint8_t *header, unsigned field)
{
    const struct field_layout *fields = ucp->layout.fields;
    const int32_t at = fields[field].offset - fields[F(ucp_recv_desc_tags, tag)].offset;

    return at < 0 || at > HEADER_MAX - (int32_t) sizeof(uint64_t)
               ? 0
               : datamodel_uint(&ucp->inf->model, header + at, sizeof(uint64_t));
}

static enum status
visit_element(const struct fifo *fifo, const struct element *element, struct visitor *visitor)
{
    const struct ucp *ucp = fifo->ucp;
    const struct packet *packet = packets;
    const struct packet *end = packets + sizeof(packets) / sizeof(*packets);
    uint8_t header[HEADER_MAX];

    while (packet < end && packet->id != element->id)
        ++packet;
    if (packet == end || element->length < packet->header)
        return STATUS_OK;
    TRY(inferior_read(ucp->inf, element->data, packet->header, header));
    if (packet->rendezvous && header[OPCODE_AT] != OPCODE_TAG)
        return STATUS_OK;
    const struct ucp_message message = {
        .addr = element->data,
        .tag = header_word(ucp, header, F(ucp_recv_desc_tags, tag)),
        .bytes = packet->whole ? element->length - packet->header
                 : packet->rendezvous
                     ? header_word(ucp, header, F(ucp_recv_desc_tags, rendezvous_size))
                     : header_word(ucp, header, F(ucp_recv_desc_tags, total)),
        .sized = true,
        .rendezvous = packet->rendezvous,
        .transit = true,
    };
    return visitor->visit(visitor->context, &message, visitor->order++);
}

static enum status
visit_fifo(const struct fifo *fifo, struct visitor *visitor)
{
    struct element element;
    bool taken = false;

    for (uint64_t i = fifo->next; i != fifo->head; ++i) {
        const enum status status = load_element(fifo, i, &element);
        if (status == STATUS_ABSENT)
            continue;
        TRY(status);
        if (i == fifo->next)
            TRY(is_taken(fifo, &element, &taken));
        if (i != fifo->next || !taken)
            TRY(visit_element(fifo, &element, visitor));
    }
    return STATUS_OK;
}

// Interfaces of other transports may be smaller than what is read of them.
static enum status
visit_interface(const struct ucp *ucp, taddr place, struct visitor *visitor)
{
    struct fifo fifo;
    taddr addr;

    enum status status = inferior_read_pointer(ucp->inf, place, &addr);
    if (status == STATUS_OK)
        status = inferior_read_pointer(ucp->inf, addr, &addr);
    if (status == STATUS_OK)
        status = load_fifo(ucp, addr, &fifo);
    if (status == STATUS_OK)
        return visit_fifo(&fifo, visitor);
    trail_reset(&ucp->inf->trail);
    return status == STATUS_NOMEM ? status : STATUS_OK;
}

static enum status
visit_interfaces(const struct ucp *ucp, struct visitor *visitor)
{
    struct view view;

    TRY(view_load(ucp->inf, &ucp->layout, S(ucp_worker_interfaces), ucp->worker, &view));
    const taddr first = view_uint(&view, F(ucp_worker_interfaces, ifaces));
    const uint64_t count = view_uint(&view, F(ucp_worker_interfaces, num_ifaces));
    for (uint64_t i = 0; i < count && count <= INTERFACES_MAX; ++i)
        TRY(visit_interface(ucp, first + i * ucp->inf->model.pointer_size, visitor));
    return STATUS_OK;
}

enum status
ucp_each_transit(const struct ucp *ucp,
                 enum status (*visit)(void *context, const struct ucp_message *message,
                                      uint32_t order),
                 void *context)
{
    const struct struct_layout *structs = ucp->layout.structs;
    struct visitor visitor = {visit, context, FIRST_ORDER};

    if (ucp->inf->model.pointer_size != sizeof(uint64_t) ||
        structs[S(ucp_worker_interfaces)].origin == ORIGIN_NONE ||
        structs[S(uct_mm_iface_fifo)].origin == ORIGIN_NONE ||
        structs[S(uct_mm_fifo_elem)].origin == ORIGIN_NONE)
        return STATUS_OK;
    const enum status status = visit_interfaces(ucp, &visitor);
    // Cores do not have shared memory as a rule. What libucp's own queues have is complete.
    if (status != STATUS_UNREADABLE)
        return status;
    trail_reset(&ucp->inf->trail);
    return STATUS_OK;
}
