// SPDX-License-Identifier: BSD-3-Clause
// The Open MPI adapter: recognition, version, PML.
#include "mpi-impl-adapters/openmpi/objects.h"
#include "mpi-impl-adapters/openmpi/pml_cm.h"
#include "mpi-impl-adapters/openmpi/pml_ucx.h"

#include <stdio.h>
#include <string.h>

enum { CLASS_DEPTH = 16, CLASS_NAME = 64, PML_NAME = 32, PREDEFINED_HANDLES = 1 << 12 };

static const char *const symbols[] = {
    "ompi_mpi_communicators",
    "mca_pml_base_recv_requests",
    "mca_pml_base_send_requests",
    NULL,
};

static enum status
version(struct inferior *inf, char *ret, size_t size)
{
    taddr addr;

    TRY(inferior_symbol(inf, "ompi_version_string", &addr));
    return inferior_read_string(inf, addr, size, ret);
}

enum status
openmpi_class_is(const struct mpi *mpi, taddr class_addr, const char *name, bool *ret)
{
    struct view view;
    char own[CLASS_NAME];

    for (int depth = 0; class_addr != 0 && depth < CLASS_DEPTH; ++depth) {
        TRY(view_load(mpi->inf, mpi->layout, S(opal_class_t), class_addr, &view));
        TRY(inferior_read_string(mpi->inf, view_uint(&view, F(opal_class_t, cls_name)), sizeof(own),
                                 own));
        if (strcmp(own, name) == 0) {
            *ret = true;
            return STATUS_OK;
        }
        class_addr = view_uint(&view, F(opal_class_t, cls_parent));
    }
    *ret = false;
    return STATUS_OK;
}

enum status
openmpi_object_is(const struct mpi *mpi, taddr addr, const char *class_name, bool *ret)
{
    struct view header;

    TRY(view_load(mpi->inf, mpi->layout, S(opal_object_t), addr, &header));
    return openmpi_class_is(mpi, view_uint(&header, F(opal_object_t, obj_class)), class_name, ret);
}

enum status
openmpi_list_load(const struct mpi *mpi, taddr list, taddr *ret_sentinel, uint64_t *ret_length)
{
    struct view view;

    TRY(view_load(mpi->inf, mpi->layout, S(opal_list_t), list, &view));
    *ret_sentinel = view_addr(&view, F(opal_list_t, opal_list_sentinel));
    *ret_length = view_uint(&view, F(opal_list_t, opal_list_length));
    return STATUS_OK;
}

// Behind the link to the next item of a list is the one to the one before.
static enum status
check_links(const struct mpi *mpi, taddr sentinel, uint32_t next)
{
    taddr first, back;

    TRY(inferior_read_pointer(mpi->inf, sentinel + next, &first));
    TRY(inferior_read_pointer(mpi->inf, first + next + mpi->inf->model.pointer_size, &back));
    return back == sentinel
               ? STATUS_OK
               : trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                             "the first item of the list at %#llx does not lead back to it",
                             (unsigned long long) sentinel);
}

enum status
openmpi_list_walk(const struct mpi *mpi, taddr list, struct walk *ret, uint64_t *ret_length)
{
    const uint32_t next =
        (uint32_t) mpi->layout->fields[F(opal_list_item_t, opal_list_next)].offset;
    taddr sentinel;

    TRY(openmpi_list_load(mpi, list, &sentinel, ret_length));
    TRY(check_links(mpi, sentinel, next));
    return walk_circular(ret, mpi->inf, sentinel, next,
                         *ret_length < LIST_MAX ? *ret_length : LIST_MAX);
}

static enum status
selected_name(const struct mpi *mpi, char *ret, size_t size)
{
    struct view view;
    taddr addr;

    TRY(inferior_symbol(mpi->inf, "mca_pml_base_selected_component", &addr));
    TRY(view_load(mpi->inf, mpi->layout, S(mca_base_component_t), addr, &view));
    const char *name = view_bytes(&view, F(mca_base_component_t, mca_component_name));
    snprintf(ret, size, "%.*s", (int) (size - 1), name);
    return STATUS_OK;
}

