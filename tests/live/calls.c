// SPDX-License-Identifier: BSD-3-Clause
// Comparing in which calls threads are said to be with what the program recorded.
#include "calls.h"
#include "compare.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

static const json_t *
find_thread(const json_t *process, json_int_t tid)
{
    size_t i;
    const json_t *thread, *threads = json_object_get(process, "threads");
    json_array_foreach (threads, i, thread) {
        if (json_integer_value(json_object_get(thread, "tid")) == tid)
            return thread;
    }
    return NULL;
}

static const char *
base_name(const json_t *path)
{
    const char *text = json_string_value(path), *slash = text != NULL ? strrchr(text, '/') : NULL;
    return slash != NULL ? slash + 1 : text != NULL ? text : "";
}

static bool
is_frame(const json_t *call, const json_t *frame)
{
    return json_equal(json_object_get(call, "function"), json_object_get(frame, "function")) &&
           json_equal(json_object_get(call, "line"), json_object_get(frame, "line")) &&
           strcmp(base_name(json_object_get(call, "file")),
                  base_name(json_object_get(frame, "file"))) == 0;
}

// The tag of the operation with that request; NULL: there is none.
static json_t *
tag_of_request(const json_t *process, const json_t *request)
{
    static const char *const queues[] = {"receives", "sends"};
    size_t i, k;
    const json_t *comm, *op;
    json_array_foreach (json_object_get(process, "communicators"), i, comm) {
        for (size_t queue = 0; queue < sizeof queues / sizeof *queues; queue++) {
            json_array_foreach (json_object_get(comm, queues[queue]), k, op) {
                if (json_equal(json_object_get(op, "request"), request))
                    return json_object_get(op, "tag");
            }
        }
    }
    return NULL;
}

// Takes one that is equal out of an array. Returns whether there was one.
static bool
take_out(json_t *array, const json_t *value)
{
    size_t i;
    const json_t *item;
    json_array_foreach (array, i, item) {
        if (json_equal(item, value))
            return json_array_remove(array, i) == 0;
    }
    return false;
}

// Whether all tags are awaited, and no others unless the report says that it is not certain.
static bool
awaits_tags(const json_t *process, const json_t *awaits, const json_t *tags)
{
    size_t i, others = 0;
    const json_t *request;
    json_t *left = json_deep_copy(tags);
    json_array_foreach (json_object_get(awaits, "requests"), i, request) {
        others += !take_out(left, tag_of_request(process, request));
    }
    bool all = json_array_size(left) == 0;
    json_decref(left);
    return all && (others == 0 || json_is_false(json_object_get(awaits, "certain")));
}

static char *
differ(const char *what, const json_t *call, const json_t *thread)
{
    json_t *shown = json_copy((json_t *) thread);
    json_object_del(shown, "stack");
    char *one = json_dumps(call, JSON_COMPACT), *two = json_dumps(shown, JSON_COMPACT);
    char *ret = run_text("%s: the program says %s, mqshow %s", what, one, two);
    free(two);
    free(one);
    json_decref(shown);
    return ret;
}

static char *
compare_call(const json_t *process, const json_t *call)
{
    json_int_t tid = json_integer_value(json_object_get(call, "tid"));
    const json_t *thread = find_thread(process, tid);
    const json_t *awaits = json_object_get(thread, "awaits");
    if (thread == NULL)
        return run_text("no thread %d", (int) tid);
    if (!json_equal(json_object_get(call, "call"), json_object_get(thread, "call")))
        return differ("call", call, thread);
    if (!is_frame(call, json_object_get(thread, "frame")))
        return differ("frame", call, thread);
    if (!json_equal(json_object_get(call, "needs"), json_object_get(awaits, "needs")))
        return differ("needs", call, thread);
    if (!awaits_tags(process, awaits, json_object_get(call, "tags")))
        return differ("awaits", call, thread);
    return NULL;
}

char *
calls_compare(const json_t *truth, const json_t *report)
{
    size_t i;
    const json_t *call;
    const json_t *process =
        compare_find_process(report, json_integer_value(json_object_get(truth, "pid")));
    char *ret = NULL;
    json_array_foreach (json_object_get(truth, "calls"), i, call) {
        if (ret == NULL)
            ret = compare_call(process, call);
    }
    return ret;
}
