// SPDX-License-Identifier: BSD-3-Clause
// Which critical construct of a program a lock of the OpenMP runtime belongs to.
//
// The compiler makes a variable for each name, into which the runtime puts the lock or a pointer to
// it, or a pointer to a record that begins with one. A wait id that it leads to is no accident.
#include "mqshow/waits/critical.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/process/memory.h"
#include "mqshow/symbols/names.h"

#include <string.h>

enum { HOPS = 2, SYMBOL_SHOWN = 1000 };

static bool
is_awaited(const struct openmp *omp, uint64_t lock)
{
    for (size_t i = 0; i < omp->n_threads && lock != 0; i++)
        if ((omp->threads[i].known & MQS_OMP_WAIT_ID) != 0 && omp->threads[i].wait_id == lock)
            return true;
    return false;
}

static void
find_lock_behind(struct openmp *omp, const struct image *image, const char *name, uint64_t addr)
{
    for (int i = 0; i < HOPS; i++) {
        if (!memory_read_uint(&image->debuggee, addr, (size_t) image->debuggee.pointer_size, &addr))
            return;
        if (!is_awaited(omp, addr) || openmp_place(omp, addr) != NULL)
            continue;
        *openmp_add_place(omp) =
            (struct place){.addr = addr, .symbol = escape_text(name, SYMBOL_SHOWN)};
        return;
    }
}

static bool
anything_is_awaited(const struct openmp *omp)
{
    for (size_t i = 0; i < omp->n_threads; i++)
        if (is_awaited(omp, omp->threads[i].wait_id))
            return true;
    return false;
}

void
critical_find(struct openmp *omp, const struct image *image)
{
    if (!anything_is_awaited(omp))
        return;
    for (size_t i = 0; i < image->n_modules; i++) {
        const struct module *module = &image->modules[i];
        size_t count;
        const struct symbol *symbols = objfile_symbols(module->file, names_critical_prefix, &count);
        for (size_t k = 0; k < count; k++)
            find_lock_behind(omp, image, symbols[k].name, symbols[k].value + module->bias);
    }
}