// The class of the receive requests decides: a PML may stand on top of ob1 and go by its own name.
static enum status
requests_are_ob1(const struct mpi *mpi, bool *ret)
{
    struct view view;
    taddr addr;

    TRY(inferior_symbol(mpi->inf, "mca_pml_base_recv_requests", &addr));
    TRY(view_load(mpi->inf, mpi->layout, S(opal_free_list_t), addr, &view));
    const taddr class_addr = view_uint(&view, F(opal_free_list_t, fl_frag_class));
    *ret = false;
    return class_addr == 0 ? STATUS_OK
                           : openmpi_class_is(mpi, class_addr, "mca_pml_ob1_recv_request_t", ret);
}

enum status
openmpi_pml(const struct mpi *mpi, enum pml *ret, char *name, size_t size)
{
    bool ob1;

    const enum status status = selected_name(mpi, name, size);
    if (status != STATUS_OK)
        name[0] = '\0';
    const struct trail trail = mpi->inf->trail;
    TRY(requests_are_ob1(mpi, &ob1));
    // Then the requests may be of any PML.
    if (!ob1 && status == STATUS_UNREADABLE) {
        mpi->inf->trail = trail;
        return status;
    }
    *ret = ob1                        ? PML_OB1
           : name[0] == '\0'          ? PML_NONE
           : strcmp(name, "ucx") == 0 ? PML_UCX
           : strcmp(name, "cm") == 0  ? PML_CM
                                      : PML_OTHER;
    return STATUS_OK;
}

// Where the PMLs that cannot be read keep their queues.
static const struct {
    const char *name;
    const char *keeper;
} keepers[] = {
    {"yalla", "libmxm"},
};

static const char *
keeper(const char *name)
{
    for (size_t i = 0; i < sizeof(keepers) / sizeof(keepers[0]); ++i)
        if (strcmp(keepers[i].name, name) == 0)
            return keepers[i].keeper;
    return "a place that is not known here";
}

static enum status
transport(const struct mpi *mpi, char *ret, size_t size, unsigned *ret_hidden, char *ret_limit,
          size_t limit_size)
{
    const unsigned all = 1u << OP_SEND | 1u << OP_RECEIVE | 1u << OP_UNEXPECTED;
    char name[PML_NAME], more[PML_NAME] = "";
    enum pml pml;

    TRY(openmpi_pml(mpi, &pml, name, sizeof(name)));
    *ret_hidden = 0;
    ret_limit[0] = '\0';
    if (pml == PML_CM)
        cm_limit(mpi, ret_hidden, more, sizeof(more), ret_limit, limit_size);
    snprintf(ret, size, "%s%s%s", name[0] == '\0' ? "" : "pml ", name, more);
    if (pml == PML_OB1 && strcmp(name, "ob1") != 0)
        snprintf(ret, size, "pml %s over ob1", name);
    if (pml == PML_UCX)
        ucx_limit(mpi, ret_hidden, ret_limit, limit_size);
    if (pml == PML_OB1 || pml == PML_UCX || pml == PML_CM)
        return STATUS_OK;
    *ret_hidden = all;
    if (pml == PML_NONE)
        return STATUS_OK;
    if (strcmp(name, "ob1") == 0)
        snprintf(
            ret_limit, limit_size,
            "the requests of PML ob1 are of a class that is not known: its queues cannot be read");
    else
        snprintf(ret_limit, limit_size,
                 "PML %s keeps its queues inside %s: run with --mca pml ob1 to see them", name,
                 keeper(name));
    return STATUS_OK;
}

enum status
openmpi_rank(const struct mpi *mpi, int64_t *ret)
{
    struct view view;
    taddr addr;

    TRY(inferior_symbol(mpi->inf, "ompi_mpi_comm_world", &addr));
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_communicator_t), addr, &view));
    // Before MPI_Init there is no group, and the rank is a zero that means nothing.
    if (view_uint(&view, F(ompi_communicator_t, c_local_group)) == 0)
        return STATUS_ABSENT;
    // It is no intercommunicator, has a name, and is not made by the program.
    const uint64_t flags = view_uint(&view, F(ompi_communicator_t, c_flags));
    if ((flags & (COMM_FLAG_INTER | COMM_FLAG_NAME_IS_SET | COMM_FLAG_INTRINSIC)) !=
        (COMM_FLAG_NAME_IS_SET | COMM_FLAG_INTRINSIC))
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                           "MPI_COMM_WORLD has the flags %#llx of another communicator",
                           (unsigned long long) flags);
    *ret = view_int(&view, F(ompi_communicator_t, c_my_rank));
    return openmpi_check_rank(mpi, *ret);
}

