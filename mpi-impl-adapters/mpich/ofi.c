// SPDX-License-Identifier: BSD-3-Clause
// MPICH's endpoint of libfabric: which receives have no message yet, which sends wait for their
// receiver's answer, and the messages that nobody has received.
#include "mpi-impl-adapters/mpich/ofi.h"

#include "mpi-impl-adapters/mpich/ch4.h"

#include <stdio.h>
#include <string.h>

enum { RANK_BITS = 30 }; // of what is beside a word

enum status
ofi_global_load(const struct mpi *mpi, taddr addr, uint32_t vci, struct ofi_global *ret)
{
    const taddr next = mpi->inf->model.pointer_size;
    const taddr stride = mpi->layout->structs[S(MPIDI_OFI_context_t)].size;
    struct view global, ctx, info, fabric;
    taddr second;

    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_OFI_global_t), addr, &global));
    TRY(inferior_read_pointer(mpi->inf, view_addr(&global, F(MPIDI_OFI_global_t, prov_use)) + next,
                              &second));
    TRY(view_load(mpi->inf, mpi->layout, S(fi_info),
                  view_uint(&global, F(MPIDI_OFI_global_t, prov_use)), &info));
    TRY(view_load(mpi->inf, mpi->layout, S(fi_fabric_attr),
                  view_uint(&info, F(fi_info, fabric_attr)), &fabric));
    TRY(inferior_read_string(mpi->inf, view_uint(&fabric, F(fi_fabric_attr, prov_name)),
                             sizeof(ret->provider), ret->provider));
    const taddr room = mpi->layout->structs[S(MPIDI_OFI_global_t)].size -
                       (taddr) mpi->layout->fields[F(MPIDI_OFI_global_t, ctx)].offset;
    if ((vci + 1) * stride > room)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                           "MPIDI_OFI_global_t has no room for it");
    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_OFI_context_t),
                  view_addr(&global, F(MPIDI_OFI_global_t, ctx)) + vci * stride, &ctx));
    ret->endpoint = view_uint(&ctx, F(MPIDI_OFI_context_t, rx));
    ret->several = second != 0;
    return STATUS_OK;
}

/** Of a word: MPICH's own bits, from which release on it may have the sender's rank, and the parts
 * that it has where the rank is beside it. */
enum { OWN_BITS = 5, RELEASE_WITH_SOURCE = RELEASE_4_2 };
static const struct ofi_form form_without_source = {31, 0, 20, 51};

// The first of the settings' flags says that the rank is beside the word, whatever room it has
// there.
static enum status
load_settings(const struct mpi *mpi, taddr global, struct ofi_form *ret)
{
    const taddr addr = global + (taddr) mpi->layout->fields[F(MPIDI_OFI_global_t, settings)].offset;
    struct view view;
    uint64_t flags;

    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_OFI_capabilities_t), addr, &view));
    TRY(inferior_read_uint(mpi->inf, addr, sizeof(uint32_t), &flags));
    const int64_t tag = view_int(&view, F(MPIDI_OFI_capabilities_t, tag_bits));
    const int64_t source = view_int(&view, F(MPIDI_OFI_capabilities_t, source_bits));
    const int64_t context = view_int(&view, F(MPIDI_OFI_capabilities_t, context_bits));
    const bool beside = mpich_release(mpi->inf) < RELEASE_WITH_SOURCE || flags & 1;
    if (tag < 1 || tag > 31 || source < 0 || source > RANK_BITS || context < 1 || context > 32 ||
        tag + source + context > 64 - OWN_BITS || (source == 0 && !beside))
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                           "words have %lld bits of tag, %lld of source, %lld of context",
                           (long long) tag, (long long) source, (long long) context);
    *ret = (struct ofi_form){
        .tag_bits = (unsigned) tag,
        .source_bits = beside ? 0 : (unsigned) source,
        .context_bits = (unsigned) context,
        .own_shift = (unsigned) (tag + source + context),
    };
    return STATUS_OK;
}

