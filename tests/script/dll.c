// SPDX-License-Identifier: BSD-3-Clause
// Opens the DLL as a debugger does.
#include "tests/script/dll.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_HARD_ERROR = 99 };

static struct dll dll;

static const struct entry {
    const char *name;
    size_t offset; // of the pointer in struct dll
} entries[] = {
#define ENTRY(result, name, arguments) {#name, offsetof(struct dll, name)},
#include "tests/script/entries.def"
#undef ENTRY
};

_Noreturn static void
fail(const char *text)
{
    fprintf(stderr, "%s: %s\n", dll.path, text);
    exit(EXIT_HARD_ERROR);
}

const struct dll *
dll_open(void)
{
    const char *given = getenv("MQS_DLL");

    if (dll.handle)
        return &dll;
    dll.path = given ? given : DLL_PATH;
    dll.handle = dlopen(dll.path, RTLD_NOW | RTLD_LOCAL);
    if (!dll.handle)
        fail(dlerror());
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        void *function = dlsym(dll.handle, entries[i].name);
        memcpy((char *) &dll + entries[i].offset, &function, sizeof(function));
    }
    if (!dll.mqs_setup_basic_callbacks || !dll.mqs_setup_image || !dll.mqs_setup_process ||
        !dll.mqs_next_operation)
        fail("this is no message queue library");
    return &dll;
}
