// SPDX-License-Identifier: BSD-3-Clause
// Asking a library about one process, in the order of MQD 4.2.
#include "mqshow/mqd/query.h"

#include "mqshow/base/escape.h"
#include "mqshow/base/package.h"
#include "mqshow/base/strbuf.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGE_MAX = 2048, MESSAGES_MAX = 1000 };

void
query_add_failure(struct query *query, const char *what, int code)
{
    char *error = dll_error(query->dll, code);
    report_problem(query->report, alloc_format("%s: %s", what, error));
    free(error);
}

static bool
is_format(const char *text)
{
    int names = 0;
    for (const char *s = strchr(text, '%'); s != NULL; s = strchr(s + 2, '%')) {
        if (s[1] != 's' && s[1] != '%')
            return false;
        names += s[1] == 's';
    }
    return names <= 1;
}

static char *
fill_in(const char *format, const char *name)
{
    char *filled = alloc_zeroed(strlen(format) + strlen(name) + 1, 1);
    char *end = filled;
    for (const char *s = format; *s != '\0'; s++) {
        if (*s != '%')
            *end++ = *s;
        else if (*++s == '%')
            *end++ = '%';
        else
            end = stpcpy(end, name);
    }
    return filled;
}

/** Fills a format with at most one %s in safely and escapes the result, to free() (MQD 5.8.2). A
 * text with anything but one %s and "%%" is no such format and is shown as it is.
 */
static char *
format_message(const char *format, const char *name)
{
    size_t length = strnlen(format, MESSAGE_MAX);
    char *copy = alloc_zeroed(length + 1, 1);
    memcpy(copy, format, length);
    // A line break at the end or within is layout, not content.
    for (char *s = copy; (s = strchr(s, '\n')) != NULL;)
        *s = ' ';
    char *filled = is_format(copy) ? fill_in(copy, name) : alloc_text(copy);
    char *message = escape_text(filled, 2 * MESSAGE_MAX + strlen(name));
    free(filled);
    free(copy);
    return message;
}

void
query_add_message(struct query *query, const char *format, const char *name, int code)
{
    if (format == NULL)
        return;
    char *text = format_message(format, name);
    if (code == mqs_ok) {
        report_message(query->report, text);
        return;
    }
    // Some libraries put but a name into the message, and what is wrong with it into the code.
    const char *error = code == mqs_no_information ? NULL : query->dll->mqs_dll_error_string(code);
    char *meaning = format_message(error != NULL ? error : "", name);
    bool repeats = strstr(text, meaning) != NULL;
    report_problem(query->report,
                   repeats ? alloc_text(text) : alloc_format("%s: %s", text, meaning));
    free(meaning);
    free(text);
}

static void
add_printed(void *report, char *text)
{
    report_message(report, text);
}

/** What a library has printed for the user is about the process that it was asked about. */
static void
query_printed(struct query *query)
{
    host_take_printed(add_printed, query->report);
}

/** Whether an answer only says that there is no MPI here. */
static bool
is_silent(int code, const char *message)
{
    return code == mqs_no_information && message == NULL;
}

static void
ask_about_image(struct query *query)
{
    const struct dll *dll = query->dll;
    struct mqs_process_ *process = query->process;
    mqs_image *image = &process->image;
    query->queues_are_possible = false;
    int code = dll->mqs_setup_image(image, &host_image);
    if (code != mqs_ok) {
        query_add_failure(query, "image", code);
        return;
    }
    if (query->options->layout_origins != 0 && dll->mqs_set_layout_origins != NULL)
        dll->mqs_set_layout_origins(image, query->options->layout_origins);
    if (query->moved != NULL)
        dll->mqs_set_layout_offset(image, query->moved->structure, query->moved->member,
                                   (long) query->moved->offset);
    char *message = NULL;
    code = dll->mqs_image_has_queues(image, &message);
    query->queues_are_possible = code == mqs_ok;
    query->report->has_mpi |= !is_silent(code, message);
    query_add_message(query, message, image->image.path, code);
    if (code != mqs_ok && code != mqs_no_information && message == NULL)
        query_add_failure(query, "image", code);
}

void
query_image(struct query *query)
{
    ask_about_image(query);
    query_printed(query);
}

static void
copy_text(struct report *report, const char **ret, const char *text, size_t size)
{
    if (*text != '\0' && *ret == NULL)
        *ret = report_keep(report, escape_text(text, size));
}

static void
query_thread_level(struct query *query)
{
    struct mpi_record *mpi = &query->report->mpi;
    int level;
    mqs_taddr_t main_thread;
    if (query->dll->mqs_get_mpi_thread_level == NULL ||
        query->dll->mqs_get_mpi_thread_level(query->process, &level, &main_thread) != mqs_ok ||
        thread_level_name(level) == NULL)
        return;
    SET(mpi, MPI_THREAD_LEVEL, thread_level, (uint8_t) level);
    SET(mpi, MPI_THREAD_NUMBER, thread_number, level);
    if (main_thread != 0)
        SET(mpi, MPI_MAIN_THREAD, main_thread, main_thread);
}

