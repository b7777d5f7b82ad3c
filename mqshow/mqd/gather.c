// SPDX-License-Identifier: BSD-3-Clause
// Asking a library about one process, in the order of MQD 4.2.
#include "mqshow/mqd/gather.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/mqd/format.h"
#include "mqshow/base/package.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGE_MAX = 2048, MESSAGES_MAX = 1000 };

void
gather_failure(struct gathering *gathering, const char *what, int code)
{
    char *error = dll_error(gathering->dll, code);
    report_problem(gathering->report, alloc_format("%s: %s", what, error));
    free(error);
}

void
gather_message(struct gathering *gathering, const char *format, const char *name, int code)
{
    if (format == NULL)
        return;
    char *text = format_message(format, name, MESSAGE_MAX);
    if (code == mqs_ok) {
        report_message(gathering->report, text);
        return;
    }
    // Some libraries put but a name into the message, and what is wrong with it into the code.
    const char *error =
        code == mqs_no_information ? NULL : gathering->dll->mqs_dll_error_string(code);
    char *meaning = format_message(error != NULL ? error : "", name, MESSAGE_MAX);
    bool told = strstr(text, meaning) != NULL;
    report_problem(gathering->report,
                   told ? alloc_text(text) : alloc_format("%s: %s", text, meaning));
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
gather_printed(struct gathering *gathering)
{
    host_take_printed(add_printed, gathering->report);
}

/** Whether an answer only says that there is no MPI here. */
static bool
is_silent(int code, const char *message)
{
    return code == mqs_no_information && message == NULL;
}

static void
ask_about_image(struct gathering *gathering)
{
    const struct dll *dll = gathering->dll;
    struct mqs_process_ *process = gathering->process;
    mqs_image *image = &process->image;
    gathering->queues_are_possible = false;
    int code = dll->mqs_setup_image(image, &host_image);
    if (code != mqs_ok) {
        gather_failure(gathering, "image", code);
        return;
    }
    if (gathering->options->layout_origins != 0 && dll->mqs_set_layout_origins != NULL)
        dll->mqs_set_layout_origins(image, gathering->options->layout_origins);
    char *message = NULL;
    code = dll->mqs_image_has_queues(image, &message);
    gathering->queues_are_possible = code == mqs_ok;
    gathering->report->has_mpi |= !is_silent(code, message);
    gather_message(gathering, message, image->image.path, code);
    if (code != mqs_ok && code != mqs_no_information && message == NULL)
        gather_failure(gathering, "image", code);
}

void
gather_image(struct gathering *gathering)
{
    ask_about_image(gathering);
    gather_printed(gathering);
}

static void
copy_text(struct report *report, const char **ret, const char *text, size_t size)
{
    if (*text != '\0' && *ret == NULL)
        *ret = report_keep(report, escape_text(text, size));
}

static void
gather_mpi_info(struct gathering *gathering)
{
    struct report *report = gathering->report;
    mqs_mpi_info info = {.implementation = ""};
    if (gathering->dll->mqs_get_mpi_info == NULL ||
        gathering->dll->mqs_get_mpi_info(gathering->process, &info) != mqs_ok)
        return;
    struct mpi_record *mpi = &report->mpi;
    int phase = mqs_phase_unknown;
    copy_text(report, &mpi->implementation, info.implementation, sizeof info.implementation);
    copy_text(report, &mpi->version, info.version, sizeof info.version);
    copy_text(report, &mpi->layout, info.layout, sizeof info.layout);
    copy_text(report, &mpi->transport, info.transport, sizeof info.transport);
    if (mpi->implementation != NULL)
        report->has |= 1u << PROCESS_MPI;
    if (gathering->dll->mqs_get_mpi_phase != NULL)
        (void) gathering->dll->mqs_get_mpi_phase(gathering->process, &phase);
    if (phase_name(phase) != NULL)
        SET(mpi, MPI_PHASE, phase, (uint8_t) phase);
    if (gathering->dll->mqs_get_mpi_progress != NULL &&
        gathering->dll->mqs_get_mpi_progress(gathering->process, &mpi->progress) == mqs_ok)
        mpi->has |= 1u << MPI_PROGRESS;
}

typedef int (*get_message_ft)(mqs_process *process, int index, const char **text);

/** Adds what the library has to say beyond MQD 1.0. */
static void
gather_library_messages(struct gathering *gathering, get_message_ft get,
                        void (*add)(struct report *report, char *message))
{
    if (get == NULL)
        return;
    for (int i = 0; i < MESSAGES_MAX; i++) {
        const char *text = NULL;
        if (get(gathering->process, i, &text) != mqs_ok || text == NULL)
            return;
        add(gathering->report, escape_text(text, MESSAGE_MAX));
    }
}

static void
gather_rank(struct gathering *gathering)
{
    if (gathering->dll->mqs_get_global_rank == NULL)
        return;
    int rank = gathering->dll->mqs_get_global_rank(gathering->process);
    if (rank >= 0)
        gathering->report->rank = rank;
}

/** Which file the MPI library is that cannot be read, and the package that may help. */
static void
tell_library(struct gathering *gathering)
{
    const struct image *image = &gathering->process->image.image;
    uint64_t addr;
    const struct module *module = image_symbol(image, "MPI_Init", SYMBOL_FUNCTION, &addr)
                                      ? image_module_at(image, addr)
                                      : NULL;
    if (module == NULL)
        return;
    char *package = package_of_mpi(module->file->path);
    report_message(
        gathering->report,
        package != NULL
            ? alloc_format("the MPI library is %s of the package %s: the package %s-dbgsym of the "
                           "same version has its debug information",
                           module->file->path, package, package)
            : alloc_format("the MPI library is %s", module->file->path));
    free(package);
}

static void
gather_queues(struct gathering *gathering)
{
    const struct dll *dll = gathering->dll;
    char *message = NULL;
    int code = dll->mqs_process_has_queues(gathering->process, &message);
    gather_message(gathering, message, gathering->report->image, code);
    gathering->report->has_mpi |= !is_silent(code, message);
    gather_mpi_info(gathering);
    if (code != mqs_ok && message != NULL)
        tell_library(gathering);
    if (code == mqs_ok) {
        gather_rank(gathering);
        gather_communicators(gathering);
    } else if (code != mqs_no_information && message == NULL) {
        gather_failure(gathering, "process", code);
    }
}

static void
ask_about_process(struct gathering *gathering)
{
    int code = gathering->dll->mqs_setup_process(gathering->process, &host_process);
    if (code != mqs_ok) {
        gather_failure(gathering, "process", code);
        return;
    }
    if (gathering->queues_are_possible)
        gather_queues(gathering);
    gather_openmp(gathering);
    gather_library_messages(gathering, gathering->dll->mqs_get_process_message, report_problem);
    // Why a library was refused does not mean that anything is missing.
    gather_library_messages(gathering, gathering->dll->mqs_omp_get_message, report_message);
    if (gathering->options->print_layout)
        gather_layout(gathering);
}

void
gather_process(struct gathering *gathering)
{
    ask_about_process(gathering);
    gather_printed(gathering);
}

void
gather_end(struct gathering *gathering)
{
    struct mqs_process_ *process = gathering->process;
    if (process->info != NULL && gathering->dll->mqs_destroy_process_info != NULL)
        gathering->dll->mqs_destroy_process_info(process->info);
    process->info = NULL;
    if (process->image.info != NULL && gathering->dll->mqs_destroy_image_info != NULL)
        gathering->dll->mqs_destroy_image_info(process->image.info);
    process->image.info = NULL;
    host_free_types(&process->image);
}
