// SPDX-License-Identifier: BSD-3-Clause
// The threads of a process that a debugger holds.
#include "mqshow/process/stub.h"

#include "mqshow/base/alloc.h"

#include <expat.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 100000, NAME_BYTES = 64 };

/** Adds the thread of an id as stubs write it: "p12.34" or "34", in hexadecimal. */
static const char *
add_thread(struct stub *stub, const char *id, const char *name)
{
    char *end;
    unsigned long pid = 0;
    if (*id == 'p') {
        pid = strtoul(id + 1, &end, 16);
        id = *end == '.' ? end + 1 : end;
        stub->names_pids = true;
    }
    unsigned long tid = strtoul(id, &end, 16);
    if (end == id || tid == 0 || tid > INT_MAX || pid > INT_MAX || stub->n_threads == THREADS_MAX)
        return end;
    if (stub->pid == 0)
        stub->pid = (pid_t) (pid != 0 ? pid : tid);
    if (pid != 0 && (pid_t) pid != stub->pid)
        return end; // of another process
    *ALLOC_ADD(stub->threads, stub->n_threads, stub->threads_capacity) = (struct stub_thread){
        .tid = (pid_t) tid, .name = name != NULL ? alloc_format("%.*s", NAME_BYTES, name) : NULL};
    return end;
}

static void
start_element(void *arg, const XML_Char *name, const XML_Char **attributes)
{
    const char *id = NULL, *called = NULL;
    for (; strcmp(name, "thread") == 0 && *attributes != NULL; attributes += 2) {
        id = strcmp(attributes[0], "id") == 0 ? attributes[1] : id;
        called = strcmp(attributes[0], "name") == 0 ? attributes[1] : called;
    }
    if (id != NULL)
        add_thread(arg, id, called);
}

void
stub_parse(struct stub *stub, const char *object, const char *annex, stub_element *start, void *arg)
{
    size_t size;
    char *text = rsp_read_object(&stub->rsp, object, annex, &size);
    XML_Parser parser = text != NULL ? XML_ParserCreate(NULL) : NULL;
    if (parser != NULL) {
        XML_SetUserData(parser, arg);
        XML_SetElementHandler(parser, start, NULL);
        XML_Parse(parser, text, (int) size, true);
        XML_ParserFree(parser);
    }
    free(text);
}

/** The list in the form that every stub knows. */
static void
list_by_packets(struct stub *stub)
{
    struct rsp *rsp = &stub->rsp;
    const char *question = "qfThreadInfo";
    for (size_t i = 0; i < THREADS_MAX && rsp_ask(rsp, "%s", question); i++) {
        if (rsp->size < 2 || rsp->reply[0] != 'm')
            break;
        const char *at = rsp->reply;
        do
            at = add_thread(stub, at + 1, NULL);
        while (*at == ',');
        question = "qsThreadInfo";
    }
}

void
stub_list_threads(struct stub *stub)
{
    stub_parse(stub, "threads", "", start_element, stub); // with names
    if (stub->n_threads == 0)
        list_by_packets(stub);
}

bool
stub_is_local(const struct stub *stub)
{
    bool local = stub->pid > 0 && stub->n_threads > 0;
    for (size_t i = 0; local && i < stub->n_threads; i++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/task/%d", (int) stub->pid,
                 (int) stub->threads[i].tid);
        local = access(path, F_OK) == 0;
    }
    return local;
}

const char *
stub_thread_name(const struct stub *stub, pid_t tid)
{
    for (size_t i = 0; i < stub->n_threads; i++)
        if (stub->threads[i].tid == tid)
            return stub->threads[i].name;
    return NULL;
}
