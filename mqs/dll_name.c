// SPDX-License-Identifier: BSD-3-Clause
// The whole of libmqs_dll_name.so: the variable by which debuggers find the library, for programs
// whose MPI does not define it. It is preloaded or linked.
#include <stdlib.h>
#include <string.h>

// An MPI library that has the variable too may write into this one: none has longer paths.
enum { PATH_BYTES = 4096 };

__attribute__((visibility("default"))) extern char MPIR_dll_name[PATH_BYTES];

/** Path of libmqs_ompd.so: where it was installed, or what MQS_OMPD_DLL says at load time. */
char MPIR_dll_name[PATH_BYTES] = DLLDIR "/libmqs_ompd.so";

__attribute__((constructor)) static void
relocate(void)
{
    const char *path = getenv("MQS_OMPD_DLL");
    if (path != NULL && *path != '\0' && strlen(path) < sizeof MPIR_dll_name)
        strcpy(MPIR_dll_name, path);
}
