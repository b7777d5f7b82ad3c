// SPDX-License-Identifier: BSD-3-Clause
// Recognises the releases of the runtime by the layouts that they publish.
#include "ompd-bridge/published_release.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const enum published_entry keys[] = {
#define KEY(entry) entry,
#define RELEASE(name, pointer, ...)
#include "ompd-bridge/published_releases.def"
#undef KEY
#undef RELEASE
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

static const struct release {
    const char *name;
    unsigned pointer_size;
    uint64_t values[KEYS];
} releases[] = {
#define KEY(entry)
#define RELEASE(name, pointer, ...) {name, pointer, {__VA_ARGS__}},
#include "ompd-bridge/published_releases.def"
#undef KEY
#undef RELEASE
};

static bool
is_from(const struct published *published, const struct inferior *inf,
        const struct release *release)
{
    if (release->pointer_size != inf->model.pointer_size)
        return false;
    for (unsigned i = 0; i < KEYS; i++)
        if (published->values[keys[i]] != release->values[i])
            return false;
    return true;
}

static bool
reads_unknown(void)
{
    const char *wish = getenv("MQS_OMPD_UNKNOWN_RUNTIME");
    return wish && strcmp(wish, "1") == 0;
}

// Names all releases that are known: "14, 15".
static void
list_known(size_t size, char *ret)
{
    size_t used = 0;
    ret[0] = '\0';
    for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]) && used < size; i++)
        used +=
            (size_t) snprintf(ret + used, size - used, i == 0 ? "%s" : ", %s", releases[i].name);
}

static enum status
refuse(const struct published *published, struct inferior *inf)
{
    char known[64];
    list_known(sizeof(known), known);
    return trail_begin(
        &inf->trail, STATUS_UNSUPPORTED,
        "unknown release of LLVM's OpenMP runtime (kmp_info_t of %" PRIu64
        " bytes, th_current_task at %" PRIu64
        "); known are %s; MQS_OMPD_UNKNOWN_RUNTIME=1 in the debugger's environment has it read all "
        "the same",
        published->values[SIZEOF_kmp_info_t],
        published->values[OFFSET_kmp_base_info_t__th_current_task], known);
}

enum status
published_release(const struct published *published, struct inferior *inf, const char **ret)
{
    for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++)
        if (is_from(published, inf, &releases[i])) {
            *ret = releases[i].name;
            return STATUS_OK;
        }
    if (!reads_unknown())
        return refuse(published, inf);
    *ret = "";
    return STATUS_OK;
}
