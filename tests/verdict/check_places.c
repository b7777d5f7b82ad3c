// SPDX-License-Identifier: BSD-3-Clause
// Places of threads: the program's own line, and what it has called in a library.
#include "tests/verdict/check_verdict.h"

#include "mqshow/report/place.h"

#include <stdlib.h>
#include <string.h>

#define SITE "/home/me/venv/lib/python3.11/site-packages"
#define STL  "/usr/include/c++/12/bits/"

enum { FRAMES_MAX = 6 };

/** Frames from the innermost on: "function|file|line", and "|module" of machine code. The thread's
 * own is the first one. */
static const struct {
    const char *expected, *both; // NULL: the same
    const char *frames[FRAMES_MAX];
} places[] = {
    // In the program's own code.
    {"exchange at ring.c:17", NULL, {"exchange|/home/me/ring.c|17|/home/me/ring"}},
    {"exchange", NULL, {"exchange||0|/home/me/ring", "main|/home/me/ring.c|9|/home/me/ring"}},
    {"part at a.cc:3",
     NULL,
     {"part|/home/me/a.cc|3|/home/me/a", "std::for_each|" STL "stl_algo.h|3820|/home/me/a",
      "main|/home/me/a.cc|9|/home/me/a"}},
    // In a library's, also where that is a header, and how often it calls itself.
    {"write_part at p2.py:8 (h5py Dataset.__setitem__)",
     "Dataset.__setitem__ at dataset.py:982, called from write_part at p2.py:8",
     {"Dataset.__setitem__|/usr/lib/python3/dist-packages/h5py/_hl/dataset.py|982",
      "write_part|/home/me/p2.py|8", "<module>|/home/me/p2.py|14"}},
    {"send_late at late.py:9 (threading Event.wait)",
     "Condition.wait at threading.py:324, called from send_late at late.py:9",
     {"Condition.wait|/usr/lib/python3.11/threading.py|324",
      "Event.wait|/usr/lib/python3.11/threading.py|622", "send_late|/home/me/late.py|9",
      "Thread.run|/usr/lib/python3.11/threading.py|975"}},
    {"<module> at <string>:2 (threading Event.wait)",
     "Event.wait at threading.py:622, called from <module> at <string>:2",
     {"Event.wait|/opt/conda/lib/python3.12/threading.py|622", "<module>|<string>|2"}},
    {"work at a.cc:7 (std::lock_guard<...>::lock_guard)",
     "std::mutex::lock at std_mutex.h:100, called from work at a.cc:7",
     {"std::mutex::lock|" STL "std_mutex.h|100|/home/me/a",
      "std::lock_guard<...>::lock_guard|" STL "std_mutex.h|229|/home/me/a",
      "work|/home/me/a.cc|7|/home/me/a"}},
    {"solve at a.f90:7 (pdgetrf_)",
     "pzgemm_, called from solve at a.f90:7",
     {"pzgemm_||0|/usr/lib/x86_64-linux-gnu/libscalapack.so.2",
      "pdgetrf_||0|/usr/lib/x86_64-linux-gnu/libscalapack.so.2",
      "solve|/home/me/a.f90|7|/home/me/a"}},
    {"step at job.py:6 (jax Array.wait)",
     "execute at pxla.py:420, called from step at job.py:6",
     {"execute|" SITE "/jax/_src/pxla.py|420", "Array.wait|" SITE "/jax/array.py|3",
      "boundary.<locals>.filtered|" SITE "/jax/traceback.py|9", "step|/home/me/job.py|6"}},
    // The interpreter's frames, an extension's without a source, and those of libraries between.
    {"step at run.py:5 (h5py File.flush)",
     "File.flush at files.py:1, called from step at run.py:5",
     {"File.flush|" SITE "/h5py/files.py|1", "_PyEval_EvalFrameDefault||0|/usr/bin/python3.11",
      "call||0|/home/me/fast.cpython-311-x86_64-linux-gnu.so",
      "PyObject_Call||0|/usr/bin/python3.11", "step|/home/me/run.py|5"}},
    // All of it is installed: a program run as "python -m", or by the script that pip has made.
    {"Solver.step at core.py:5",
     NULL,
     {"Solver.step|" SITE "/solver/core.py|5", "main|" SITE "/solver/__main__.py|9",
      "_run_code|<frozen runpy>|88"}},
    {"Solver.step at core.py:5",
     NULL,
     {"Solver.step|" SITE "/solver/core.py|5", "main|" SITE "/solver/cli.py|9",
      "<module>|/home/me/venv/bin/solver|8"}},
    {"work",
     NULL,
     {"work||0|/usr/lib/libwork.so", "main||0|/usr/lib/work/work", "_start||0|/usr/lib/work/work"}},
    // The program is stripped: its frames have no names.
    {"H5Dwrite", NULL, {"H5Dwrite||0|/usr/lib/x86_64-linux-gnu/libhdf5.so.103", "||0|/home/me/a"}},
};

static const char *
take(const char **text, char *ret, size_t size)
{
    size_t length = strcspn(*text, "|");
    snprintf(ret, size, "%.*s", (int) length, *text);
    *text += length + ((*text)[length] == '|');
    return *ret != '\0' ? ret : NULL;
}

/** @param as_frame whether to leave the module away, as the thread's own frame has none */
static json_t *
made_frame(const char *text, bool as_frame)
{
    char function[100], file[200], line[20], module[100];
    json_t *frame = json_object();
    if (take(&text, function, sizeof function))
        json_object_set_new(frame, "function", json_string(function));
    if (take(&text, file, sizeof file))
        json_object_set_new(frame, "file", json_string(file));
    if (take(&text, line, sizeof line) && *line != '0')
        json_object_set_new(frame, "line", json_integer(atoi(line)));
    if (!take(&text, module, sizeof module))
        json_object_set_new(frame, "language", json_string("python"));
    else if (!as_frame)
        json_object_set_new(frame, "module", json_string(module));
    return frame;
}

START_TEST(place)
{
    json_t *job = made_job(1), *stack = json_array();
    json_t *thread = json_array_get(json_object_get(made_process(job, 0), "threads"), 0);
    for (int i = 0; i < FRAMES_MAX && places[_i].frames[i]; i++)
        json_array_append_new(stack, made_frame(places[_i].frames[i], false));
    json_object_set_new(thread, "frame", made_frame(places[_i].frames[0], true));
    json_object_set_new(thread, "stack", stack);
    struct document *document = made_document(job);
    for (int both = 0; both < 2; both++) {
        const char *expected = both == 1 && places[_i].both ? places[_i].both : places[_i].expected;
        char *text = place_text(&document->reports[0].threads.items[0], both == 1);
        ck_assert_str_eq(text, expected);
        free(text);
    }
    document_destroy(document);
    json_decref(job);
}
END_TEST

Suite *
suite_places(void)
{
    Suite *suite = suite_create("places");
    TCase *tcase = tcase_create("places");
    tcase_add_loop_test(tcase, place, 0, sizeof places / sizeof *places);
    suite_add_tcase(suite, tcase);
    return suite;
}
