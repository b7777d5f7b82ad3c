// SPDX-License-Identifier: BSD-3-Clause
// Messages and requests of libucp, one by one.
#include "mpi-impl-adapters/ucp/layout.h"

/** Flags of a message that nobody has received. */
enum {
    DESC_EAGER = 1 << 1,
    DESC_EAGER_ONLY = 1 << 2,
    DESC_SYNC = 1 << 3,
    DESC_OFFLOAD = 1 << 4, // matched by a network card
    DESC_RENDEZVOUS = 1 << 6,
};

/** Bytes before the data of a message that is whole: the word, and of a synchronous one whom to
 * answer. */
enum { HEADER_WHOLE = 8, HEADER_WHOLE_SYNC = 24 };

/** Flags of a request, the same since 1.10 as far as the release has them. */
enum {
    REQUEST_COMPLETED = 1 << 0,
    REQUEST_RELEASED = 1 << 1,
    REQUEST_PROTO_SEND = 1 << 2,
    REQUEST_SENT = 1 << 4, // of a synchronous send whose data did not wait for the receiver
    REQUEST_CALLBACK = 1 << 6,
    REQUEST_SYNC = 1 << 8,
    REQUEST_SEND_TAG = 1 << 14,
    REQUEST_RECV_TAG = 1 << 17,
};

/** Classes of datatypes: of one that the MPI library packs itself its pointer stands first. */
enum { DATATYPE_SHIFT = 3, DATATYPE_CLASS = 7, DATATYPE_PIECES = 2, DATATYPE_GENERIC = 7 };
/** A bit for each class that there is. */
enum { DATATYPE_CLASSES = 1 << 0 | 1 << 1 | 1 << DATATYPE_PIECES | 1 << 4 | 1 << DATATYPE_GENERIC };

/** What a protocol was chosen for, in bytes: the operation in the lower bits of one, the class of
 * the datatype, the number of pieces. */
enum { PROTO_OPERATION = 0, PROTO_CLASS = 2, PROTO_PIECES = 5 };
enum { PROTO_OPERATION_BITS = 0xf, PROTO_SEND_SYNC = 1 };

// Bytes of a message: of a whole one, what is behind its header; of the first part of one in parts,
// and of a rendezvous, what the header says.
static enum status
measure(const struct ucp *ucp, const struct view *desc, struct ucp_message *ret)
{
    const uint64_t flags = view_uint(desc, F(ucp_recv_desc_tags, flags));
    const uint64_t length = view_uint(desc, F(ucp_recv_desc_tags, length));
    const uint64_t offset = view_uint(desc, F(ucp_recv_desc_tags, payload_offset));

    if (flags & DESC_RENDEZVOUS) {
        ret->rendezvous = ret->sized = true;
        ret->bytes = view_uint(desc, F(ucp_recv_desc_tags, rendezvous_size));
    } else if (flags & DESC_EAGER && flags & DESC_EAGER_ONLY) {
        const uint64_t header = flags & DESC_SYNC ? HEADER_WHOLE_SYNC : HEADER_WHOLE;
        if (length < offset || (offset != header && !(flags & DESC_OFFLOAD)))
            return trail_begin(&ucp->inf->trail, STATUS_CORRUPT,
                               "libucp's message at %#llx: %llu bytes, of which its header has "
                               "%llu",
                               (unsigned long long) ret->addr, (unsigned long long) length,
                               (unsigned long long) offset);
        ret->sized = true;
        ret->bytes = length - offset;
    } else if (flags & DESC_EAGER) {
        ret->sized = true;
        ret->bytes = view_uint(desc, F(ucp_recv_desc_tags, total));
    }
    return STATUS_OK;
}

enum status
ucp_message_load(const struct ucp *ucp, taddr addr, struct ucp_message *ret)
{
    struct view desc;

    TRY(view_load(ucp->inf, &ucp->layout, S(ucp_recv_desc_tags), addr, &desc));
    *ret = (struct ucp_message){.addr = addr, .tag = view_uint(&desc, F(ucp_recv_desc_tags, tag))};
    return measure(ucp, &desc, ret);
}

