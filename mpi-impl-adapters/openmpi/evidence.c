// SPDX-License-Identifier: BSD-3-Clause
// What requests say of the layout that they are read with.
#include "mpi-impl-adapters/openmpi/evidence.h"

#include "mpi-impl-adapters/openmpi/request.h"

enum {
    SHORT_MAX = 64,    // bytes of a message that every transport sends at once unless asked not to
    ENOUGH = 16,       // requests that tell
    LOOKED_MAX = 4096, // requests that are looked at for them
    TOO_MANY = 2,      // that contradict themselves, and one in so many
    OF_MANY = 4,
};

void
evidence_note(struct evidence *evidence, bool agrees)
{
    ++*(agrees ? &evidence->agreed : &evidence->contradicted);
}

// Requests that are over keep what they had until they are used again. What has no communicator has
// not been used yet, and one that a program keeps may never have been started. Notes what
// contradicts itself.
static bool
is_over(const struct request *request, enum pml_request_type type, struct evidence *evidence)
{
    if (request->comm == 0 || request->persistent)
        return false;
    // Probes have requests of receives.
    const bool contradicted =
        request->type != type ? type == PML_REQUEST_SEND : !request->active && !request->complete;
    if (contradicted)
        evidence_note(evidence, false);
    return request->type == type && !request->active && !contradicted;
}

enum status
request_weigh_state(const struct mpi *mpi, taddr addr, struct evidence *evidence)
{
    struct view view;

    TRY(view_load(mpi->inf, mpi->layout, S(ompi_request_t), addr, &view));
    const int64_t state = view_int(&view, F(ompi_request_t, req_state));
    evidence_note(evidence, state >= 0 && state <= OMPI_REQUEST_LAST_STATE);
    return STATUS_OK;
}

enum status
request_weigh_receive(const struct mpi *mpi, taddr addr, struct evidence *evidence)
{
    struct request request;
    struct view status;

    TRY(request_load(mpi, addr, &request));
    if (!is_over(&request, PML_REQUEST_RECV, evidence))
        return STATUS_OK;
    TRY(openmpi_status_load(mpi, &request.ompi, &status));
    const int64_t source = view_int(&status, F(ompi_status_public_t, MPI_SOURCE));
    const int64_t tag = view_int(&status, F(ompi_status_public_t, MPI_TAG));
    if (view_int(&status, F(ompi_status_public_t, _cancelled)) == 0)
        evidence_note(evidence, (request.tag == OMPI_ANY_TAG || request.tag == tag) &&
                                    (request.peer == OMPI_ANY_SOURCE || request.peer == source));
    return STATUS_OK;
}

// Of the short ones the synchronous ones and no others have an answer from their receiver.
static bool
has_right_answer(const struct mpi *mpi, taddr addr, const struct view *send)
{
    const int64_t mode = view_int(send, F(mca_pml_base_send_request_t, req_send_mode));
    bool acknowledged;

    if (mode < 0 || mode > PML_SEND_STANDARD)
        return false;
    return view_uint(send, F(mca_pml_base_send_request_t, req_bytes_packed)) > SHORT_MAX ||
           (request_acknowledged(mpi, addr, &acknowledged) == STATUS_OK &&
            acknowledged == (mode == PML_SEND_SYNCHRONOUS));
}

enum status
request_weigh_send(const struct mpi *mpi, taddr addr, struct evidence *evidence)
{
    struct request request;
    struct view view, status;

    TRY(request_load(mpi, addr, &request));
    if (!is_over(&request, PML_REQUEST_SEND, evidence))
        return STATUS_OK;
    TRY(openmpi_status_load(mpi, &request.ompi, &status));
    TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_base_send_request_t), addr, &view));
    if (view_int(&status, F(ompi_status_public_t, _cancelled)) == 0)
        evidence_note(evidence,
                      request.tag == view_int(&status, F(ompi_status_public_t, MPI_TAG)) &&
                          has_right_answer(mpi, addr, &view));
    return STATUS_OK;
}

/** A search for requests that tell. */
struct weighing {
    const struct mpi *mpi;
    weigh_function *weigh;
    struct evidence evidence;
    unsigned looked;
};

// @return STATUS_END: it is enough
static enum status
weigh_request(void *context, taddr item)
{
    struct weighing *weighing = context;
    const struct evidence *evidence = &weighing->evidence;

    TRY(weighing->weigh(weighing->mpi, item, &weighing->evidence));
    return evidence->agreed + evidence->contradicted >= ENOUGH || ++weighing->looked >= LOOKED_MAX
               ? STATUS_END
               : STATUS_OK;
}

enum status
evidence_check(const struct mpi *mpi, const struct free_list *list, struct arena *arena,
               weigh_function *weigh)
{
    struct weighing weighing = {.mpi = mpi, .weigh = weigh};
    const struct evidence *evidence = &weighing.evidence;
    const enum status status = free_list_each(mpi, list, arena, weigh_request, &weighing);

    if (status == STATUS_NOMEM)
        return status;
    // What is damaged is found again by who looks for requests.
    trail_reset(&mpi->inf->trail);
    return evidence->contradicted < TOO_MANY || evidence->contradicted * OF_MANY < evidence->agreed
               ? STATUS_OK
               : trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                             "%u requests contradict themselves: the layout is of another release",
                             evidence->contradicted);
}
