// SPDX-License-Identifier: BSD-3-Clause
// Whether a layout is that of the provider in a process, by what a queue must have: an owner, lists
// that are closed, messages whose headers have their tags.
#include "mpi-impl-adapters/ofi/layout.h"

enum { KIND_TAGGED = 2 };

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

enum status
ofi_confirm(struct ofi *ofi)
{
    struct view queue;

    ofi->queue = ofi->endpoint + (taddr) ofi->layout.fields[F(ofi_endpoint, queue)].offset;
    TRY(view_load(ofi->inf, &ofi->layout, S(ofi_queue), ofi->queue, &queue));
    if (view_uint(&queue, F(ofi_queue, owner)) != ofi->endpoint)
        return refuse(ofi, "its queue is another one's");
    if (view_uint(&queue, F(ofi_queue, kind)) != KIND_TAGGED)
        return refuse(ofi, "its queue is not one of tagged messages");
    TRY(confirm_list(ofi, &queue, F(ofi_queue, receives), F(ofi_queue, receives_last)));
    return confirm_list(ofi, &queue, F(ofi_queue, messages), F(ofi_queue, messages_last));
}