// A library that was built for one provider has no settings.
static enum status
load_form(const struct mpi *mpi, taddr global, const char *provider, struct ofi_form *ret)
{
    if (mpi->layout->fields[F(MPIDI_OFI_global_t, settings)].offset >= 0 &&
        mpi->layout->structs[S(MPIDI_OFI_capabilities_t)].origin != ORIGIN_NONE)
        return load_settings(mpi, global, ret);
    *ret = form_without_source;
    return strcmp(provider, "sockets") == 0
               ? STATUS_OK
               : trail_begin(&mpi->inf->trail, STATUS_MISMATCH, "the form of words is not known");
}

enum status
ofi_netmod_open(const struct mpi *mpi, uint32_t vci, char provider[OFI_PROVIDER],
                struct ofi_form *form, struct ofi *ret)
{
    struct ofi_global global;
    taddr addr;

    provider[0] = '\0';
    TRY(inferior_symbol(mpi->inf, "MPIDI_OFI_global", &addr));
    TRY(ofi_global_load(mpi, addr, vci, &global));
    memcpy(provider, global.provider, sizeof(global.provider));
    TRY(load_form(mpi, addr, provider, form));
    if (global.several)
        return trail_begin(&mpi->inf->trail, STATUS_MISMATCH, "it has several network cards");
    return ofi_open(mpi->inf, mpi->layout, OFI_PLACE, provider, global.endpoint, ret);
}

void
ofi_limit(const struct mpi *mpi, char *ret, size_t size)
{
    char provider[OFI_PROVIDER];
    struct ofi_form form;
    struct ofi ofi;
    taddr addr;

    const bool noted = inferior_symbol(mpi->inf, "MPIR_Recvq_head", &addr) == STATUS_OK;
    const char *within_node = ch4_has_shared_memory(mpi->layout) && !noted
                                  ? "; MPICH keeps no tags of sends within a node"
                                  : "";
    trail_reset(&mpi->inf->trail);
    if (ofi_netmod_open(mpi, 0, provider, &form, &ofi) == STATUS_OK) {
        snprintf(ret, size,
                 "libfabric's provider %s has the queues of messages between nodes: it does not "
                 "show %sMPI_Probe, nor to whom sends go that are not synchronous%s",
                 provider, ofi_unread(&ofi), within_node);
        return;
    }
    const bool known = provider[0] != '\0';
    snprintf(ret, size,
             "MPICH hands messages between nodes to libfabric%s%s, whose queues cannot be read"
             "%s%.80s%s: %s%s",
             known ? "'s provider " : "", provider, known ? " (" : "",
             known ? trail_text(&mpi->inf->trail) : "", known ? ")" : "",
             noted ? "sends and receives are shown as MPICH notes them, those of collectives too, "
                     "but no messages that it has and nobody has received"
                   : "those are shown only as far as MPICH itself matches them",
             within_node);
}

// MPICH's own bits: an answer, in all releases; and which of the others a user's message may have.
enum { OWN_ANSWER = 1 };

static const struct own {
    unsigned since; // release
    unsigned synchronous;
    unsigned announced; // the data is still at the sender
} own_bits[] = {
    {RELEASE_4_2, 8, 16},
    {RELEASE_4_1, 4, 8},
    {0, 2, 8},
};

struct word {
    uint32_t context;
    uint32_t rank; // where the form has it
    int32_t tag;
    unsigned own;
};

static uint64_t
low_bits(uint64_t value, unsigned bits)
{
    return value & ((UINT64_C(1) << bits) - 1);
}

static struct word
split(const struct search *search, uint64_t word)
{
    const struct ofi_form form = search->form;

    return (struct word){
        .tag = (int32_t) low_bits(word, form.tag_bits),
        .rank = (uint32_t) low_bits(word >> form.tag_bits, form.source_bits),
        .context =
            (uint32_t) low_bits(word >> (form.tag_bits + form.source_bits), form.context_bits),
        .own = (unsigned) (word >> form.own_shift),
    };
}

