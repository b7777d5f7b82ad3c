// SPDX-License-Identifier: BSD-3-Clause
// Messages within a node that a process has not looked at yet, as it computes: they are in shared
// memory, in its queue and in the fast boxes of its neighbours, and ob1's lists do not have them.
#include "mpi-impl-adapters/openmpi/search.h"

#include <string.h>

enum {
    PROCESSES_MAX = 1 << 12, // of a node
    FRAGMENTS_MAX = 1 << 16, // in the queue
    FAST_BOX_MAX = 1 << 24,  // bytes
    FAST_BOX_UNIT = 32,      // bytes; messages and the first one of a box begin at multiples
    FAST_BOX_HEADER = 8,
    TAG_SKIP = 0xff,     // the rest of the box is not in use
    TAG_FRAGMENT = 0xfe, // the message is not here, but a place in the senders' memory
    TAG_PML_FIRST = 0x40,
    TAG_PML_LAST = 0x5f,
    FLAG_SINGLE_COPY = 1,    // a part of the data is in the sender's own memory
    FLAG_COMPLETE = 2,       // a fragment of this process's own that has come back
    FLAG_FAST_BOX = 4,       // from now on the sender uses a fast box
    PLACE_FREE = 0xfffffffe, // the lower half of no place
};

/** The transport, as it is in this process. */
struct node {
    const struct search *search;
    uint32_t *numbers; // of the communicators, as headers have them
    taddr endpoints;   // one for each process of the node
    uint32_t n_processes;
    uint64_t box_size; // bytes
    taddr boxes;       // pointers to those endpoints that have one
    uint32_t n_boxes;
    taddr queue;
};

static enum status
load_endpoint(const struct node *node, uint32_t process, struct view *ret)
{
    const struct mpi *mpi = node->search->mpi;
    const uint32_t stride = mpi->layout->structs[S(mca_btl_vader_endpoint_t)].size;

    return view_load(mpi->inf, mpi->layout, S(mca_btl_vader_endpoint_t),
                     node->endpoints + (taddr) process * stride, ret);
}

// The address of a place. @return STATUS_END: it is none
static enum status
find_place(const struct node *node, uint64_t place, taddr *ret)
{
    const uint64_t process = place >> 32;
    struct view view;

    if ((uint32_t) place == PLACE_FREE)
        return STATUS_END;
    if (process >= node->n_processes)
        return trail_begin(&node->search->mpi->inf->trail, STATUS_CORRUPT,
                           "a message of process %llu of %u of the node",
                           (unsigned long long) process, node->n_processes);
    TRY(load_endpoint(node, (uint32_t) process, &view));
    const taddr base = view_uint(&view, F(mca_btl_vader_endpoint_t, segment_base));
    if (base == 0)
        return trail_begin(&node->search->mpi->inf->trail, STATUS_CORRUPT,
                           "a message of process %llu, whose memory is not mapped",
                           (unsigned long long) process);
    *ret = base + (uint32_t) place;
    return STATUS_OK;
}

static bool
find_comm(const struct node *node, uint32_t number, uint32_t *ret)
{
    for (*ret = 0; *ret < node->search->sink->n_comms; ++*ret)
        if (node->numbers[*ret] == number && node->search->ob1[*ret].present)
            return true;
    return false;
}

// What a process sends to itself takes another way: a fragment of its own has come back.
static bool
is_own(const struct comm *comm, const struct fragment *fragment)
{
    return !comm->inter && fragment->source == comm->rank;
}

// What ob1 would find in it. A message that it has found already is a stale copy.
static enum status
emit(const struct node *node, const struct fragment *fragment)
{
    const struct search *search = node->search;
    uint32_t comm;
    struct ob1_peer peer;

    if (fragment->tag < 0 || fragment->source < 0 || !find_comm(node, fragment->context, &comm) ||
        fragment->source >= search->ob1[comm].n_peers ||
        is_own(&search->sink->comms[comm], fragment))
        return STATUS_OK;
    const enum status status =
        ob1_peer_load(search->mpi, &search->ob1[comm], (uint32_t) fragment->source, &peer);
    if (status != STATUS_OK && status != STATUS_ABSENT)
        return status;
    const uint16_t expected = status == STATUS_OK ? peer.expected : 1;
    const uint16_t ahead = (uint16_t) (fragment->sequence - expected);
    if (ahead > INT16_MAX)
        return STATUS_OK;
    const struct op_ref ref = {
        .addr = fragment->data,
        .buffer = fragment->data,
        .count = fragment->bytes,
        .peer = (int32_t) fragment->source,
        .tag = (int32_t) fragment->tag,
        .comm = comm,
        .major = (uint32_t) fragment->source,
        .order = (status == STATUS_OK ? (uint32_t) peer.n_messages : 0) + ahead,
        .class = OP_UNEXPECTED,
        .flags = REF_WHOLE | REF_TRANSIT | (fragment->rendezvous ? REF_RENDEZVOUS : 0),
    };
    return search->sink->emit(search->sink, &ref);
}

