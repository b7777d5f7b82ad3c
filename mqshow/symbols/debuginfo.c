// SPDX-License-Identifier: BSD-3-Clause
// Where libdwfl finds the files of a process and their debug information.

#include "mqshow/base/alloc.h"
#include "mqshow/process/core.h"
#include "mqshow/process/procfs.h"
#include "mqshow/process/stub.h"
#include "mqshow/symbols/image.h"
#include "mqshow/base/named_file.h"
#include "mqshow/base/runtime.h"
#include "mqshow/base/diag.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char servers_variable[] = "DEBUGINFOD_URLS";

/** What a user may set, and else stays small: the library's own patience is long. */
static const struct {
    const char *name, *value;
} defaults[] = {
    {"DEBUGINFOD_TIMEOUT", "5"}, // seconds
    {"DEBUGINFOD_RETRY_LIMIT", "0"},
};

enum { SERVER_PATIENCE_S = 4 }; // a failing query that takes longer was the last one

/** Whether the debug information of a file is worth a download. */
static bool
is_worth_asking(const char *path)
{
    enum runtime runtime = runtime_of_file(path);
    return runtime == RUNTIME_MPI || runtime == RUNTIME_OPENMP;
}

/** A server that does not answer must not make the tool wait once for each file. */
static void
give_up_when_slow(time_t start, bool found)
{
    if (found || time(NULL) - start < SERVER_PATIENCE_S)
        return;
    diag("the server of %s does not respond: it is not used any more", servers_variable);
    unsetenv(servers_variable);
}

/** The standard search; servers are asked about MPI and OpenMP libraries only. */
static int
search(Dwfl_Module *module, void **userdata, const char *module_name, Dwarf_Addr base,
       const char *file_name, const char *debuglink_file, GElf_Word debuglink_crc,
       char **debuginfo_file_name)
{
    const char *servers = getenv(servers_variable);
    if (servers == NULL || *servers == '\0')
        return dwfl_standard_find_debuginfo(module, userdata, module_name, base, file_name,
                                            debuglink_file, debuglink_crc, debuginfo_file_name);
    char *saved = alloc_text(servers);
    bool ask = is_worth_asking(module_name);
    if (ask)
        diag_progress("looking for debug information of %s", module_name);
    else
        unsetenv(servers_variable);
    time_t start = time(NULL);
    int fd = dwfl_standard_find_debuginfo(module, userdata, module_name, base, file_name,
                                          debuglink_file, debuglink_crc, debuginfo_file_name);
    if (ask)
        give_up_when_slow(start, fd >= 0);
    else
        setenv(servers_variable, saved, 1);
    free(saved);
    return fd;
}

/** Where the standard search looks for a file that another names: beside that one, in .debug there,
 * and in the system's folder.
 */
static bool
may_be_searched(const char *file_name, const char *link)
{
    static const char *const places[] = {"%.*s%s", "%.*s.debug/%s", "/usr/lib/debug%.*s%s"};
    const char *slash = file_name != NULL ? strrchr(file_name, '/') : NULL;
    int folder = slash != NULL ? (int) (slash + 1 - file_name) : 0;
    bool good = *link != '/' || named_file_may_be_opened(link);
    for (size_t i = 0; i < sizeof places / sizeof *places && good; i++) {
        char *path = alloc_format(places[i], folder, file_name, link);
        good = named_file_may_be_opened(path);
        free(path);
    }
    return good;
}

/** The build-id that the debug information of a module must have. */
static struct build_id
id_of(Dwfl_Module *module)
{
    const unsigned char *bytes;
    GElf_Addr addr;
    int length = dwfl_module_build_id(module, &bytes, &addr);
    return build_id(bytes, length);
}

/** Likewise of the file that its debug information names. */
static struct build_id
id_of_other(Dwfl_Module *module)
{
    const char *name;
    const void *bytes;
    Dwarf_Addr bias;
    Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
    ssize_t length = dwarf != NULL ? dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &bytes) : 0;
    return build_id(bytes, length);
}

static char not_searched; // what is in the place of `userdata` of a module

/** Finds the debug information of a module, which must have its build-id: the names are chosen by
 * whoever has made the file. When that is found, libdwfl asks for the file that it names itself,
 * without a checksum.
 */
