// SPDX-License-Identifier: BSD-3-Clause
// What the library says of the MPI objects of a process.
#ifndef MQSHOW_WAITS_HANDLE_MEMBERS_H
#define MQSHOW_WAITS_HANDLE_MEMBERS_H

#include "mqshow/waits/request_handles.h"

/** The object of a C handle. @return false: it is none, or not known */
bool
handle_query(const struct request_handles *handles, int kind, uint64_t handle, mqs_object *ret);

/** Takes a member. @return false: no others are wanted */
typedef bool (*take_member_ft)(void *context, const mqs_object_member *member);

/** @return false: not all members were taken */
bool handle_members_each(const struct request_handles *handles, const mqs_object *object,
                         take_member_ft take, void *context);

/** Takes an object. @return false: no others are wanted */
typedef bool (*take_object_ft)(void *context, const mqs_object *object);

/** Calls a function for each object of a kind that is in use. @return false: not for all */
bool handle_objects_each(const struct request_handles *handles, int kind, take_object_ft take,
                         void *context);

/** The name that a file was opened with, to free(); NULL: not known. */
char *handle_file_name(const struct request_handles *handles, uint64_t file);

#endif