enum status
ucp_state_load(const struct ucp *ucp, taddr addr, struct ucp_state *ret)
{
    struct view view;

    TRY(view_load(ucp->inf, &ucp->layout, S(ucp_request_recv), addr, &view));
    const uint64_t flags = view_uint(&view, F(ucp_request_recv, flags));
    *ret = (struct ucp_state){
        .receives = flags & REQUEST_RECV_TAG,
        // A released one has lost its callback; libucp's own have neither.
        .sends = flags & REQUEST_SEND_TAG ||
                 (flags & REQUEST_PROTO_SEND && flags & (REQUEST_CALLBACK | REQUEST_RELEASED)),
        .complete = flags & REQUEST_COMPLETED,
        .released = flags & REQUEST_RELEASED,
        .has_callback = flags & REQUEST_CALLBACK,
    };
    return STATUS_OK;
}

uint32_t
ucp_request_size(const struct ucp *ucp)
{
    return ucp->layout.structs[S(ucp_request_recv)].size;
}

// A class that stands beside the datatype is one of libucp's.
static enum status
check_class(const struct ucp *ucp, const struct view *view, unsigned class_field)
{
    const uint64_t class = view_uint(view, class_field);

    if (class <= DATATYPE_CLASS && DATATYPE_CLASSES & 1u << class)
        return STATUS_OK;
    return trail_begin(&ucp->inf->trail, STATUS_CORRUPT,
                       "libucp's request at %#llx: a datatype of class %llu",
                       (unsigned long long) view->addr, (unsigned long long) class);
}

// Bytes of an element of data in one piece: a word that has the class in its lowest bits has them
// above.
static uint64_t
element_of(const struct view *view)
{
    const uint64_t word = view_uint(view, F(ucp_request_recv, datatype));

    return view_has(view, F(ucp_request_recv, dt_class)) || word & DATATYPE_CLASS
               ? 0
               : word >> DATATYPE_SHIFT;
}

// Sets both of an operation as its datatype says.
static void
add_datatype(const struct ucp *ucp, const struct view *view, unsigned field, unsigned class_field,
             taddr *ret_buffer, taddr *ret)
{
    if (!view_has(view, field))
        return;
    const uint64_t word = view_uint(view, field);
    const uint64_t class = view_has(view, class_field) ? view_uint(view, class_field) : word;
    switch (class & DATATYPE_CLASS) {
    case DATATYPE_PIECES:
        *ret_buffer = 0;
        return;
    case DATATYPE_GENERIC:
        if (inferior_read_pointer(ucp->inf, word & ~(uint64_t) DATATYPE_CLASS, ret) != STATUS_OK)
            trail_reset(&ucp->inf->trail);
        return;
    default:
        return;
    }
}

enum status
ucp_receive_load(const struct ucp *ucp, taddr addr, struct ucp_receive *ret)
{
    struct view view;

    TRY(view_load(ucp->inf, &ucp->layout, S(ucp_request_recv), addr, &view));
    *ret = (struct ucp_receive){
        .tag = view_uint(&view, F(ucp_request_recv, tag)),
        .tag_mask = view_uint(&view, F(ucp_request_recv, tag_mask)),
        .sequence = view_uint(&view, F(ucp_request_recv, sn)),
        .buffer = view_uint(&view, F(ucp_request_recv, buffer)),
        .element = element_of(&view),
        .bytes = view_uint(&view, F(ucp_request_recv, length)),
        .user_data = view_uint(&view, F(ucp_request_recv, user_data)),
        .worker = view_uint(&view, F(ucp_request_recv, worker)),
        .sender_tag = view_uint(&view, F(ucp_request_recv, sender_tag)),
        .sender_bytes = view_uint(&view, F(ucp_request_recv, sender_length)),
    };
    add_datatype(ucp, &view, F(ucp_request_recv, datatype), F(ucp_request_recv, dt_class),
                 &ret->buffer, &ret->datatype);
    return STATUS_OK;
}

