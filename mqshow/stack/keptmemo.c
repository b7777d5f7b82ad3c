// SPDX-License-Identifier: BSD-3-Clause
// A table of answers. Files stay open as long as this program runs, so that one is its address.
#include "mqshow/stack/keptmemo.h"

#include "mqshow/stack/frame_flow.h"

#include <stdlib.h>

enum { MEMO_SIZE = 256 };

/** A question, in addresses of the file, and its answer. */
static struct memo {
    const struct objfile *file; // NULL: none
    uint64_t start, pc;
    struct kept_argument argument;
    bool found;
    struct kept_places places;
} table[MEMO_SIZE];

static bool
is_same(const struct memo *a, const struct memo *b)
{
    return a->file == b->file && a->start == b->start && a->pc == b->pc &&
           a->argument.number == b->argument.number && a->argument.width == b->argument.width;
}

static struct memo *
place_of(const struct memo *question)
{
    uint64_t hash = (question->start * 31 + question->pc) * 31 + question->argument.number;
    return &table[(hash * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
}

bool
keptmemo_find(const struct image *image, uint64_t start, const struct kept_argument *argument,
              uint64_t pc, struct kept_places *ret)
{
    const struct module *module = image_module_at(image, start);
    struct memo question = {.argument = *argument};
    struct function_code code;
    if (module != NULL) {
        question.file = module->file;
        question.start = start - module->bias;
        question.pc = pc - module->bias;
    }
    struct memo *memo = place_of(&question);
    if (module == NULL || !is_same(memo, &question)) {
        if (!function_code_read(image, start, &code))
            return false;
        question.found = keptargs_find(&code, argument, pc, &question.places);
        free((void *) code.bytes);
        if (memo->found)
            free(memo->places.offsets);
        *memo = question;
    }
    if (memo->found)
        *ret = memo->places;
    return memo->found;
}
