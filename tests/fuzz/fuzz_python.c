// SPDX-License-Identifier: BSD-3-Clause
// An input damages the memory of a recorded process that ran Python, of the release that the first
// byte chooses.
#include "tests/fuzz/damage.h"
#include "tests/fuzz/harness.h"
#include "tests/python/recording.h"
#include "mqshow/base/diag.h"
#include "mqshow/python/python.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { BASES_MAX = 16, FRAMES_MAX = 1 << 20 };

static struct base {
    struct damage damage;
    struct recording recording;
} bases[BASES_MAX];
static size_t n_bases;

static void
begin(struct base *base, const char *path)
{
    const struct core *core = &base->recording.core;
    if (!damage_init(&base->damage, path) || !recording_init(&base->recording, base->damage.fd))
        die("%s is no recording", path);
    for (size_t i = 0; i < core->n_segments; i++)
        damage_add_region(&base->damage, core->segments[i].offset, core->segments[i].held);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void) argc, (void) argv;
    glob_t found = {0};
    glob(RECORDED "/3.?", 0, NULL, &found);
    glob(RECORDED "/3.??", GLOB_APPEND, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc && n_bases < BASES_MAX; i++)
        begin(&bases[n_bases++], found.gl_pathv[i]);
    globfree(&found);
    if (n_bases == 0)
        die("there are no files " RECORDED "/3.*");
    return 0;
}

static void
check_text(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char) *text < ' ' || *text == 127)
            abort();
}

static void
check_frames(const struct python_frame *frames, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_text(frames[i].function);
        check_text(frames[i].file);
        if (frames[i].line < 0)
            abort();
    }
}

static void
check_thread(const struct python *python, const struct python_thread *thread)
{
    const struct python_thread *found = python_thread(python, thread->tid);
    if (thread->tid <= 0 || (thread->n_frames > 0 && (found == NULL || found->n_frames == 0)))
        abort();
    check_frames(thread->frames, thread->n_frames);
}

static void
check(const struct python *python)
{
    size_t frames = 0;
    for (size_t i = 0; i < python->n_threads; i++) {
        check_thread(python, &python->threads[i]);
        frames += python->threads[i].n_frames;
    }
    for (size_t i = 0; i < python->n_gils; i++)
        if (python_gil_holder(python, 0, python->gils[i].addr) <= 0 ||
            python_gil_holder(python, python->gils[i].holder, python->gils[i].addr) ==
                python->gils[i].holder)
            abort();
    if (python->exception.type != NULL)
        check_text(python->exception.type);
    check_frames(python->exception.frames, python->exception.n_frames);
    if (frames > FRAMES_MAX)
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct base *base = &bases[*data % n_bases];
    struct python python = {.threads = NULL};
    damage_do(&base->damage, data + 1, size - 1);
    python_read(&python, &base->recording.image);
    check(&python);
    python_deinit(&python);
    damage_mend(&base->damage);
    return 0;
}
