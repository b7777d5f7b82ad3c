// SPDX-License-Identifier: BSD-3-Clause
// Whether a layout is that of the provider in a process, by what a queue must have: an owner, lists
// that are closed, messages whose headers have their tags.
#include "mpi-impl-adapters/ofi/layout.h"

enum { KIND_TAGGED = 2, CLASS_ENDPOINT = 3, CLASS_RECEIVER = 5 };

static enum status
refuse(const struct ofi *ofi, const char *what)
{
    return trail_begin(&ofi->inf->trail, STATUS_CORRUPT, "libfabric's endpoint at %#llx: %s",
                       (unsigned long long) ofi->endpoint, what);
}

// The pointers to the items before the first and behind the last lead back to the list.
static enum status
confirm_list(const struct ofi *ofi, const struct view *queue, unsigned first, unsigned last)
{
    const taddr head = view_addr(queue, first);
    const taddr width = ofi->inf->model.pointer_size;
    taddr before, after;

    TRY(inferior_read_pointer(ofi->inf, view_uint(queue, first) + width, &before));
    TRY(inferior_read_pointer(ofi->inf, view_uint(queue, last), &after));
    return before == head && after == head ? STATUS_OK : refuse(ofi, "a list is open");
}

// Likewise, of a list whose two pointers follow each other.
static enum status
confirm_ring(const struct ofi *ofi, taddr head)
{
    const taddr width = ofi->inf->model.pointer_size;
    taddr first, last, before, after;

    TRY(inferior_read_pointer(ofi->inf, head, &first));
    TRY(inferior_read_pointer(ofi->inf, head + width, &last));
    TRY(inferior_read_pointer(ofi->inf, first + width, &before));
    TRY(inferior_read_pointer(ofi->inf, last, &after));
    return before == head && after == head ? STATUS_OK : refuse(ofi, "a list is open");
}

// The attributes' pointer to a receiver.
static enum status
load_receiver(const struct ofi *ofi, taddr attributes, uint64_t number, taddr *ret)
{
    struct view view;

    TRY(view_load(ofi->inf, &ofi->layout, S(ofi_attributes), attributes, &view));
    return inferior_read_pointer(ofi->inf,
                                 view_uint(&view, F(ofi_attributes, receivers)) +
                                     number * ofi->inf->model.pointer_size,
                                 ret);
}

// A member that is there has a value.
static enum status
confirm_member(const struct ofi *ofi, unsigned field, uint64_t wanted)
{
    uint64_t value;

    if (ofi->layout.fields[field].offset < 0)
        return STATUS_OK;
    TRY(ofi_member_load(ofi, field, &value));
    return value == wanted ? STATUS_OK : refuse(ofi, "its queues are another one's");
}

// So do the lists of a domain.
static enum status
confirm_domain(const struct ofi *ofi)
{
    struct view domain;
    taddr addr;

    if (ofi->layout.fields[F(ofi_shared, domain)].offset < 0)
        return STATUS_OK;
    TRY(ofi_member_load(ofi, F(ofi_shared, domain), &addr));
    TRY(view_load(ofi->inf, &ofi->layout, S(ofi_domain), addr, &domain));
    TRY(confirm_ring(ofi, view_addr(&domain, F(ofi_domain, connections))));
    return confirm_ring(ofi, view_addr(&domain, F(ofi_domain, sources)));
}

// They say where they are or whose, and how long what they have is.
enum status
ofi_confirm_shared(struct ofi *ofi)
{
    const struct struct_layout *structs = ofi->layout.structs;
    struct view endpoint;

    TRY(view_load(ofi->inf, &ofi->layout, S(ofi_endpoint), ofi->endpoint, &endpoint));
    ofi->queue = view_uint(&endpoint, F(ofi_endpoint, shared));
    if (ofi->queue == 0)
        return refuse(ofi, "it has no queues");
    TRY(confirm_member(ofi, F(ofi_shared, self), ofi->queue));
    TRY(confirm_member(ofi, F(ofi_shared, owner), ofi->endpoint));
    TRY(confirm_member(ofi, F(ofi_shared, list_size), structs[S(ofi_list)].size));
    TRY(confirm_member(ofi, F(ofi_shared, source_size), structs[S(ofi_source)].size));
    return confirm_domain(ofi);
}

// What owns the queue leads to it.
static enum status
find_queue(struct ofi *ofi)
{
    const int32_t inside = ofi->layout.fields[F(ofi_endpoint, queue)].offset;
    struct view endpoint;

    ofi->queue = ofi->endpoint;
    if (inside >= 0) {
        ofi->queue += (taddr) inside;
        return STATUS_OK;
    }
    TRY(view_load(ofi->inf, &ofi->layout, S(ofi_endpoint), ofi->endpoint, &endpoint));
    if (view_uint(&endpoint, F(ofi_endpoint, class)) == CLASS_RECEIVER)
        return STATUS_OK;
    if (view_uint(&endpoint, F(ofi_endpoint, class)) != CLASS_ENDPOINT)
        return refuse(ofi, "it is of another class");
    return load_receiver(ofi, view_uint(&endpoint, F(ofi_endpoint, attributes)), 0, &ofi->queue);
}

static enum status
confirm_owner(const struct ofi *ofi, const struct view *queue)
{
    const taddr owner = view_uint(queue, F(ofi_queue, owner));
    taddr receiver;

    if (!view_has(queue, F(ofi_queue, number)))
        return owner == ofi->endpoint ? STATUS_OK : refuse(ofi, "its queue is another one's");
    TRY(load_receiver(ofi, owner, view_uint(queue, F(ofi_queue, number)), &receiver));
    return receiver == ofi->queue ? STATUS_OK : refuse(ofi, "its queue is none of its owner's");
}

enum status
ofi_confirm_queue(struct ofi *ofi)
{
    struct view queue;

    TRY(find_queue(ofi));
    TRY(view_load(ofi->inf, &ofi->layout, S(ofi_queue), ofi->queue, &queue));
    TRY(confirm_owner(ofi, &queue));
    if (view_has(&queue, F(ofi_queue, kind)) &&
        view_uint(&queue, F(ofi_queue, kind)) != KIND_TAGGED)
        return refuse(ofi, "its queue is not one of tagged messages");
    TRY(confirm_list(ofi, &queue, F(ofi_queue, receives), F(ofi_queue, receives_last)));
    return confirm_list(ofi, &queue, F(ofi_queue, messages), F(ofi_queue, messages_last));
}