enum status
openmpi_phase(const struct mpi *mpi, enum phase *ret)
{
    static const uint8_t phases[] = {PHASE_BEFORE_INIT, PHASE_IN_INIT,     PHASE_IN_USE,
                                     PHASE_IN_FINALIZE, PHASE_IN_FINALIZE, PHASE_FINALIZED};
    uint64_t state;
    taddr addr;

    TRY(inferior_symbol(mpi->inf, "ompi_mpi_state", &addr));
    TRY(inferior_read_uint(mpi->inf, addr, sizeof(int32_t), &state));
    *ret = state < sizeof(phases) ? (enum phase) phases[state] : PHASE_UNKNOWN;
    return STATUS_OK;
}

// The thread is an opal_thread_t, of which an object is the first member, of a pointer and a
// number, then a function and its argument. Where --enable-debug puts more into objects, what is
// read there is no pthread_t of the process.
static enum status
threads(const struct mpi *mpi, struct thread_level *ret)
{
    const uint8_t width = mpi->inf->model.pointer_size;
    taddr addr, thread;
    enum phase at;

    TRY(openmpi_phase(mpi, &at));
    if (at != PHASE_IN_USE && at != PHASE_IN_FINALIZE)
        return STATUS_ABSENT;
    TRY(inferior_symbol(mpi->inf, "ompi_mpi_thread_provided", &addr));
    TRY(inferior_read_uint(mpi->inf, addr, sizeof(int32_t), &ret->level));
    if (inferior_symbol(mpi->inf, "ompi_mpi_main_thread", &addr) == STATUS_OK &&
        inferior_read_pointer(mpi->inf, addr, &thread) == STATUS_OK && thread != 0 &&
        inferior_read_pointer(mpi->inf, thread + 4 * (taddr) width, &ret->main) != STATUS_OK)
        ret->main = 0;
    return STATUS_OK;
}

static enum status
waits(const struct mpi *mpi, uint64_t handle, bool *ret)
{
    taddr null;

    // Of the standard ABI, which 6.0 has too, predefined handles are small numbers.
    TRY(inferior_symbol(mpi->inf, "ompi_request_null", &null));
    *ret = handle != null && handle >= PREDEFINED_HANDLES;
    return STATUS_OK;
}

// What PMLs ucx and cm do in a call that waits is known to nobody but its stack.
static enum status
conventions(const struct mpi *mpi, struct conventions *ret)
{
    char name[PML_NAME];
    enum pml pml;

    if (openmpi_pml(mpi, &pml, name, sizeof(name)) != STATUS_OK)
        pml = PML_NONE;
    *ret = (struct conventions){.any_source = -1,
                                .any_tag = -1,
                                .hides_probes = pml == PML_UCX || pml == PML_CM,
                                .hides_sends = pml == PML_UCX || pml == PML_CM};
    return STATUS_OK;
}

static enum status
progress(const struct mpi *mpi, uint64_t *ret)
{
    char name[PML_NAME];
    enum pml pml;

    TRY(openmpi_pml(mpi, &pml, name, sizeof(name)));
    return pml == PML_UCX ? ucx_count(mpi, ret) : STATUS_UNSUPPORTED;
}

const struct adapter openmpi_adapter = {
    .name = "Open MPI",
    .needs = &openmpi_needs,
    .symbols = symbols,
    .resolve = openmpi_resolve,
    .has_modules = openmpi_has_modules,
    .version = version,
    .transport = transport,
    .rank = openmpi_rank,
    .comms = openmpi_comms,
    .group = openmpi_group,
    .ops = openmpi_ops,
    .describe = openmpi_describe,
    .conventions = conventions,
    .waits = waits,
    .threads = threads,
    .phase = openmpi_phase,
    .progress = progress,
    .traffic = openmpi_traffic,
    .object = openmpi_object,
    .objects = openmpi_objects,
    .members = openmpi_members,
};
