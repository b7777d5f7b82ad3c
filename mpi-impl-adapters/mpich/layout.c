// SPDX-License-Identifier: BSD-3-Clause
// Where the layouts of MPICH's structs come from, and how a built-in one is confirmed.
//
// A library without debug information still exports its version, and its pools say how big their
// objects are.
#include "mpi-impl-adapters/mpich/mpich.h"

#include "mpi-impl-adapters/ucp/ucp.h"

#include <stdio.h>
#include <string.h>

enum { VERSION_TEXT = 16, RELEASE_TEXT = 8 };

// Without debug information it is told by what it lacks.
static bool
is_standard_abi(struct inferior *inf)
{
    taddr addr;

    return inferior_symbol(inf, "MPIR_fortran_true", &addr) == STATUS_OK &&
           inferior_symbol(inf, "MPI_UNWEIGHTED", &addr) != STATUS_OK;
}

// Whether a block is for a library: its label is a release, then the device unless it is ch4:ucx,
// then "abi" for the library of the standard ABI.
static bool
is_for(const char *label, const char *version, const char *device)
{
    const char *own = strchr(label, ' ');
    char release[RELEASE_TEXT];

    snprintf(release, sizeof(release), "%.*s", (int) strcspn(label, " "), label);
    return layout_is_release(version, release) &&
           strcmp(own == NULL ? "ch4:ucx" : own + 1, device) == 0;
}

// Tries the blocks for the library's release and device in turn on what debug information has left
// open. What stays open is told by the caller.
static void
resolve_builtin(struct inferior *inf, struct layout *layout)
{
    static const char abi[] = " abi";
    const struct layout begun = *layout;
    char version[VERSION_TEXT], device[DEVICE_TEXT];
    const char *label;

    if (mpich_text(inf, "MPII_Version_string", version, sizeof(version)) != STATUS_OK ||
        mpich_text(inf, "MPII_Version_device", device, sizeof(device) - sizeof(abi)) != STATUS_OK)
        return;
    if (is_standard_abi(inf))
        strcat(device, abi);
    for (unsigned block = 0;
         (label = layout_block_label(mpich_builtin, mpich_builtin_rows, block)) != NULL; ++block) {
        if (is_for(label, version, device) &&
            layout_from_block(layout, mpich_builtin, mpich_builtin_rows, block) == STATUS_OK &&
            mpich_confirm(&(struct mpi){inf, layout}) == STATUS_OK)
            return;
        *layout = begun;
    }
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
        snprintf(layout->label, sizeof(layout->label), "%.20s, debug information", ucx);
    else if (strcmp(own, ucx) != 0)
        snprintf(layout->label, sizeof(layout->label), "%.20s, %.20s", own, ucx);
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
    struct layout with_ucx;

    layout_init(ret, &mpich_needs, &inf->model);
    trail_reset(&inf->trail);
    if (origins & 1u << ORIGIN_DEBUG)
        layout_from_debug(ret, inf);
    // libucp is not of the release that the library is: its block is a choice of its own.
    with_ucx = *ret;
    if (ucp_resolve(inf, UCP_PLACE, &with_ucx) == STATUS_OK)
        *ret = with_ucx;
    const bool with_debug = layout_missing(ret) == NULL;
    if (!with_debug && origins & 1u << ORIGIN_BUILTIN)
        resolve_builtin(inf, ret);
    name_origin(ret, with_debug, with_ucx.label);
    const char *missing = layout_missing(ret);
    if (missing == NULL)
        return check_status(inf, ret);
    // The look-ups of this leave their own words in the trail.
    const bool standard_abi = is_standard_abi(inf);
    char releases[LAYOUT_LABEL];
    layout_releases(mpich_builtin, mpich_builtin_rows, releases, sizeof(releases));
    trail_reset(&inf->trail);
    return trail_prepend(
        &inf->trail, STATUS_MISMATCH,
        "the layout of %s is not known%s: not among those built in (%s); install "
        "the debug information of the library",
        missing, standard_abi ? " in the library of the standard ABI (libmpi_abi)" : "", releases);
}