static int
find_debuginfo(Dwfl_Module *module, void **userdata, const char *module_name, Dwarf_Addr base,
               const char *file_name, const char *debuglink_file, GElf_Word debuglink_crc,
               char **debuginfo_file_name)
{
    static char searched;
    if (*userdata == &not_searched)
        return -1;
    bool is_other = *userdata == &searched && debuglink_file != NULL && debuglink_crc == 0;
    struct build_id wanted = is_other ? id_of_other(module) : id_of(module);
    *userdata = &searched;
    if (wanted.length == 0 ||
        (debuglink_file != NULL && !may_be_searched(file_name, debuglink_file)))
        return -1;
    int fd = search(module, userdata, module_name, base, file_name, debuglink_file, debuglink_crc,
                    debuginfo_file_name);
    const char *path = *debuginfo_file_name != NULL ? *debuginfo_file_name : "";
    if (fd < 0 || named_file_may_be_read(fd, path, &wanted))
        return fd;
    close(fd);
    free(*debuginfo_file_name);
    *debuginfo_file_name = NULL;
    return -1;
}

static pid_t of_process; // whose files are being opened; 0: they have the names that they have here

/** Opens a file of a process in another mount namespace. */
static int
open_elsewhere(const char *module_name, char **file_name)
{
    char *path = procfs_other_path(of_process, module_name);
    int fd = named_file_may_be_opened(path)
                 ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
                 : -1;
    free(path);
    *file_name = fd >= 0 ? alloc_text(module_name) : NULL;
    return fd;
}

/** The files of a process: only regular ones that are ELF are opened. Their names are those of when
 * they were mapped.
 */
static int
find_elf(Dwfl_Module *module, void **userdata, const char *module_name, Dwarf_Addr base,
         char **file_name, Elf **elf)
{
    bool is_elsewhere = *module_name == '/' && of_process != 0;
    if (*module_name == '/' && !is_elsewhere && !named_file_may_be_opened(module_name))
        return -1;
    int fd = is_elsewhere
                 ? open_elsewhere(module_name, file_name)
                 : dwfl_linux_proc_find_elf(module, userdata, module_name, base, file_name, elf);
    if (fd < 0 || named_file_may_be_read(fd, module_name, NULL))
        return fd;
    close(fd);
    return -1;
}

static char *debuginfo_path; // NULL: libdwfl's default

static const Dwfl_Callbacks callbacks = {
    .find_elf = find_elf,
    .find_debuginfo = find_debuginfo,
    .debuginfo_path = &debuginfo_path,
};

/** Stacks are followed with what is in the files themselves: a search would take its time. */
static int
find_nothing(Dwfl_Module *module, void **userdata, const char *module_name, Dwarf_Addr base,
             const char *file_name, const char *debuglink_file, GElf_Word debuglink_crc,
             char **debuginfo_file_name)
{
    (void) module, (void) userdata, (void) module_name, (void) base, (void) file_name;
    (void) debuglink_file, (void) debuglink_crc, (void) debuginfo_file_name;
    return -1;
}

static const Dwfl_Callbacks callbacks_of_stacks = {
    .find_elf = find_elf,
    .find_debuginfo = find_nothing,
};

static int
open_module(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base, void *arg)
{
    (void) userdata, (void) name, (void) base, (void) arg;
    GElf_Addr bias;
    dwfl_module_getelf(module, &bias);
    return DWARF_CB_OK;
}

/** Libdwfl opens files when it needs them, by their names: those of another mount namespace are
 * opened at once.
 */
static void
open_files(Dwfl *session, pid_t pid)
{
    if (!procfs_has_other_mounts(pid))
        return;
    of_process = pid;
    dwfl_getmodules(session, open_module, NULL, 0);
    of_process = 0;
}

static bool
report_files(Dwfl *session, const struct image *image)
{
    if (image->debuggee.core != NULL)
        return core_report(image->debuggee.core, session);
    if (image->debuggee.stub != NULL)
        return stub_report(image->debuggee.stub, session);
    dwfl_report_begin(session);
    if (dwfl_linux_proc_report(session, image->debuggee.pid) != 0 ||
        dwfl_report_end(session, NULL, NULL) != 0)
        return false;
    open_files(session, image->debuggee.pid);
    return true;
}

static int
end_search(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base, void *arg)
{
    (void) module, (void) name, (void) base, (void) arg;
    *userdata = &not_searched;
    return DWARF_CB_OK;
}

void
debuginfo_end_search(Dwfl *session)
{
    dwfl_getmodules(session, end_search, NULL, 0);
}

Dwfl *
debuginfo_session(const struct image *image, bool is_of_stacks)
{
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        setenv(defaults[i].name, defaults[i].value, 0);
    errno = 0;
    Dwfl *session = dwfl_begin(is_of_stacks ? &callbacks_of_stacks : &callbacks);
    bool good = session && report_files(session, image);
    alloc_check_errno();
    if (good)
        return session;
    dwfl_end(session);
    return NULL;
}
