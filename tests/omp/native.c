// SPDX-License-Identifier: BSD-3-Clause
// The native reader over the process under test, without anything above it.
#include "tests/omp/native.h"

#include <string.h>

struct native native;

void
native_start(void)
{
    memset(&native, 0, sizeof(native));
    native.taken = STATUS_ABSENT;
    native.opened = inferior_init(&native.inf, fake_kmp_target(&fake));
    omp_snapshot_init(&native.snapshot, &native.inf);
    if (native.opened == STATUS_OK)
        native.opened = backend_libomp.open(&native.inf, &native.diagnostics, &native.reader.state);
    if (native.opened != STATUS_OK)
        return;
    native.reader.backend = &backend_libomp;
    native.taken = omp_snapshot_take(&native.snapshot, &native.reader, &native.diagnostics);
}

void
native_stop(void)
{
    omp_snapshot_deinit(&native.snapshot);
    if (native.reader.backend)
        native.reader.backend->close(native.reader.state);
    inferior_deinit(&native.inf);
    memset(&native, 0, sizeof(native));
    ck_assert_int_eq(fake_live, 0);
}

const struct omp_object *
native_thread(unsigned number)
{
    ck_assert_uint_lt(number, native.snapshot.threads.count);
    return &snapshot_thread(&native.snapshot, number)->object;
}

const struct omp_object *
native_region(unsigned number)
{
    ck_assert_uint_lt(number, native.snapshot.regions.count);
    return &snapshot_region(&native.snapshot, number)->object;
}

const struct omp_object *
native_task(unsigned number)
{
    ck_assert_uint_lt(number, native.snapshot.tasks.count);
    return &snapshot_task(&native.snapshot, number)->object;
}

const struct omp_icv *
native_icv(const char *name)
{
    const struct omp_icv *icv;
    unsigned number = 0;
    while ((icv = NATIVE(icv, number)) && strcmp(icv->name, name) != 0)
        number++;
    ck_assert_ptr_nonnull(icv);
    return icv;
}

ompd_word_t
native_value(const struct omp_object *object, const char *name)
{
    ompd_word_t value;
    ck_assert_int_eq(ICV_ASK(&native.reader, native_icv(name), number, object, &value), ompd_rc_ok);
    return value;
}