// A header of ob1's and what is behind it. @param elsewhere bytes that are in the sender's memory
static enum status
visit_message(const struct node *node, taddr header, uint64_t length, uint64_t elsewhere,
              uint64_t tag)
{
    struct fragment fragment;

    if (tag < TAG_PML_FIRST || tag > TAG_PML_LAST)
        return STATUS_OK;
    const enum status status = fragment_decode(node->search->mpi, header, length, &fragment);
    if (status == STATUS_ABSENT)
        return STATUS_OK;
    TRY(status);
    if (!fragment.sized || elsewhere > INT64_MAX - fragment.bytes)
        return STATUS_OK;
    if (!fragment.rendezvous)
        fragment.bytes += elsewhere;
    return emit(node, &fragment);
}

/** What is known of a fragment besides its message. */
struct fragment_header {
    uint64_t flags;
    uint64_t next; // place of the next in the queue
    uint64_t box;  // place of the fast box
};

static enum status
visit_fragment(const struct node *node, taddr addr, struct fragment_header *ret)
{
    const struct mpi *mpi = node->search->mpi;
    struct view view;
    uint64_t elsewhere = 0;

    TRY(view_load(mpi->inf, mpi->layout, S(mca_btl_vader_hdr_t), addr, &view));
    const uint8_t *part = view_bytes(&view, F(mca_btl_vader_hdr_t, sc_iov));
    const int64_t length = view_int(&view, F(mca_btl_vader_hdr_t, len));
    ret->flags = view_uint(&view, F(mca_btl_vader_hdr_t, flags));
    ret->next = view_uint(&view, F(mca_btl_vader_hdr_t, next));
    ret->box = view_uint(&view, F(mca_btl_vader_hdr_t, fbox_base));
    if (ret->flags & FLAG_COMPLETE || length < 0)
        return STATUS_OK;
    if (ret->flags & FLAG_SINGLE_COPY)
        elsewhere = datamodel_uint(&mpi->inf->model, part + mpi->inf->model.pointer_size,
                                   mpi->inf->model.pointer_size);
    return visit_message(node, addr + mpi->layout->structs[S(mca_btl_vader_hdr_t)].size,
                         (uint64_t) length, elsewhere,
                         view_uint(&view, F(mca_btl_vader_hdr_t, tag)));
}

/** A fast box: where its reader is. */
struct box {
    taddr buffer;
    uint64_t at;       // byte
    uint64_t sequence; // of the next message, 16 bits
};

static void
decode_box(const struct mpi *mpi, const uint8_t *bytes, struct box *ret)
{
    const struct datamodel *model = &mpi->inf->model;
    const uint8_t *start = bytes + 2 * (size_t) model->pointer_size;

    ret->buffer = datamodel_uint(model, bytes, model->pointer_size);
    ret->at = datamodel_uint(model, start, 4) & INT32_MAX; // above: which time around it is
    ret->sequence = datamodel_uint(model, start + 4, 2);
}

// @return STATUS_END when there is no message there
static enum status
visit_boxed(const struct node *node, struct box *box)
{
    const struct mpi *mpi = node->search->mpi;
    const struct datamodel *model = &mpi->inf->model;
    const taddr addr = box->buffer + box->at;
    uint8_t header[FAST_BOX_HEADER];
    struct fragment_header inside;
    uint64_t place;
    taddr fragment;

    TRY(inferior_read(mpi->inf, addr, sizeof(header), header));
    const uint64_t size = datamodel_uint(model, header, 4);
    const uint64_t tag = datamodel_uint(model, header + 4, 2);
    if (tag == 0 || datamodel_uint(model, header + 6, 2) != box->sequence)
        return STATUS_END;
    if (size > node->box_size - box->at)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                           "a message of %llu bytes in a fast "
                           "box of %llu",
                           (unsigned long long) size, (unsigned long long) node->box_size);
    box->sequence = (box->sequence + 1) & UINT16_MAX;
    box->at += (size + FAST_BOX_HEADER + FAST_BOX_UNIT - 1) / FAST_BOX_UNIT * FAST_BOX_UNIT;
    if (tag == TAG_FRAGMENT) {
        TRY(inferior_read_uint(mpi->inf, addr + FAST_BOX_HEADER, sizeof(place), &place));
        TRY(find_place(node, place, &fragment));
        return visit_fragment(node, fragment, &inside);
    }
    return tag == TAG_SKIP ? STATUS_OK : visit_message(node, addr + FAST_BOX_HEADER, size, 0, tag);
}