static const struct own *
own_bits_of(const struct search *search)
{
    unsigned i = 0;

    while (own_bits[i].since > search->release)
        ++i;
    return &own_bits[i];
}

// Bits of MPICH's own do not count, but an answer is for one send.
static enum status
check_form(const struct search *search, const struct ofi_receive *receive)
{
    const struct own *own = own_bits_of(search);
    const unsigned open = own->synchronous | own->announced;

    if ((split(search, receive->ignore).own & open) == open ||
        split(search, receive->tag).own & OWN_ANSWER)
        return STATUS_OK;
    return trail_begin(&search->mpi->inf->trail, STATUS_CORRUPT,
                       "libfabric's receive at %#llx has another form of words than MPICH's",
                       (unsigned long long) receive->addr);
}

static enum status
add_posted(void *context, const struct ofi_receive *receive)
{
    const struct layout *layout;
    struct search *search = context;
    taddr request;

    TRY(check_form(search, receive));
    layout = search->mpi->layout;
    const int32_t request_at = layout->fields[F(MPIDI_OFI_ssendack_request_t, signal_req)].offset;
    const int32_t context_at = layout->fields[F(MPIDI_OFI_ssendack_request_t, context)].offset;
    TRY(map_add(search, &search->handed, receive->context, search->posted.count));
    if (split(search, receive->tag).own & OWN_ANSWER && request_at >= 0 && context_at >= 0) {
        TRY(inferior_read_pointer(search->mpi->inf,
                                  receive->context + (taddr) (request_at - context_at), &request));
        TRY(map_add(search, &search->answers, request, search->posted.count));
    }
    return addrs_add(search->arena, &search->posted, receive->addr);
}

// Calls `visit` with what libfabric has for each virtual interface, and reports which of them
// break.
static enum status
each_endpoint(struct search *search, enum op_class class,
              enum status (*visit)(void *context, const struct ofi *ofi), void *context)
{
    char provider[OFI_PROVIDER];
    struct ofi ofi = search->ofi;
    uint32_t count;

    const enum status counted = ch4_count_vcis(search->mpi, &count);
    search->unseen |= counted != STATUS_OK && class == OP_RECEIVE;
    TRY(search_report(search, class, counted));
    for (uint32_t i = 0; i == 0 || i < count; ++i) {
        enum status status = STATUS_OK;
        if (i > 0)
            status = ofi_netmod_open(search->mpi, i, provider, &search->form, &ofi);
        if (status == STATUS_OK)
            status = visit(context, &ofi);
        search->unseen |= status != STATUS_OK && class == OP_RECEIVE;
        if (status != STATUS_OK && count > 1)
            trail_prepend(&search->mpi->inf->trail, status, "virtual interface %u", i);
        TRY(search_report(search, class, status));
    }
    return STATUS_OK;
}

static enum status
add_all_posted(void *context, const struct ofi *ofi)
{
    struct search *search = context;

    const enum status status = ofi_each_receive(ofi, add_posted, context);
    if (ofi->endpoint == search->ofi.endpoint)
        search->first_posted = search->posted.count;
    return status;
}

enum status
ofi_prepare(struct search *search)
{
    TRY(each_endpoint(search, OP_RECEIVE, add_all_posted, search));
    TRY(map_seal(search, &search->answers));
    return map_seal(search, &search->handed);
}

/** What emit_message() goes by. */
struct messages {
    struct search *search;
    uint32_t count;
};

