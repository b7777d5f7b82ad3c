// SPDX-License-Identifier: BSD-3-Clause
// Decoding of the target's integers.
#include "target/datamodel.h"

static bool
is_4_or_8(uint8_t size)
{
    return size == 4 || size == 8;
}

bool
datamodel_valid(const struct datamodel *model)
{
    return model->short_size == 2 && model->int_size == 4 && is_4_or_8(model->long_size) &&
           model->long_long_size == 8 && is_4_or_8(model->pointer_size) &&
           (model->bool_size == 1 || model->bool_size == 4) && is_4_or_8(model->size_t_size);
}

static bool
is_integer_width(size_t width)
{
    return width == 1 || width == 2 || width == 4 || width == 8;
}

uint64_t
datamodel_uint(const struct datamodel *model, const void *bytes, size_t width)
{
    const uint8_t *byte = bytes;
    uint64_t value = 0;
    if (!is_integer_width(width))
        return 0;
    for (size_t i = 0; i < width; i++)
        value = value << 8 | byte[model->big_endian ? i : width - 1 - i];
    return value;
}

int64_t
datamodel_int(const struct datamodel *model, const void *bytes, size_t width)
{
    uint64_t value = datamodel_uint(model, bytes, width);
    if (!is_integer_width(width))
        return 0;
    uint64_t sign = UINT64_C(1) << (8 * width - 1);
    return (int64_t) ((value ^ sign) - sign);
}
