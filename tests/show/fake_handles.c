// SPDX-License-Identifier: BSD-3-Clause
// The side of the handles: MPI objects that do not exist, some of which cannot be read. Groups have
// no list, that of windows cannot be read, and that of requests breaks off.
#include "mqs_handles.h"

#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { BROKEN = 101, WITHOUT_NAME = mqs_object_session };

static const struct {
    int kind, state;
    uint64_t handle;
    const char *name; // NULL: it can have none
    const char *text; // NULL: it cannot be described
} rows[] = {
    {mqs_object_communicator, mqs_object_predefined, 0x10, "MPI_COMM_WORLD", "12 ranks, this is 0"},
    {mqs_object_communicator, mqs_object_live, 0x11, "sol\033[31mver",
     "\"sol\033[31mver\": 2 ranks"},
    {mqs_object_communicator, mqs_object_null, 0, NULL, "null"},
    {mqs_object_datatype, mqs_object_live, 0x20, "", "vector(3, 2, 4) of MPI_INT"},
    {mqs_object_datatype, mqs_object_freed, 0x21, NULL, NULL},
    {mqs_object_datatype, 77, 0x22, NULL, "in no state"},
    {mqs_object_request, mqs_object_live, 0x30, NULL, "receive from 1"},
    {mqs_object_status, mqs_object_live, 0x40, NULL, "from 1 tag 7"},
    {mqs_object_op, mqs_object_live, 0x5000000050, NULL, "not commutative"},
    {WITHOUT_NAME, mqs_object_live, 0x60, NULL, "of a kind without a name"},
};

enum { ROWS = sizeof rows / sizeof *rows };

static struct {
    int kind, next;
} list;

static void
fill(mqs_object *object, int i)
{
    *object = (mqs_object){.kind = rows[i].kind, .state = rows[i].state, .handle = rows[i].handle};
    object->known = rows[i].name != NULL ? MQS_OBJECT_NAME : 0;
    snprintf(object->name, sizeof object->name, "%s", rows[i].name != NULL ? rows[i].name : "");
}

EXPORT int
mqs_query_handle(mqs_process *process, int kind, int form, uint64_t value, mqs_object *object)
{
    (void) process;
    if (value == 0xbad)
        return BROKEN;
    // A status has an address only; an INTEGER is the last two digits of what C has.
    if ((kind == mqs_object_status) != (form == mqs_form_address))
        return mqs_no_information;
    for (int i = 0; i < ROWS; i++) {
        uint64_t own = form == mqs_form_fortran ? rows[i].handle & 0xff : rows[i].handle;
        if (rows[i].kind == kind && own == value) {
            fill(object, i);
            return mqs_ok;
        }
    }
    return mqs_no_information;
}

EXPORT int
mqs_setup_object_iterator(mqs_process *process, int kind)
{
    (void) process;
    list.kind = kind;
    list.next = 0;
    return kind == mqs_object_group    ? mqs_no_information
           : kind == mqs_object_window ? BROKEN
                                       : mqs_ok;
}

EXPORT int
mqs_next_object(mqs_process *process, mqs_object *object)
{
    (void) process;
    while (list.next < ROWS && rows[list.next].kind != list.kind)
        list.next++;
    if (list.next == ROWS)
        return list.kind == mqs_object_request ? BROKEN : mqs_end_of_list;
    fill(object, list.next++);
    return mqs_ok;
}

EXPORT int
mqs_describe_object(mqs_process *process, const mqs_object *object, char *text, size_t size)
{
    (void) process;
    for (int i = 0; i < ROWS; i++)
        if (rows[i].kind == object->kind && rows[i].handle == object->handle && rows[i].text) {
            snprintf(text, size, "%s", rows[i].text);
            return mqs_ok;
        }
    return BROKEN;
}

EXPORT const char *
mqs_object_kind_name(int kind)
{
    static const char *const names[mqs_object_kind_count] = {
        "communicator", "group", "datatype",   "request", "status", "window",
        "file",         "op",    "errhandler", "info",    "message"};
    return kind >= 0 && kind < mqs_object_kind_count ? names[kind] : NULL;
}