// A message takes a unit at least.
static enum status
visit_box(const struct node *node, struct box box)
{
    enum status status = STATUS_OK;

    for (uint64_t i = 0; status == STATUS_OK && i <= node->box_size / FAST_BOX_UNIT; ++i) {
        if (box.at >= node->box_size)
            box.at = FAST_BOX_UNIT;
        status = visit_boxed(node, &box);
    }
    return status == STATUS_END ? STATUS_OK : status;
}

static enum status
visit_box_of(const struct node *node, uint32_t number)
{
    const struct mpi *mpi = node->search->mpi;
    struct view view;
    struct box box;
    taddr addr;

    TRY(inferior_read_pointer(mpi->inf, node->boxes + (taddr) number * mpi->inf->model.pointer_size,
                              &addr));
    TRY(view_load(mpi->inf, mpi->layout, S(mca_btl_vader_endpoint_t), addr, &view));
    decode_box(mpi, view_bytes(&view, F(mca_btl_vader_endpoint_t, fbox_in)), &box);
    return visit_box(node, box);
}

// A fragment may announce a fast box that its sender already uses.
static enum status
visit_announced(const struct node *node, const struct fragment_header *header)
{
    struct box box = {.at = FAST_BOX_UNIT};

    if (!(header->flags & FLAG_FAST_BOX))
        return STATUS_OK;
    TRY(find_place(node, header->box, &box.buffer));
    return visit_box(node, box);
}

static enum status
visit_queue(const struct node *node)
{
    const struct mpi *mpi = node->search->mpi;
    struct fragment_header header;
    enum status status;
    uint64_t place;
    taddr addr;

    TRY(inferior_read_uint(mpi->inf, node->queue, sizeof(place), &place));
    for (uint32_t i = 0; (status = find_place(node, place, &addr)) == STATUS_OK; ++i) {
        if (i == FRAGMENTS_MAX)
            return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "more than %u messages",
                               (unsigned) FRAGMENTS_MAX);
        TRY(visit_fragment(node, addr, &header));
        TRY(visit_announced(node, &header));
        place = header.next;
    }
    return status == STATUS_END ? STATUS_OK : status;
}

// BTL sm does not have the number of endpoints: those that are made are counted.
// @return STATUS_ABSENT when there is none, or of another layout
static enum status
count_endpoints(const struct node *node, uint64_t *ret)
{
    const struct mpi *mpi = node->search->mpi;
    const uint32_t stride = mpi->layout->structs[S(mca_btl_vader_endpoint_t)].size;
    struct view object, class;
    bool same;

    TRY(view_load(mpi->inf, mpi->layout, S(opal_object_t), node->endpoints, &object));
    const taddr class_addr = view_uint(&object, F(opal_object_t, obj_class));
    if (class_addr == 0)
        return STATUS_ABSENT;
    TRY(openmpi_class_is(mpi, class_addr, "mca_btl_sm_endpoint_t", &same));
    TRY(view_load(mpi->inf, mpi->layout, S(opal_class_t), class_addr, &class));
    if (!same || view_uint(&class, F(opal_class_t, cls_sizeof)) != stride)
        return STATUS_ABSENT;
    for (*ret = 1; *ret < PROCESSES_MAX; ++*ret) {
        const enum status status = view_load(mpi->inf, mpi->layout, S(opal_object_t),
                                             node->endpoints + *ret * stride, &object);
        if (status != STATUS_OK)
            return status == STATUS_UNREADABLE ? STATUS_OK : status;
        if (view_uint(&object, F(opal_object_t, obj_class)) != class_addr)
            break;
    }
    return STATUS_OK;
}

// What is known of the layout is confirmed by this process's own endpoint, which has its segment.
static enum status
confirm(const struct node *node, taddr segment)
{
    struct view view;

    for (uint32_t i = 0; i < node->n_processes; ++i) {
        TRY(load_endpoint(node, i, &view));
        if (view_uint(&view, F(mca_btl_vader_endpoint_t, segment_base)) == segment)
            return STATUS_OK;
    }
    return trail_begin(&node->search->mpi->inf->trail, STATUS_MISMATCH,
                       "none of %u processes is this one", node->n_processes);
}