static enum status
emit_message(void *context, const struct ofi_message *message)
{
    struct messages *messages = context;
    const struct own *own = own_bits_of(messages->search);
    const struct word word = split(messages->search, message->tag);
    const bool announced = word.own & own->announced;
    struct found found = {
        .ref = {.addr = message->addr,
                .major = 1, // nothing tells whether the network's or the node's are older
                .order = messages->count++,
                .class = OP_UNEXPECTED,
                .spare = OP_KIND_MESSAGE,
                .count = message->bytes,
                .tag = word.tag,
                .peer = (int32_t) (messages->search->form.source_bits > 0
                                       ? word.rank
                                       : low_bits(message->data, RANK_BITS)),
                .flags = (uint8_t) (REF_PEER | REF_TAG | REF_KIND | (announced ? 0 : REF_BYTES) |
                                    (announced || message->rendezvous ? REF_RENDEZVOUS : 0))},
        .pending = true,
        .has_context = true,
        .context = word.context,
    };

    // Others are not the user's.
    return word.own & ~(own->synchronous | own->announced) ? STATUS_OK
                                                           : search_emit(messages->search, &found);
}

static enum status
emit_messages(void *context, const struct ofi *ofi)
{
    return ofi_each_message(ofi, emit_message, context);
}

enum status
ofi_messages(struct search *search)
{
    struct messages messages = {search, 0};

    return each_endpoint(search, OP_UNEXPECTED, emit_messages, &messages);
}

// The rank of the process that an address is of, which is that of a receive; NO_RANK when it is not
// known. @param number place of the receive in `posted`
static enum status
find_peer(struct search *search, uint64_t address, taddr number, uint32_t comm, int32_t *ret)
{
    const bool to_others = search->release >= RELEASE_5_0 && number >= search->first_posted;
    int64_t process;

    *ret = NO_RANK;
    TRY(processes_find(search, to_others ? address | PROCESSES_TO_OTHERS : address, &process));
    return process >= 0 ? search_peer(search, comm, process, ret) : STATUS_OK;
}

// What was asked for.
static enum status
add_wanted(struct search *search, const struct ofi_receive *receive, taddr number,
           struct found *ret)
{
    const struct word word = split(search, receive->tag);
    const struct word wild = split(search, receive->ignore);
    uint32_t comm;

    ret->context = word.context;
    ret->has_context = true;
    ret->ref.tag = wild.tag != 0 ? MPICH_ANY_TAG : word.tag;
    ret->ref.flags |= REF_TAG;
    if (search->form.source_bits > 0)
        ret->ref.peer = wild.rank != 0 ? MPICH_ANY_SOURCE : (int32_t) word.rank;
    else if (receive->address == OFI_ANY_ADDRESS)
        ret->ref.peer = MPICH_ANY_SOURCE;
    else if (search_by_addr(search, ret->comm, &comm))
        TRY(find_peer(search, receive->address, number, comm, &ret->ref.peer));
    else
        ret->ref.peer = NO_RANK;
    if (ret->ref.peer != NO_RANK)
        ret->ref.flags |= REF_PEER;
    return STATUS_OK;
}

bool
ofi_find_place(struct search *search, const struct request *request, uint32_t *ret)
{
    struct ofi_receive receive;
    taddr number;

    if (!map_find(&search->handed, ch4_part(request), &number) ||
        ofi_receive_load(&search->ofi, search->posted.at[number], &receive) != STATUS_OK)
        return false;
    *ret = ofi_order(&receive, (uint32_t) number) + 1;
    return true;
}

static enum status
decode_receive(struct search *search, const struct request *request, struct found *ret)
{
    struct ofi_receive receive;
    taddr number;

    ret->ref.flags |= REF_KIND;
    const bool found = !request->complete && map_find(&search->handed, ch4_part(request), &number);
    if (!found) {
        if (search->unseen && !request->complete)
            return STATUS_ABSENT;
        if (search->has_ofi && !request->complete)
            ret->ref.stage = STAGE_MATCHED;
        TRY(ofi_decode_data(search->mpi, request, NULL, ret));
        // With nothing but a communicator it may be of a collective.
        return ret->has_context || ret->ref.datatype != 0 ? STATUS_OK : STATUS_ABSENT;
    }
    TRY(ofi_receive_load(&search->ofi, search->posted.at[number], &receive));
    ret->ref.major = ofi_order(&receive, (uint32_t) number) + 1;
    if (receive.matched)
        ret->ref.stage = STAGE_MATCHED;
    TRY(ofi_decode_data(search->mpi, request, &receive, ret));
    return add_wanted(search, &receive, number, ret);
}

