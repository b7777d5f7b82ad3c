// SPDX-License-Identifier: BSD-3-Clause
// What every request says of itself, whatever the device.
#include "mpi-impl-adapters/mpich/request.h"

#include "mpi-impl-adapters/mpich/impi.h"

#include <stdlib.h>

enum { VERSION_TEXT = 32 };

unsigned
mpich_release(struct inferior *inf)
{
    char text[VERSION_TEXT], *end;

    if (impi_is(inf))
        return RELEASE_4_1;
    if (mpich_text(inf, "MPII_Version_string", text, sizeof(text)) != STATUS_OK)
        return 0;
    const unsigned long major = strtoul(text, &end, 10);
    if (*end != '.' || major > 99)
        return 0;
    const unsigned long minor = strtoul(end + 1, NULL, 10);
    return minor > 99 ? 0 : (unsigned) (major * 100 + minor);
}

// Up to 3.4 there are no partitioned requests, from 4.1 on there is a kind more in between.
static int64_t
number_of_message(unsigned release)
{
    return release < RELEASE_4_0 ? 7 : release < RELEASE_4_1 ? 11 : 12;
}

static enum request_kind
kind_of(int64_t number, unsigned release)
{
    static const enum request_kind same[] = {
        [1] = REQUEST_SEND,
        [2] = REQUEST_RECEIVE,
        [3] = REQUEST_PERSISTENT_SEND,
        [4] = REQUEST_PERSISTENT_RECEIVE,
    };
    if (number >= 0 && number < (int64_t) (sizeof(same) / sizeof(same[0])))
        return same[number];
    if (number == number_of_message(release))
        return REQUEST_MESSAGE;
    if (number == number_of_message(release) - 1)
        return REQUEST_COLLECTIVE;
    if (release >= RELEASE_4_0 && number == 5)
        return REQUEST_PERSISTENT_COLLECTIVE;
    if (release >= RELEASE_4_0 && number == 6)
        return REQUEST_PART_SEND;
    return release >= RELEASE_4_0 && number == 7 ? REQUEST_PART_RECEIVE : REQUEST_OTHER;
}

enum status
mpich_request_load(const struct mpi *mpi, unsigned release, taddr addr, struct request *ret)
{
    const struct layout *layout = mpi->layout;
    uint64_t counter;

    TRY(view_load(mpi->inf, layout, S(MPIR_Request), addr, &ret->view));
    TRY(inferior_read_uint(mpi->inf, view_uint(&ret->view, F(MPIR_Request, cc_ptr)),
                           mpi->inf->model.int_size, &counter));
    ret->addr = addr;
    ret->comm = view_uint(&ret->view, F(MPIR_Request, comm));
    ret->dev = view_addr(&ret->view, F(MPIR_Request, dev));
    ret->kind = kind_of(view_int(&ret->view, F(MPIR_Request, kind)), release);
    ret->complete = counter == 0;
    return STATUS_OK;
}

// Three kinds stand around that of messages.
const char *
request_operation(const struct request *request, unsigned release)
{
    static const char *const around[] = {"generalized", "collective", NULL, "one-sided"};
    const int64_t place =
        view_int(&request->view, F(MPIR_Request, kind)) - number_of_message(release) + 2;

    return place >= 0 && place < 4 ? around[place] : NULL;
}

taddr
request_real(const struct request *request, bool debugger)
{
    const struct datamodel *model = &request->view.layout->model;
    const uint8_t *bytes =
        view_bytes(&request->view, debugger ? F(MPIR_Request, u_debugger) : F(MPIR_Request, u));
    const size_t width = model->pointer_size;

    return bytes == NULL ? 0 : datamodel_uint(model, bytes + (debugger ? width : 0), width);
}

bool
request_sends(const struct request *request)
{
    return request->kind == REQUEST_SEND || request->kind == REQUEST_PART_SEND;
}

bool
request_is_partitioned(const struct request *request)
{
    return request->kind == REQUEST_PART_SEND || request->kind == REQUEST_PART_RECEIVE;
}

uint64_t
request_partitions(const struct request *request, bool *ret_started)
{
    const struct datamodel *model = &request->view.layout->model;
    const uint8_t *bytes = view_bytes(&request->view, F(MPIR_Request, u));

    *ret_started =
        bytes != NULL && datamodel_uint(model, bytes + model->int_size, model->int_size) != 0;
    return bytes != NULL ? datamodel_uint(model, bytes, model->int_size) : 0;
}

bool
mpich_standard_abi(const struct layout *layout)
{
    return layout->structs[S(MPI_Status)].size == ABI_STATUS_SIZE;
}

int32_t
request_source(const struct layout *layout, int64_t number)
{
    if (!mpich_standard_abi(layout) || number >= 0)
        return (int32_t) number;
    return number == ABI_ANY_SOURCE  ? MPICH_ANY_SOURCE
           : number == ABI_PROC_NULL ? MPICH_PROC_NULL
                                     : (int32_t) number;
}

int32_t
request_tag(const struct layout *layout, int64_t number)
{
    return mpich_standard_abi(layout) && number == ABI_ANY_TAG ? MPICH_ANY_TAG : (int32_t) number;
}

enum status
request_outcome(const struct mpi *mpi, const struct request *request, struct outcome *ret)
{
    struct view status;

    TRY(view_load(mpi->inf, mpi->layout, S(MPI_Status),
                  view_addr(&request->view, F(MPIR_Request, status)), &status));
    const uint64_t high = view_uint(&status, F(MPI_Status, count_hi_and_cancelled));
    *ret = (struct outcome){
        .source = view_int(&status, F(MPI_Status, MPI_SOURCE)),
        .tag = view_int(&status, F(MPI_Status, MPI_TAG)),
        .bytes = high >> 1 << 32 | view_uint(&status, F(MPI_Status, count_lo)),
        .cancelled = high & 1,
    };
    return STATUS_OK;
}
