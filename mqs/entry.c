// SPDX-License-Identifier: BSD-3-Clause
// The functions of MQD 1.0 that set up images and processes.
#include "mqs/entry.h"

#include "include/mqs.h"

int
entry_result(enum status status)
{
    switch (status) {
    case STATUS_OK:
        return mqs_ok;
    case STATUS_END:
        return mqs_end_of_list;
    case STATUS_ABSENT:
    case STATUS_UNSUPPORTED:
    case STATUS_UNUSED:
        return mqs_no_information;
    default:
        return mqs_first_user_code + (int) status;
    }
}

char *
entry_message(char *to, size_t size, const char *text)
{
    size_t at = 0;

    // A debugger prints it as a format, so a percent sign is doubled.
    for (; *text != '\0' && at + 2 < size; ++text) {
        if (*text == '%')
            to[at++] = '%';
        to[at++] = *text;
    }
    to[at] = '\0';
    return at == 0 ? NULL : to;
}

EXPORT void
mqs_setup_basic_callbacks(const mqs_basic_callbacks *cb)
{
    host_set_basic(cb);
}

EXPORT char *
mqs_version_string(void)
{
    return (char *) "mqs-ompd " PACKAGE_VERSION ": MPI message queues (MQD 1.0) and OpenMP";
}

EXPORT int
mqs_version_compatibility(void)
{
    return MQS_INTERFACE_COMPATIBILITY;
}

EXPORT int
mqs_dll_taddr_width(void)
{
    return (int) sizeof(mqs_taddr_t);
}

EXPORT char *
mqs_dll_error_string(int error_code)
{
    switch (error_code) {
    case mqs_ok:
        return (char *) "success";
    case mqs_no_information:
        return (char *) "no information about this";
    case mqs_end_of_list:
        return (char *) "end of the list";
    default:
        return (char *) status_text(error_code - mqs_first_user_code);
    }
}

enum status
entry_setup_image(mqs_image *image, const mqs_image_callbacks *cb, enum interface interface)
{
    if (host_basic() == NULL || image == NULL || cb == NULL)
        return STATUS_MISUSE;
    struct image *self = image_create(image, cb, interface);
    if (self == NULL)
        return STATUS_NOMEM;
    host_basic()->mqs_put_image_info_fp(image, (mqs_image_info *) self);
    return STATUS_OK;
}

EXPORT int
mqs_setup_image(mqs_image *image, const mqs_image_callbacks *cb)
{
    return entry_result(entry_setup_image(image, cb, INTERFACE_MQS));
}

EXPORT int
mqs_image_has_queues(mqs_image *image, char **message)
{
    struct image *self = image_of(image);

    if (message != NULL)
        *message = NULL;
    return entry_result(self == NULL ? STATUS_MISUSE : image_detect(self));
}

EXPORT int
mqs_destroy_image_info(mqs_image_info *info)
{
    if (info != NULL && host_basic() == NULL)
        return entry_result(STATUS_MISUSE);
    image_destroy((struct image *) info, INTERFACE_MQS);
    return mqs_ok;
}

enum status
entry_setup_process(mqs_process *process, const mqs_process_callbacks *cb, enum interface interface)
{
    if (host_basic() == NULL || process == NULL || cb == NULL || cb->mqs_get_image_fp == NULL)
        return STATUS_MISUSE;
    struct image *image = image_of(cb->mqs_get_image_fp(process));
    if (image == NULL)
        return STATUS_MISUSE;
    struct session *self;
    TRY(session_create(image, process, cb, &self));
    self->interfaces = interface;
    // A debugger takes a process with nothing attached for one without queues.
    host_basic()->mqs_put_process_info_fp(process, (mqs_process_info *) self);
    return STATUS_OK;
}

void
entry_leave_process(struct session *session, enum interface interface)
{
    if (session != NULL && (session->interfaces &= ~(unsigned) interface) == 0)
        session_destroy(session);
}

EXPORT int
mqs_setup_process(mqs_process *process, const mqs_process_callbacks *cb)
{
    return entry_result(entry_setup_process(process, cb, INTERFACE_MQS));
}

EXPORT int
mqs_process_has_queues(mqs_process *process, char **message)
{
    struct session *self = session_of(process);

    if (message != NULL)
        *message = NULL;
    if (self == NULL)
        return entry_result(STATUS_MISUSE);
    session_refresh(self);
    const enum status status = session_attach(self);
    const char *text = "";
    if (status == STATUS_OK && session_read_transport(self) == STATUS_OK)
        text = self->limit;
    else if (status != STATUS_OK && status != STATUS_ABSENT)
        text = trail_text(&self->inf.trail);
    text = entry_message(self->text, sizeof(self->text), text);
    if (message != NULL)
        *message = (char *) text;
    return entry_result(status);
}

EXPORT int
mqs_destroy_process_info(mqs_process_info *info)
{
    if (info != NULL && host_basic() == NULL)
        return entry_result(STATUS_MISUSE);
    entry_leave_process((struct session *) info, INTERFACE_MQS);
    return mqs_ok;
}