// The component is too long for a view.
static enum status
read_part(const struct node *node, taddr component, unsigned field, uint64_t *ret)
{
    const struct field_layout *layout = &node->search->mpi->layout->fields[field];

    return inferior_read_uint(node->search->mpi->inf, component + (uint32_t) layout->offset,
                              layout->width, ret);
}

// @return STATUS_ABSENT when there is no such transport in use here
static enum status
load_node(struct node *node)
{
    const struct mpi *mpi = node->search->mpi;
    struct inferior *inf = mpi->inf;
    const bool is_vader = mpi->layout->fields[F(mca_btl_vader_component_t, local_rank)].offset >= 0;
    uint64_t n, n_boxes, segment;
    taddr addr;

    TRY(inferior_symbol(inf, is_vader ? "mca_btl_vader_component" : "mca_btl_sm_component", &addr));
    TRY(read_part(node, addr, F(mca_btl_vader_component_t, my_segment), &segment));
    TRY(read_part(node, addr, F(mca_btl_vader_component_t, fbox_size), &node->box_size));
    TRY(read_part(node, addr, F(mca_btl_vader_component_t, endpoints), &node->endpoints));
    TRY(read_part(node, addr, F(mca_btl_vader_component_t, fbox_in_endpoints), &node->boxes));
    TRY(read_part(node, addr, F(mca_btl_vader_component_t, num_fbox_in_endpoints), &n_boxes));
    TRY(read_part(node, addr, F(mca_btl_vader_component_t, my_fifo), &node->queue));
    if (node->endpoints == 0 || node->queue == 0)
        return STATUS_ABSENT;
    TRY(is_vader ? read_part(node, addr, F(mca_btl_vader_component_t, local_rank), &n)
                 : count_endpoints(node, &n));
    if (n == 0 || n > PROCESSES_MAX || n_boxes > n || node->box_size > FAST_BOX_MAX)
        return trail_begin(&inf->trail, STATUS_CORRUPT, "%llu processes, %llu fast boxes",
                           (unsigned long long) n, (unsigned long long) n_boxes);
    node->n_processes = (uint32_t) n;
    node->n_boxes = (uint32_t) n_boxes;
    return confirm(node, segment);
}

static enum status
number_comms(struct node *node, struct arena *arena)
{
    const struct search *search = node->search;
    const uint32_t n = search->sink->n_comms;
    struct view view;

    node->numbers = arena_alloc(arena, (size_t) n + 1, sizeof(*node->numbers));
    if (node->numbers == NULL)
        return STATUS_NOMEM;
    for (uint32_t i = 0; i < n; ++i) {
        TRY(view_load(search->mpi->inf, search->mpi->layout, S(ompi_communicator_t),
                      search->sink->comms[i].addr, &view));
        node->numbers[i] = (uint32_t) openmpi_comm_number(&view);
    }
    return STATUS_OK;
}

static enum status
visit_all(const struct node *node)
{
    enum status worst = visit_queue(node);

    for (uint32_t i = 0; i < node->n_boxes && worst != STATUS_NOMEM; ++i) {
        const enum status status = visit_box_of(node, i);
        if (status != STATUS_OK)
            worst = trail_prepend(&node->search->mpi->inf->trail, status, "fast box %u", i);
    }
    return worst;
}

enum status
search_transit(const struct search *search, struct arena *arena)
{
    const struct layout *layout = search->mpi->layout;
    struct node node = {.search = search};

    if (search->mpi->inf->model.pointer_size != sizeof(uint64_t) || search->sink->n_comms == 0 ||
        layout->structs[S(mca_btl_vader_component_t)].origin == ORIGIN_NONE ||
        layout->structs[S(mca_btl_vader_endpoint_t)].origin == ORIGIN_NONE ||
        layout->structs[S(mca_btl_vader_hdr_t)].origin == ORIGIN_NONE)
        return STATUS_OK;
    enum status status = load_node(&node);
    if (status == STATUS_OK)
        status = number_comms(&node, arena);
    if (status == STATUS_OK)
        status = visit_all(&node);
    if (status == STATUS_OK || status == STATUS_ABSENT || status == STATUS_NOMEM)
        return status == STATUS_NOMEM ? status : STATUS_OK;
    // Cores do not have it as a rule. What ob1's own lists have is complete.
    if (status == STATUS_UNREADABLE) {
        trail_reset(&search->mpi->inf->trail);
        return STATUS_OK;
    }
    trail_prepend(&search->mpi->inf->trail, status, "messages in shared memory");
    return search_survive(search, 0, OP_UNEXPECTED, status);
}
