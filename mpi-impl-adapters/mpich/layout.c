// SPDX-License-Identifier: BSD-3-Clause
// Where the layouts of MPICH's structs come from, and how a built-in one is confirmed.
//
// A library without debug information still exports its version, and its pools say how big their
// objects are.
#include "mpi-impl-adapters/mpich/impi.h"

#include "mpi-impl-adapters/mpich/ucx.h"

#include <stdio.h>
#include <string.h>

enum { VERSION_TEXT = 16, RELEASE_TEXT = 8, RELEASES_TEXT = 160 };

// Without debug information it is told by what it lacks.
static bool
is_standard_abi(struct inferior *inf)
{
    taddr addr;

    return inferior_symbol(inf, "MPIR_fortran_true", &addr) == STATUS_OK &&
           inferior_symbol(inf, "MPI_UNWEIGHTED", &addr) != STATUS_OK;
}

// Whether a block is for a library: its label is a release, then the device unless it is ch4:ucx,
// then "abi" for the library of the standard ABI, then the machine unless it is x86-64: which of
// these it is, only the process confirms.
static bool
is_for(const char *label, const char *version, const char *device)
{
    const char *own = strchr(label, ' ');
    const size_t length = strlen(device);
    char release[RELEASE_TEXT];

    snprintf(release, sizeof(release), "%.*s", (int) strcspn(label, " "), label);
    own = own == NULL ? "ch4:ucx" : own + 1;
    return layout_is_release(version, release) && strncmp(own, device, length) == 0 &&
           (own[length] == '\0' || strcmp(own + length, " aarch64") == 0);
}

/** What the label of a library's block has. */
struct family {
    char version[VERSION_TEXT];
    char device[DEVICE_TEXT];
};

static enum status
find_family(struct inferior *inf, struct family *ret)
{
    static const char abi[] = " abi";

    if (impi_is(inf)) {
        TRY(impi_version(inf, ret->version, sizeof(ret->version)));
        snprintf(ret->device, sizeof(ret->device), "%s", IMPI_LABEL);
    } else {
        TRY(mpich_text(inf, "MPII_Version_string", ret->version, sizeof(ret->version)));
        TRY(mpich_text(inf, "MPII_Version_device", ret->device, sizeof(ret->device) - sizeof(abi)));
    }
    if (is_standard_abi(inf))
        strcat(ret->device, abi);
    return STATUS_OK;
}

static enum status
confirm(const struct mpi *mpi)
{
    TRY(mpich_confirm(mpi));
    return impi_is(mpi->inf) ? impi_confirm(mpi) : STATUS_OK;
}

// Tries the blocks for the library's release and device in turn on what debug information has left
// open. What stays open is told by the caller.
// @return number of blocks that do not fit; the trail says why the last one does not
static unsigned
resolve_builtin(struct inferior *inf, const struct family *family, struct layout *layout)
{
    const struct layout begun = *layout;
    const char *label;
    unsigned refuted = 0;

    for (unsigned block = 0;
         (label = layout_block_label(mpich_builtin, mpich_builtin_rows, block)) != NULL; ++block) {
        if (!is_for(label, family->version, family->device))
            continue;
        trail_reset(&inf->trail);
        if (layout_from_block(layout, mpich_builtin, mpich_builtin_rows, block) == STATUS_OK &&
            confirm(&(struct mpi){inf, layout}) == STATUS_OK)
            return 0;
        *layout = begun;
        ++refuted;
    }
    return refuted;
}

static bool
is_of_intel(const char *label)
{
    return strstr(label, IMPI_LABEL) != NULL;
}

static bool
is_of_mpich(const char *label)
{
    return !is_of_intel(label);
}

// What is missing, what was found, and what would help.
static enum status
explain(struct inferior *inf, const struct family *family, const char *missing, unsigned refuted)
{
    char releases[RELEASES_TEXT];

    if (refuted > 0)
        return trail_prepend(&inf->trail, STATUS_MISMATCH,
                             "the layout of %s is not known: install the debug information of the "
                             "library; what is built in for %s of this release does not fit",
                             missing, family->device);
    layout_releases(mpich_builtin, mpich_builtin_rows, impi_is(inf) ? is_of_intel : is_of_mpich,
                    releases, sizeof(releases));
    trail_reset(&inf->trail);
    return trail_prepend(&inf->trail, STATUS_MISMATCH,
                         "the layout of %s is not known: %s of this release is not among those "
                         "built in (%s); install the debug information of the library",
                         missing, family->device, releases);
}

// Two tables may have been used: the label names both.
static void
name_origin(struct layout *layout, bool with_debug, const char *ucx)
{
    char own[LAYOUT_LABEL];

    if (ucx[0] == '\0')
        return;
    snprintf(own, sizeof(own), "%s", layout->label);
    if (with_debug)
        snprintf(layout->label, sizeof(layout->label), "%.28s, debug information", ucx);
    else if (strcmp(own, ucx) != 0)
        snprintf(layout->label, sizeof(layout->label), "%.19s, %.26s", own, ucx);
}

static enum status
check_status(struct inferior *inf, const struct layout *layout)
{
    const uint32_t size = layout->structs[S(MPI_Status)].size;

    return size == STATUS_SIZE || size == ABI_STATUS_SIZE
               ? STATUS_OK
               : trail_begin(&inf->trail, STATUS_MISMATCH, "MPI_Status has %u bytes", size);
}

enum status
mpich_resolve(struct inferior *inf, unsigned origins, struct layout *ret)
{
    struct family family = {.device = "the device"};
    struct layout with_ucx;
    unsigned refuted = 0;

    layout_init(ret, &mpich_needs, &inf->model);
    trail_reset(&inf->trail);
    if (origins & 1u << ORIGIN_DEBUG)
        layout_from_debug(ret, inf);
    // libucp is not of the release that the library is: its block is a choice of its own.
    with_ucx = *ret;
    if (!impi_is(inf) && ucp_resolve(inf, UCP_PLACE, &with_ucx) == STATUS_OK)
        *ret = with_ucx;
    const bool with_debug = layout_missing(ret) == NULL;
    if (!with_debug && origins & 1u << ORIGIN_BUILTIN && find_family(inf, &family) == STATUS_OK)
        refuted = resolve_builtin(inf, &family, ret);
    // Before MPI_Init there is no worker, and nothing to find it by.
    if (layout_missing(ret) == NULL && with_ucx.label[0] != '\0') {
        if (mpich_find_globals(&(struct mpi){inf, ret}) != STATUS_OK)
            trail_reset(&inf->trail);
        ucx_settle(inf, ret, with_ucx.label);
    }
    name_origin(ret, with_debug, with_ucx.label);
    const char *missing = layout_missing(ret);
    return missing == NULL ? check_status(inf, ret) : explain(inf, &family, missing, refuted);
}

// libucp's worker may choose only later.
bool
mpich_has_modules(struct inferior *inf, const struct layout *layout)
{
    (void) inf;
    return layout->structs[S(ucp_request_send)].origin != ORIGIN_NONE ||
           layout->structs[S(MPIDI_UCX_context_t)].origin == ORIGIN_NONE;
}
