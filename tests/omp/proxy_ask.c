// SPDX-License-Identifier: BSD-3-Clause
// Asks all functions of the OMPD interface rightly, and in every wrong way.
#include "tests/omp/proxy_rows.h"

#include <check.h>

void
proxy_ask_rightly(const struct proxy_handles *handles, unsigned allowed)
{
    asked_space = handles->of[OMP_SPACE];
    for (unsigned i = 0; i < PROXY_ROWS; i++) {
        ompd_rc_t rc = proxy_rows[i].ask(handles->of[proxy_rows[i].kind], 0);
        ck_assert_msg(((allowed | PROXY_ALLOW(ompd_rc_ok)) & PROXY_ALLOW(rc)) != 0, "%s: %d",
                      proxy_rows[i].name, (int) rc);
    }
}

static void
expect(const struct proxy_row *row, void *handle, unsigned null, ompd_rc_t wanted)
{
    ompd_rc_t rc = row->ask(handle, null);
    ck_assert_msg(rc == wanted, "%s(%p), result %u NULL: %d, not %d", row->name, handle, null,
                  (int) rc, (int) wanted);
}

static void
ask_foreign(const struct proxy_row *row)
{
    static char foreign[4096];
    void *const handles[] = {NULL, foreign, &api, (void *) 1, (void *) 4096, (void *) ~0UL};
    for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]); i++)
        expect(row, handles[i], 0, ompd_rc_stale_handle);
}

void
proxy_ask_wrongly(const struct proxy_handles *handles)
{
    asked_space = handles->of[OMP_SPACE];
    for (unsigned i = 0; i < PROXY_ROWS; i++) {
        const struct proxy_row *row = &proxy_rows[i];
        ask_foreign(row);
        for (unsigned kind = 0; kind < 4; kind++)
            if (kind != row->kind && handles->of[kind])
                expect(row, handles->of[kind], 0, ompd_rc_bad_input);
        for (unsigned null = 1; null <= row->n_outs && handles->of[row->kind]; null++)
            expect(row, handles->of[row->kind], null, ompd_rc_bad_input);
    }
}

void
proxy_ask_stale(const struct proxy_handles *handles)
{
    asked_space = handles->of[OMP_SPACE];
    for (unsigned i = 0; i < PROXY_ROWS; i++)
        if (handles->of[proxy_rows[i].kind])
            expect(&proxy_rows[i], handles->of[proxy_rows[i].kind], 0, ompd_rc_stale_handle);
}

void
proxy_release(struct proxy_handles *handles)
{
    if (handles->of[OMP_THREAD])
        ck_assert_int_eq(api.rel_thread_handle(handles->of[OMP_THREAD]), ompd_rc_ok);
    if (handles->of[OMP_PARALLEL])
        ck_assert_int_eq(api.rel_parallel_handle(handles->of[OMP_PARALLEL]), ompd_rc_ok);
    if (handles->of[OMP_TASK])
        ck_assert_int_eq(api.rel_task_handle(handles->of[OMP_TASK]), ompd_rc_ok);
}