/** Whether real jobs have shown what is true of a release. */
static bool
is_tested(const struct mpi_record *mpi)
{
    static const struct {
        const char *implementation, *version;
    } tested[] = {
#define TESTED(implementation, version) {implementation, version},
#include "mqshow/mqd/tested.def"
#undef TESTED
    };
    for (size_t i = 0; i < sizeof tested / sizeof *tested; i++)
        if (text_equals(tested[i].implementation, mpi->implementation) &&
            text_equals(tested[i].version, mpi->version))
            return true;
    return false;
}

static void
query_mpi_info(struct query *query)
{
    struct report *report = query->report;
    mqs_mpi_info info = {.implementation = ""};
    if (query->dll->mqs_get_mpi_info == NULL ||
        query->dll->mqs_get_mpi_info(query->process, &info) != mqs_ok)
        return;
    struct mpi_record *mpi = &report->mpi;
    int phase = mqs_phase_unknown;
    copy_text(report, &mpi->implementation, info.implementation, sizeof info.implementation);
    copy_text(report, &mpi->version, info.version, sizeof info.version);
    copy_text(report, &mpi->layout, info.layout, sizeof info.layout);
    copy_text(report, &mpi->transport, info.transport, sizeof info.transport);
    if (mpi->implementation != NULL)
        report->has |= 1u << PROCESS_MPI;
    if (mpi->implementation != NULL && mpi->version != NULL)
        SET(mpi, MPI_TESTED, tested, is_tested(mpi));
    if (query->dll->mqs_get_mpi_phase != NULL)
        (void) query->dll->mqs_get_mpi_phase(query->process, &phase);
    if (phase_name(phase) != NULL)
        SET(mpi, MPI_PHASE, phase, (uint8_t) phase);
    query_thread_level(query);
    if (query->dll->mqs_get_mpi_progress != NULL &&
        query->dll->mqs_get_mpi_progress(query->process, &mpi->progress) == mqs_ok)
        mpi->has |= 1u << MPI_PROGRESS;
}

typedef int (*get_message_ft)(mqs_process *process, int index, const char **text);

/** Adds what the library has to say beyond MQD 1.0. */
static void
query_library_messages(struct query *query, get_message_ft get,
                       void (*add)(struct report *report, char *message))
{
    if (get == NULL)
        return;
    for (int i = 0; i < MESSAGES_MAX; i++) {
        const char *text = NULL;
        if (get(query->process, i, &text) != mqs_ok || text == NULL)
            return;
        add(query->report, escape_text(text, MESSAGE_MAX));
    }
}

static void
query_rank(struct query *query)
{
    if (query->dll->mqs_get_global_rank == NULL)
        return;
    int rank = query->dll->mqs_get_global_rank(query->process);
    if (rank >= 0)
        query->report->rank = rank;
}

/** Which file the MPI library is that cannot be read, and the package that may help. */
static void
report_library(struct query *query)
{
    const struct image *image = &query->process->image.image;
    uint64_t addr;
    const struct module *module = image_symbol(image, "MPI_Init", SYMBOL_FUNCTION, &addr)
                                      ? image_module_at(image, addr)
                                      : NULL;
    if (module == NULL)
        return;
    char *package = package_of_mpi(module->file->path);
    report_message(
        query->report,
        package != NULL
            ? alloc_format(
                  "the MPI library is %s of package %s; its debug information is in package "
                  "%s-dbgsym of the same version",
                  module->file->path, package, package)
            : alloc_format("the MPI library is %s", module->file->path));
    free(package);
}

bool
query_queues(struct query *query)
{
    const struct dll *dll = query->dll;
    char *message = NULL;
    int code = dll->mqs_process_has_queues(query->process, &message);
    query_add_message(query, message, query->report->image, code);
    query->report->has_mpi |= !is_silent(code, message);
    query_mpi_info(query);
    if (code != mqs_ok && message != NULL)
        report_library(query);
    if (code == mqs_ok) {
        query_rank(query);
        query_communicators(query);
    } else if (code != mqs_no_information && message == NULL) {
        query_add_failure(query, "process", code);
    }
    return code == mqs_ok;
}

static void
ask_about_process(struct query *query)
{
    int code = query->process->info != NULL
                   ? mqs_ok // from an earlier look
                   : query->dll->mqs_setup_process(query->process, &host_process);
    if (code != mqs_ok) {
        query_add_failure(query, "process", code);
        return;
    }
    if (query->queues_are_possible && query_queues(query))
        query_handles(query);
    query_openmp(query);
    query_library_messages(query, query->dll->mqs_get_process_message, report_problem);
    // Why a library was refused does not mean that anything is missing.
    query_library_messages(query, query->dll->mqs_omp_get_message, report_message);
    if (query->options->print_layout)
        query_layout(query);
}

void
query_process(struct query *query)
{
    ask_about_process(query);
    query_printed(query);
}

void
query_end(struct query *query)
{
    struct mqs_process_ *process = query->process;
    if (process->info != NULL && query->dll->mqs_destroy_process_info != NULL)
        query->dll->mqs_destroy_process_info(process->info);
    process->info = NULL;
    if (process->image.info != NULL && query->dll->mqs_destroy_image_info != NULL)
        query->dll->mqs_destroy_image_info(process->image.info);
    process->image.info = NULL;
    host_free_types(&process->image);
}
