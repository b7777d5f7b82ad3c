// SPDX-License-Identifier: BSD-3-Clause
// replay FILE: the Python frames of a recording, as mqshow's JSON has them.
#include "tests/python/recording.h"

#include "mqshow/base/diag.h"
#include "mqshow/python/python.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>

static json_t *
make_stack(const struct python_frame *frames, size_t count)
{
    json_t *stack = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(stack, json_pack("{s:s, s:s, s:i, s:s}", "function",
                                               frames[i].function, "file", frames[i].file, "line",
                                               frames[i].line, "language", "python"));
    return stack;
}

static json_t *
make_process(const struct python *python)
{
    const struct python_exception *exception = &python->exception;
    json_t *threads = json_array(), *holders = json_array();
    for (size_t i = 0; i < python->n_threads; i++)
        json_array_append_new(
            threads, json_pack("{s:i, s:o}", "tid", python->threads[i].tid, "stack",
                               make_stack(python->threads[i].frames, python->threads[i].n_frames)));
    for (size_t i = 0; i < python->n_gils; i++)
        json_array_append_new(holders, json_integer(python->gils[i].holder));
    json_t *process = json_pack("{s:o, s:o}", "threads", threads, "gil_holders", holders);
    if (exception->type != NULL)
        json_object_set_new(process, "uncaught_exception",
                            json_pack("{s:s, s:o}", "type", exception->type, "stack",
                                      make_stack(exception->frames, exception->n_frames)));
    return process;
}

int
main(int argc, char **argv)
{
    struct recording recording;
    struct python python = {.threads = NULL};
    int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    if (fd < 0 || !recording_init(&recording, fd))
        die("usage: %s RECORDING", argv[0]);
    python_read(&python, &recording.image);
    if (python.problem != NULL)
        die("%s", python.problem);
    json_t *document = json_pack("{s:[o]}", "processes", make_process(&python));
    json_dumpf(document, stdout, JSON_INDENT(1));
    json_decref(document);
    python_deinit(&python);
    recording_deinit(&recording);
    return EXIT_SUCCESS;
}