// The address that an answer is to come from: libfabric has lost it where its provider matches
// words alone, but since 4.3 MPICH keeps it, with the word.
static enum status
load_receiver(const struct search *search, const struct ofi_receive *answer, uint64_t *ret)
{
    const struct layout *layout = search->mpi->layout;
    const taddr part =
        answer->context - (taddr) layout->fields[F(MPIDI_OFI_ssendack_request_t, context)].offset;
    struct view view;

    *ret = answer->address;
    TRY(view_load(search->mpi->inf, layout, S(MPIDI_OFI_ssendack_request_t), part, &view));
    if (view_has(&view, F(MPIDI_OFI_ssendack_request_t, remote_addr)) &&
        view_uint(&view, F(MPIDI_OFI_ssendack_request_t, match_bits)) == answer->tag)
        *ret = view_uint(&view, F(MPIDI_OFI_ssendack_request_t, remote_addr));
    return STATUS_OK;
}

// Without an address the word has the rank.
static enum status
find_receiver(struct search *search, uint64_t address, taddr number, uint32_t rank, uint32_t comm,
              int32_t *ret)
{
    if (address != OFI_ANY_ADDRESS)
        return find_peer(search, address, number, comm, ret);
    *ret = search->form.source_bits > 0 && search_is_peer(search, comm, rank) ? (int32_t) rank
                                                                              : NO_RANK;
    return STATUS_OK;
}

// Several communicators may send in one context, since the receiver's side has chosen it: the right
// one has the process among its peers.
static enum status
add_receiver(struct search *search, const struct ofi_receive *answer, taddr number,
             struct found *ret)
{
    const struct word word = split(search, answer->tag);
    const taddr only = ret->comm;
    unsigned candidates = 0;
    uint64_t address;
    int32_t peer;

    TRY(load_receiver(search, answer, &address));
    for (uint32_t i = 0; i < search->sink->n_comms; ++i) {
        const struct comm *comm = &search->sink->comms[i];
        if (search->contexts[i].send != (word.context & ~(uint32_t) CONTEXT_PARTS) ||
            (only != 0 && only != comm->addr))
            continue;
        TRY(find_receiver(search, address, number, word.rank, i, &peer));
        if (peer == NO_RANK)
            continue;
        ret->comm = comm->addr;
        ret->ref.peer = peer;
        ++candidates;
    }
    ret->ref.tag = word.tag;
    ret->ref.flags |= (uint8_t) (candidates == 1 ? REF_PEER | REF_TAG : REF_TAG);
    search->unknown_sends |= candidates != 1 && only == 0;
    return candidates == 1 || only != 0 ? STATUS_OK : STATUS_ABSENT;
}

// A send that waits for its receiver's answer is a synchronous one; from 4.3 on it may also be a
// long one.
static enum status
decode_send(struct search *search, const struct request *request, struct found *ret)
{
    struct ofi_receive answer;
    taddr number;

    if (!search->has_ofi || !map_find(&search->answers, request->addr, &number)) {
        search->unknown_sends |= request->comm == 0 && !request->complete;
        return request->comm == 0 ? STATUS_ABSENT : STATUS_OK;
    }
    TRY(ofi_receive_load(&search->ofi, search->posted.at[number], &answer));
    if (search->release < RELEASE_4_3) {
        ret->ref.spare = OP_KIND_SSEND;
        ret->ref.flags |= REF_KIND;
    }
    ret->context = split(search, answer.tag).context;
    ret->has_context = ret->context & CONTEXT_PARTS;
    return ret->has_context ? STATUS_OK : add_receiver(search, &answer, number, ret);
}

enum status
ofi_decode(struct search *search, const struct request *request, struct found *ret)
{
    if (request->kind == REQUEST_SEND)
        return decode_send(search, request, ret);
    return request->comm == 0 ? STATUS_ABSENT : decode_receive(search, request, ret);
}
