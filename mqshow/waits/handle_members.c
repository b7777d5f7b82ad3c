// SPDX-License-Identifier: BSD-3-Clause
#include "mqshow/waits/handle_members.h"

#include "mqshow/base/alloc.h"

enum { OBJECTS_MAX = 1000 }; // of a kind

/** Whether the library can be asked for objects. */
static bool
knows_objects(const struct request_handles *handles)
{
    const struct dll *dll = handles->dll;
    return dll->mqs_query_handle && dll->mqs_setup_member_iterator && dll->mqs_next_member &&
           dll->mqs_setup_object_iterator && dll->mqs_next_object;
}

bool
handle_query(const struct request_handles *handles, int kind, uint64_t handle, mqs_object *ret)
{
    return knows_objects(handles) && handles->dll->mqs_query_handle(
                                         handles->process, kind, mqs_form_c, handle, ret) == mqs_ok;
}

bool
handle_members_each(const struct request_handles *handles, const mqs_object *object,
                    take_member_ft take, void *context)
{
    const struct dll *dll = handles->dll;
    mqs_object_member member;
    if (!knows_objects(handles))
        return false;
    int code = dll->mqs_setup_member_iterator(handles->process, object);
    while (code == mqs_ok) {
        code = dll->mqs_next_member(handles->process, &member);
        if (code == mqs_ok && !take(context, &member))
            return false;
    }
    return code == mqs_end_of_list;
}

bool
handle_objects_each(const struct request_handles *handles, int kind, take_object_ft take,
                    void *context)
{
    const struct dll *dll = handles->dll;
    mqs_object object = {.known = 0};
    if (!knows_objects(handles))
        return false;
    int code = dll->mqs_setup_object_iterator(handles->process, kind);
    for (size_t i = 0; code == mqs_ok && i < OBJECTS_MAX; i++) {
        code = dll->mqs_next_object(handles->process, &object);
        bool is_used = code == mqs_ok && object.state != mqs_object_null;
        if (is_used && !take(context, &object))
            return false;
    }
    return code == mqs_end_of_list;
}

/** Takes the name of a file. */
static bool
take_file_name(void *context, const mqs_object_member *member)
{
    char **name = context;
    if (member->member != mqs_member_file_name)
        return true;
    *name = alloc_text(member->text);
    return false;
}

char *
handle_file_name(const struct request_handles *handles, uint64_t file)
{
    mqs_object object = {.known = 0};
    char *name = NULL;
    if (handle_query(handles, mqs_object_file, file, &object) && object.state == mqs_object_live)
        handle_members_each(handles, &object, take_file_name, &name);
    return name;
}
