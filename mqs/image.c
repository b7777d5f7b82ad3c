// SPDX-License-Identifier: BSD-3-Clause
// Images: which MPI implementation, and the layouts that all processes of an image share.
#include "mqs/image.h"

#include <string.h>

// A program that defines one of these asks tools to leave message queues alone (MPIR 1.1, 9.14);
// the second spelling is Open MPI's.
static const char *const ignore_symbols[] = {"MPIR_ignore_queues", "MPIR_Ignore_queues"};

static struct image *images; // that are not destroyed

static struct image *
find_image(const mqs_image *image)
{
    struct image *found = images;

    while (found != NULL && found->image != image)
        found = found->next;
    return found;
}

struct image *
image_create(mqs_image *image, const mqs_image_callbacks *calls, enum interface interface)
{
    struct image *self = find_image(image);

    if (self == NULL) {
        self = host_basic()->mqs_malloc_fp(sizeof(*self));
        if (self == NULL)
            return NULL;
        memset(self, 0, sizeof(*self));
        self->next = images;
        self->users = 1;
        self->image = image;
        self->origins = 1u << ORIGIN_DEBUG | 1u << ORIGIN_BUILTIN;
        images = self;
    }
    self->calls = calls;
    self->interfaces |= interface;
    return self;
}

struct image *
image_use(struct image *image)
{
    image->users++;
    return image;
}

void
image_release(struct image *image)
{
    if (--image->users == 0)
        host_basic()->mqs_free_fp(image);
}

void
image_destroy(struct image *image, enum interface interface)
{
    for (struct image **link = &images; *link != NULL; link = &(*link)->next) {
        if (*link != image)
            continue;
        image->interfaces &= ~(unsigned) interface;
        if (image->interfaces != 0)
            return;
        *link = image->next;
        image->destroyed = true;
        image_release(image);
        return;
    }
}

struct image *
image_of(mqs_image *image)
{
    const mqs_basic_callbacks *basic = host_basic();

    return basic == NULL || image == NULL ? NULL
                                          : (struct image *) basic->mqs_get_image_info_fp(image);
}

static bool
has_symbols(struct target target, const char *const *names)
{
    taddr addr;

    for (; *names != NULL; ++names)
        if (!target.ops->find_symbol(target.host, *names, &addr))
            return false;
    return true;
}

enum status
image_detect(struct image *image)
{
    struct mqs_host host = {.image = image->image, .image_calls = image->calls};
    const struct target target = host_target(&host);
    taddr addr;

    image->adapter = NULL;
    image->ignored = false;
    for (size_t i = 0; i < sizeof(ignore_symbols) / sizeof(ignore_symbols[0]); ++i)
        if (target.ops->find_symbol(&host, ignore_symbols[i], &addr))
            image->ignored = true;
    for (const struct adapter *const *adapter = adapters; *adapter != NULL; ++adapter)
        if (has_symbols(target, (*adapter)->symbols)) {
            image->adapter = *adapter;
            break;
        }
    return image->adapter == NULL || image->ignored ? STATUS_ABSENT : STATUS_OK;
}

// A process of another data model cannot share the image's layouts.
static bool
same_model(const struct datamodel *a, const struct datamodel *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

enum status
image_resolve(struct image *image, struct inferior *inf)
{
    const struct adapter *adapter = image->adapter;

    if (image->resolved && same_model(&image->layout.model, &inf->model) &&
        (adapter->has_modules == NULL || adapter->has_modules(inf, &image->layout)))
        return STATUS_OK;
    image->resolved = false;
    layout_set_move(image->move.reading[0] ? &image->move : NULL);
    const enum status status = image->adapter->resolve(inf, image->origins, &image->layout);
    layout_set_move(NULL);
    image->resolved = status == STATUS_OK;
    return status;
}
