// SPDX-License-Identifier: BSD-3-Clause
// The functions of mqs_handles.h.
#include "mqs/entry.h"
#include "mqs/objects.h"

#include "include/mqs_handles.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define SAME(a, b) _Static_assert((int) (a) == (int) (b), "numbered alike")
SAME(OBJECT_KINDS, mqs_object_kind_count);
SAME(OBJECT_WIN_KEYVAL, mqs_object_win_keyval);
SAME(FORMS, mqs_form_count);
SAME(FORM_ADDRESS, mqs_form_address);
SAME(OBJECT_FREED, mqs_object_freed);
SAME(MEMBERS, mqs_member_count_of_all);
SAME(OBJECT_NAME, MQS_OBJECT_NAME_SIZE);
SAME(MEMBER_TEXT, MQS_MEMBER_TEXT);

static const struct {
    const char *name;
    int type;
} members[] = {
#define MEMBER(enumerator, name, type) {name, mqs_value_##type},
#include "include/mqs_members.def"
#undef MEMBER
};

static const char *const kinds[] = {
    "communicator", "group",   "datatype",    "request",     "status",
    "window",       "file",    "op",          "errhandler",  "info",
    "message",      "session", "comm keyval", "type keyval", "win keyval",
};
SAME(sizeof(kinds) / sizeof(*kinds), OBJECT_KINDS);

EXPORT const char *
mqs_object_kind_name(int kind)
{
    return kind < 0 || kind >= mqs_object_kind_count ? NULL : kinds[kind];
}

EXPORT const char *
mqs_member_name(int member)
{
    return member < 0 || member >= mqs_member_count_of_all ? NULL : members[member].name;
}

enum status
entry_attached(mqs_process *process, struct session **ret)
{
    struct session *self = session_of(process);

    if (self == NULL)
        return STATUS_MISUSE;
    TRY(session_attach(self));
    trail_reset(&self->inf.trail);
    *ret = self;
    return STATUS_OK;
}

static void
record_object(const struct object *object, mqs_object *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->known = MQS_OBJECT_HANDLE | MQS_OBJECT_ADDRESS;
    if (object->kind == OBJECT_STATUS)
        ret->known = MQS_OBJECT_ADDRESS;
    ret->kind = (int) object->kind;
    ret->state = (int) object->state;
    ret->handle = object->handle;
    ret->address = object->addr;
    if (object->has_fortran) {
        ret->known |= MQS_OBJECT_FORTRAN;
        ret->fortran = object->fortran;
    }
    if (object->has_name) {
        ret->known |= MQS_OBJECT_NAME;
        snprintf(ret->name, sizeof(ret->name), "%s", object->name);
    }
    if (object->references >= 0) {
        ret->known |= MQS_OBJECT_REFERENCES;
        ret->references = object->references;
    }
}

enum status
entry_query(struct session *self, int kind, int form, uint64_t value, struct object *ret)
{
    const struct adapter *adapter = self->image->adapter;

    if (kind < 0 || kind >= OBJECT_KINDS || form < 0 || form >= FORMS)
        return STATUS_MISUSE;
    if (adapter->object == NULL)
        return STATUS_UNSUPPORTED;
    memset(ret, 0, sizeof(*ret));
    ret->references = -1;
    TRY(adapter->object(&self->mpi, (enum object_kind) kind, (enum handle_form) form, value, ret));
    ret->kind = (enum object_kind) kind;
    return STATUS_OK;
}

EXPORT int
mqs_query_handle(mqs_process *process, int kind, int form, uint64_t value, mqs_object *object)
{
    struct session *self;
    struct object found;

    enum status status = object == NULL ? STATUS_MISUSE : entry_attached(process, &self);
    if (status == STATUS_OK)
        status = entry_query(self, kind, form, value, &found);
    if (status == STATUS_OK)
        record_object(&found, object);
    return entry_result(status);
}

EXPORT int
mqs_setup_object_iterator(mqs_process *process, int kind)
{
    struct session *self;

    enum status status = entry_attached(process, &self);
    if (status == STATUS_OK && (kind < 0 || kind >= OBJECT_KINDS))
        status = STATUS_MISUSE;
    if (status == STATUS_OK)
        status =
            objects_find(&self->objects, self->image->adapter, &self->mpi, (enum object_kind) kind);
    return entry_result(status);
}

EXPORT int
mqs_next_object(mqs_process *process, mqs_object *object)
{
    struct session *self = session_of(process);
    struct object found;

    const enum status status =
        self == NULL || object == NULL ? STATUS_MISUSE : objects_next(&self->objects, &found);
    if (status == STATUS_OK)
        record_object(&found, object);
    return entry_result(status);
}

// The object anew, from what a debugger has of it: a record that it has kept, or made up, is as
// little trusted as a handle.
static enum status
find_object(mqs_process *process, const mqs_object *object, struct session **ret_session,
            struct object *ret)
{
    const bool by_address = object != NULL && !(object->known & MQS_OBJECT_HANDLE);

    if (object == NULL)
        return STATUS_MISUSE;
    TRY(entry_attached(process, ret_session));
    return entry_query(*ret_session, object->kind, by_address ? FORM_ADDRESS : FORM_C,
                       by_address ? object->address : object->handle, ret);
}

EXPORT int
mqs_setup_member_iterator(mqs_process *process, const mqs_object *object)
{
    struct session *self;
    struct object found;

    enum status status = find_object(process, object, &self, &found);
    if (status == STATUS_OK)
        status = members_find(&self->members, self->image->adapter, &self->mpi, &found);
    return entry_result(status);
}

EXPORT int
mqs_next_member(mqs_process *process, mqs_object_member *member)
{
    struct session *self = session_of(process);
    struct member found;

    const enum status status =
        self == NULL || member == NULL ? STATUS_MISUSE : members_next(&self->members, &found);
    if (status != STATUS_OK)
        return entry_result(status);
    memset(member, 0, sizeof(*member));
    member->member = (int) found.id;
    member->type = members[found.id].type;
    member->index = found.index > INT_MAX ? INT_MAX : (int) found.index;
    member->kind = (int) found.kind;
    member->value = found.value;
    snprintf(member->text, sizeof(member->text), "%s", found.text);
    return mqs_ok;
}

EXPORT int
mqs_describe_object(mqs_process *process, const mqs_object *object, char *text, size_t size)
{
    struct session *self;
    struct object found;

    if (text == NULL || size == 0)
        return entry_result(STATUS_MISUSE);
    enum status status = find_object(process, object, &self, &found);
    if (status == STATUS_OK)
        status = object_text(self->image->adapter, &self->mpi, &found, text, size);
    return entry_result(status);
}