// Whether a protocol was chosen for this send and a synchronous one. Releases differ in where it
// says so: what stands there must be of the send's class, and have pieces.
static bool
is_synchronous(const struct view *config, const struct view *send)
{
    const uint8_t *chosen = view_bytes(config, F(ucp_proto_config_t, select_param));

    return (chosen[PROTO_OPERATION] & PROTO_OPERATION_BITS) == PROTO_SEND_SYNC &&
           chosen[PROTO_PIECES] != 0 &&
           (!view_has(send, F(ucp_request_proto, dt_class)) ||
            chosen[PROTO_CLASS] == view_uint(send, F(ucp_request_proto, dt_class)));
}

// A send that follows a protocol has its buffer elsewhere, and no flag that says whether it is
// synchronous.
static enum status
load_proto(const struct ucp *ucp, taddr addr, struct ucp_send *ret)
{
    struct view view, config;

    TRY(view_load(ucp->inf, &ucp->layout, S(ucp_request_proto), addr, &view));
    TRY(check_class(ucp, &view, F(ucp_request_proto, dt_class)));
    ret->buffer = view_uint(&view, F(ucp_request_proto, buffer));
    ret->bytes = view_uint(&view, F(ucp_request_proto, length));
    add_datatype(ucp, &view, F(ucp_request_proto, datatype), F(ucp_request_proto, dt_class),
                 &ret->buffer, &ret->datatype);
    const taddr at = view_uint(&view, F(ucp_request_proto, proto_config));
    if (at == 0 || ucp->layout.structs[S(ucp_proto_config_t)].origin == ORIGIN_NONE)
        return STATUS_OK;
    TRY(view_load(ucp->inf, &ucp->layout, S(ucp_proto_config_t), at, &config));
    ret->synchronous = is_synchronous(&config, &view);
    return STATUS_OK;
}

// Where the word of a send was, libucp puts the address of the receiver's data, or of what gives
// access to it; a protocol puts 0 if the receiver has told none.
static bool
may_move(uint64_t flags, uint64_t word)
{
    enum { PAGE = 4096, TOP_BYTE = 56 };

    if (flags & REQUEST_SENT)
        return false;
    return word == 0 ? flags & REQUEST_PROTO_SEND : word >= PAGE && word >> TOP_BYTE != UINT8_MAX;
}

enum status
ucp_send_load(const struct ucp *ucp, taddr addr, struct ucp_send *ret)
{
    struct view view;

    TRY(view_load(ucp->inf, &ucp->layout, S(ucp_request_send), addr, &view));
    const uint64_t flags = view_uint(&view, F(ucp_request_send, flags));
    *ret = (struct ucp_send){
        .tag = view_uint(&view, F(ucp_request_send, tag)),
        .endpoint = view_uint(&view, F(ucp_request_send, ep)),
        .buffer = view_uint(&view, F(ucp_request_send, buffer)),
        .bytes = view_uint(&view, F(ucp_request_send, length)),
        .callback = flags & REQUEST_CALLBACK ? view_uint(&view, F(ucp_request_send, cb)) : 0,
        .synchronous = flags & REQUEST_SYNC,
        .may_move = may_move(flags, view_uint(&view, F(ucp_request_send, tag))),
    };
    if (flags & REQUEST_PROTO_SEND &&
        ucp->layout.structs[S(ucp_request_proto)].origin != ORIGIN_NONE)
        return load_proto(ucp, addr, ret);
    add_datatype(ucp, &view, F(ucp_request_send, datatype), F(ucp_request_send, dt_class),
                 &ret->buffer, &ret->datatype);
    return STATUS_OK;
}
