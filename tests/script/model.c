// SPDX-License-Identifier: BSD-3-Clause
// Data models of fake processes, and integers in memory.
#include "tests/script/model.h"

#include <string.h>

const struct model models[MODELS] = {
    {"le64", false, {2, 4, 8, 8, 8, 1, 8}},
    {"be64", true, {2, 4, 8, 8, 8, 1, 8}},
    {"le32", false, {2, 4, 4, 8, 4, 1, 4}},
    {"be32", true, {2, 4, 4, 8, 4, 1, 4}},
};

const struct model *
model_find(const char *name)
{
    for (size_t i = 0; i < MODELS; i++) {
        if (!strcmp(models[i].name, name))
            return &models[i];
    }
    return NULL;
}

void
model_encode(const struct model *model, uint64_t value, size_t width, uint8_t *ret)
{
    for (size_t i = 0; i < width; i++, value >>= 8)
        ret[model->big_endian ? width - 1 - i : i] = (uint8_t) value;
}

uint64_t
model_decode(const struct model *model, const uint8_t *bytes, size_t width)
{
    uint64_t value = 0;

    for (size_t i = 0; i < width; i++)
        value = value << 8 | bytes[model->big_endian ? i : width - 1 - i];
    return value;
}
