// SPDX-License-Identifier: BSD-3-Clause
// What mqshow shows of the MPI and OpenMP packages of this distribution, or of PyPI's wheels: a
// line for each MPI and device, a cell for each fact, parted by tabs, and the names of the columns
// first. A cell is what real jobs have shown: mqshow reports what their programs recorded ("yes",
// "all but WORDS"), says why it does not ("no: REASON"; "no" for the reason of an earlier cell), or
// is wrong.
//
//   facts [DEVICE]          of the packages; only that row: "pml ob1", ..., "mpich"
//   facts wheels [BUILD]    of the wheels; only that row: "ob1-wheel", ..., "impi"
#include "tests/live/compare.h"
#include "tests/live/contains.h"
#include "tests/live/limits.h"
#include "tests/live/paths.h"
#include "tests/live/send_order.h"
#include "tests/live/scenarios.h"
#include "tests/live/suite.h"
#include "tests/live/tool.h"
#include "tests/live/vendor_diff.h"
#include "tests/live/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 512 };

// The MPI libraries and what carries their messages.
static const struct row {
    const char *device; // of Open MPI; NULL: MPICH, with the one that it was built for
    enum device devices;
    const char *options; // further ones of the starter
    int reads;           // limit for 2,000 receives
    const char *wheel;   // the build of PyPI's wheel; NULL: the distribution's package
} rows[] = {
    {"pml ob1", DEVICE_OB1, NULL, 100, NULL},
    {"pml ucx", DEVICE_PML_UCX, NULL, 200, NULL},
    {"pml cm, mtl ofi", DEVICE_PML_CM, NULL, 100, NULL},
    {NULL, DEVICES_MPICH, NULL, 200, NULL},
    {"pml ob1", DEVICE_OB1, NULL, 100, "ob1-wheel"},
    {"pml ucx", DEVICE_PML_UCX, NULL, 200, "pml-ucx-wheel"},
    {NULL, DEVICE_CH4, NULL, 200, "mpich-3.4-wheel"},
    {NULL, DEVICE_CH4, NULL, 500, "mpich-4.0-wheel"}, // it has no layout of the module in use
    {NULL, DEVICE_CH4, NULL, 200, "mpich-4.1-wheel"},
    {NULL, DEVICE_CH4, NULL, 200, "mpich-4.2-wheel"},
    {NULL, DEVICE_CH4, NULL, 200, "mpich-4.3-wheel"},
    {NULL, DEVICE_CH4, NULL, 200, "mpich-5.0-wheel"},
    {NULL, DEVICE_CH4, NULL, 200, "mpich-abi-wheel"},
    {NULL, DEVICE_IMPI, NULL, 200, "impi"},
};
enum { ROWS = sizeof rows / sizeof *rows };

// The jobs, of which each column has the part that it is about.
static const struct scenario cases[] = {
    {.name = "communicators", .program = "communicators", .ranks = 4},
    {.name = "intercommunicator", .program = "intercomm", .ranks = 4},
    {.name = "wildcards", .program = "wildcards", .ranks = 4},
    {.name = "persistent", .program = "persistent", .ranks = 2},
    {.name = "requests", .program = "requests", .ranks = 2},
    {.name = "unexpected", .program = "unexpected", .ranks = 4},
    {.name = "transit", .program = "transit", .ranks = 4, .devices = DEVICE_OB1},
    {.name = "sends", .program = "sends", .ranks = 2},
    {.name = "datatypes", .program = "datatypes", .ranks = 2},
    {.name = "barrier", .program = "collectives barrier", .ranks = 4},
    {.name = "allreduce", .program = "collectives allreduce", .ranks = 4},
    {.name = "ibarrier", .program = "collectives ibarrier", .ranks = 4},
    {.name = "openmp-regions", .program = "omp_regions", .ranks = 2},
    {.name = "openmp-regions-gomp", .program = "omp_regions_gomp", .ranks = 2},
    {.name = "cycle", .program = "deadlock receives 3", .ranks = 4},
    {.name = "wrong-tag", .program = "mismatch tag", .ranks = 2},
    {.name = "member-computes", .program = "members computing", .ranks = 4},
    {.name = "many", .program = "many 2000 1 0", .ranks = 2},
};
enum { CASES = sizeof cases / sizeof *cases };

// Members of operations.
static const char *const of_datatypes[] = {"count", "datatype", NULL};
static const char *const of_messages[] = {
    "peer", "world_peer", "tag", "bytes", "buffer", "persistent", "system_buffer", "actual", NULL};

// The columns, by the members of a record that each is about.
static const struct column {
    const char *name, *member;
    const char *queues[3];      // of communicators: what else is there belongs to other columns
    const char *const *without; // members of their operations, likewise
    const char *runtime;        // of OpenMP
} columns[] = {
    {"named", "mpi", {NULL}, NULL, NULL},
    {"communicators", "communicators", {NULL}, NULL, NULL},
    {"receives in order", "communicators", {"receives"}, of_datatypes, NULL},
    {"unexpected", "communicators", {"unexpected"}, of_datatypes, NULL},
    {"sends", "communicators", {"sends"}, of_datatypes, NULL},
    {"datatypes", "communicators", {"receives", "sends"}, of_messages, NULL},
    {"collectives", "communicators", {"collectives"}, NULL, NULL},
    {"LLVM OpenMP", "openmp", {NULL}, NULL, "LLVM OpenMP"},
    {"GNU OpenMP", "openmp", {NULL}, NULL, "GNU OpenMP"},
    {"verdict", "verdict", {NULL}, NULL, NULL},
    {"reads", NULL, {NULL}, NULL, NULL},
};
enum {
    COLUMNS = sizeof columns / sizeof *columns,
    RECEIVES = 2,
    SENDS = 4,
    DATATYPES = 5,
    COLLECTIVES = 6
};

// What was found out, from the worst to nothing. The text of what is mostly shown is what is not.
enum state { WRONG, NOT_SHOWN, MOSTLY, RIGHT, UNTRIED };

// For how long that may change: ranks may be on their way still.
static const double seconds[] = {
    [WRONG] = 60, [NOT_SHOWN] = 5, [MOSTLY] = 0, [RIGHT] = 0, [UNTRIED] = 0};

struct cell {
    enum state state;
    char text[TEXT];
};

static void
clear(struct cell cells[COLUMNS])
{
    for (size_t k = 0; k < COLUMNS; k++)
        cells[k] = (struct cell){.state = UNTRIED, .text = "not tried"};
}

static json_t *limits; // what cannot be seen under the device

static const char between[] = ", "; // things that are not shown

// Adds what is not shown, each thing once, to what was found not to be shown before.
static void
add_exceptions(struct cell *cell, const char *text)
{
    char *words = strdup(text);
    for (char *word = words, *end; word != NULL; word = end) {
        end = strstr(word, between);
        if (end != NULL) {
            *end = '\0';
            end += strlen(between);
        }
        size_t length = strlen(cell->text);
        if (strstr(cell->text, word) == NULL)
            snprintf(cell->text + length, sizeof cell->text - length, "%s%s", between, word);
    }
    free(words);
}

static void __attribute__((format(printf, 3, 4)))
note(struct cell *cell, enum state state, const char *format, ...)
{
    va_list args;
    if (state >= cell->state)
        return;
    cell->state = state;
    va_start(args, format);
    vsnprintf(cell->text, sizeof cell->text, format, args);
    va_end(args);
    for (char *at = cell->text; (at = strpbrk(at, "\t\n|")) != NULL;)
        *at = ' ';
}

static bool
is_listed(const char *const *names, const char *name)
{
    for (; *names != NULL; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

// The part of a communicator that a column is about.
static json_t *
part_of_communicator(const json_t *comm, const struct column *column)
{
    static const char *const queues[] = {"receives", "unexpected", "sends", "collectives", NULL};
    json_t *ret = json_deep_copy(comm), *op;
    size_t i;
    for (const char *const *queue = queues; *queue != NULL; queue++) {
        if (!is_listed(column->queues, *queue))
            json_object_del(ret, *queue);
        json_array_foreach (json_object_get(ret, *queue), i, op)
            for (const char *const *name = column->without; name != NULL && *name != NULL; name++)
                json_object_del(op, *name);
    }
    return ret;
}

// The part of a record that a column is about; NULL: there is none.
static json_t *
part_of(const json_t *truth, const struct column *column)
{
    static const char *const always[] = {"pid", "rank"};
    const json_t *member = json_object_get(truth, column->member);
    const char *runtime = json_string_value(json_object_get(member, "runtime"));
    size_t i;
    json_t *comm;
    if (member == NULL || (column->runtime != NULL && strcmp(runtime, column->runtime) != 0))
        return NULL;
    json_t *ret = json_object(), *comms = json_array();
    for (size_t k = 0; k < sizeof always / sizeof *always; k++)
        json_object_set(ret, always[k], json_object_get(truth, always[k]));
    json_object_set(ret, column->member, (json_t *) (void *) member);
    json_array_foreach (json_object_get(ret, "communicators"), i, comm)
        json_array_append_new(comms, part_of_communicator(comm, column));
    if (json_array_size(comms) > 0)
        json_object_set(ret, "communicators", comms);
    if (json_array_size(comms) > 0 && column->queues[0] == NULL)
        json_object_set(ret, "communicator_count", json_object_get(truth, "communicator_count"));
    json_decref(comms);
    return ret;
}

// A comparison under way.
struct look {
    const struct column *column;
    const json_t *process;
    const char *where; // BUILD/CASE
    struct cell *cell;
};

// The first that mqshow says of a process, or the last where that is about OpenMP; NULL: nothing.
static const char *
reason_of(const struct look *look)
{
    const json_t *messages = json_object_get(look->process, "messages");
    const size_t count = json_array_size(messages);
    const bool is_last = look->column->runtime != NULL && count > 0;
    return json_string_value(json_array_get(messages, is_last ? count - 1 : 0));
}

// Whether a queue of the column may have more than is listed.
static bool
is_incomplete(const struct look *look)
{
    size_t i, k;
    json_t *comm, *queue;
    json_array_foreach (json_object_get(look->process, "communicators"), i, comm)
        json_array_foreach (json_object_get(comm, "incomplete"), k, queue)
            if (is_listed(look->column->queues, json_string_value(queue)))
                return true;
    return false;
}

static void
note_exception(struct cell *cell, const char *text)
{
    if (cell->state == MOSTLY)
        add_exceptions(cell, text);
    else
        note(cell, MOSTLY, "%s", text);
}

// Notes what a reviewed limit allows: something that is not shown, or, where its words begin with
// "no", that all of it is not. One without words is about a detail; one of a whole operation is
// about none of its members.
// @return false: there is no limit
static bool
note_limit(struct look *look, const char *text, bool is_element)
{
    char *line = run_text("%s: %s", look->where, text);
    const json_t *limit = vendor_reviewed_find(limits, line);
    free(line);
    if (limit == NULL)
        return false;
    const char *reason = json_string_value(json_object_get(limit, "reason"));
    const char *bar = strstr(reason, " | ");
    if (is_element && look->column->without == of_messages)
        return true;
    char *words = run_text("%.*s", bar != NULL ? (int) (bar - reason) : 0, reason);
    if (strncmp(words, "no ", 3) == 0)
        note(look->cell, NOT_SHOWN, "no: %.*s", (int) strcspn(bar + 3, "."), bar + 3);
    else if (*words != '\0')
        note_exception(look->cell, words);
    free(words);
    return true;
}

// Judges a difference. What is absent is not shown; what is another, or missing in a list, is
// wrong.
static bool
judge(void *context, const char *text)
{
    static const char nothing[] = ", found nothing";
    struct look *look = context;
    const char *expected = strstr(text, ": expected "), *reason = reason_of(look);
    size_t length = strlen(text), tail = strlen(nothing);
    bool is_absent = length > tail && strcmp(text + length - tail, nothing) == 0;
    bool is_element = expected != NULL && expected > text && expected[-1] == ']';
    if (note_limit(look, text, is_element))
        return true;
    if (!is_absent || reason == NULL || (is_element && !is_incomplete(look)))
        return false;
    fprintf(stderr, "not shown: %s: %s\n", look->where, text);
    note(look->cell, NOT_SHOWN, "no: %s", reason);
    return true;
}

static void
compare_part(struct look *look, json_t *part, const json_t *report)
{
    const char *reason = reason_of(look);
    const json_t *member = json_object_get(look->process, look->column->member);
    if (reason != NULL &&
        (member == NULL || (json_is_array(member) && json_array_size(member) == 0))) {
        note(look->cell, NOT_SHOWN, "no: %s", reason);
        return;
    }
    char *difference = compare_allowing(part, report, judge, look);
    if (difference != NULL)
        note(look->cell, WRONG, "wrong: %s: %s", look->where, difference);
    else
        note(look->cell, RIGHT, "yes");
    free(difference);
}

// Of the job as a whole. A part of it is missing where messages are; what it says is right.
static void
compare_verdict(struct look *look, const json_t *report, const struct row *row,
                const struct cell cells[COLUMNS])
{
    const json_t *first = json_object_get(json_array_get(suite_job.truths, 0), "verdict");
    const json_t *wanted = json_object_get(first, "kind");
    const json_t *found = json_object_get(json_object_get(report, "verdict"), "kind");
    if (wanted == NULL)
        return;
    char *difference =
        verdict_compare(suite_job.truths, report, VERDICT_OF_LOOKS, row->device != NULL);
    // Within a node these of Intel MPI leave no requests.
    bool is_untold = row->devices == DEVICE_IMPI && strstr(look->where, "/member") != NULL;
    bool is_weaker = json_equal(found, wanted) || strcmp(json_string_value(found), "unknown") == 0;
    if (difference == NULL)
        note(look->cell, RIGHT, "yes");
    else if (is_weaker && is_untold)
        note_exception(look->cell, "whom a blocking collective waits for");
    else if (is_weaker && cells[RECEIVES].state == NOT_SHOWN)
        note(look->cell, NOT_SHOWN, "%s", cells[RECEIVES].text);
    else if (is_weaker && cells[COLLECTIVES].state == NOT_SHOWN)
        note_exception(look->cell, "who is missing in a collective");
    else
        note(look->cell, WRONG, "wrong: %s: %s", look->where, difference);
    free(difference);
}

// How often a process is read in one look. Of several processes there is a verdict, for which
// mqshow may look again. @return a negative number: it does not say
static long
count_reads(const char *pid)
{
    struct command command = tool_command(path_dll());
    json_t *report = NULL;
    command_add(&command, "--stats", pid, NULL);
    free(tool_run(&command, TOOL_SOMETHING, &report));
    const json_t *reads = json_object_get(json_object_get(report, "stats"), "reads");
    long ret = json_is_integer(reads) ? (long) json_integer_value(reads) : -1;
    json_decref(report);
    return ret;
}

// Of 2,000 receives, where all are shown.
static void
compare_reads(struct look *look, const struct row *row, const struct cell *receives)
{
    if (strstr(look->where, "/many") == NULL)
        return;
    if (receives->state < MOSTLY) {
        note(look->cell, receives->state, "%s", receives->text);
        return;
    }
    size_t i;
    json_t *pid;
    json_array_foreach (suite_job.pids, i, pid) {
        const long reads = count_reads(json_string_value(pid));
        if (reads > 0 && reads <= row->reads)
            note(look->cell, RIGHT, "at most %d", row->reads);
        else
            note(look->cell, WRONG, "wrong: %ld", reads);
    }
}

// The records, in which sends are arranged as in a report, which is changed too.
static json_t *
arrange(json_t *report, const char *where, struct cell cells[COLUMNS])
{
    size_t i;
    json_t *truth, *ret = json_deep_copy(suite_job.truths);
    unsigned changes = 0;
    json_array_foreach (ret, i, truth)
        changes |= sends_arrange(truth, report, where);
    if (changes & SENDS_UNKNOWN)
        for (size_t k = SENDS; k <= DATATYPES; k++)
            note_exception(&cells[k], sends_are_early(where) ? "what most sends are"
                                                             : "what short synchronous sends are");
    if (changes & SENDS_ORDER)
        note_exception(&cells[SENDS], "their order");
    return ret;
}

// What one look at the job says in each column.
static void
look_once(const struct row *row, const char *where, const struct command *command,
          struct cell cells[COLUMNS])
{
    size_t i;
    json_t *truth, *report = NULL;
    char *problem = tool_run(command, TOOL_SOMETHING, &report);
    clear(cells);
    json_t *truths = row->devices == DEVICE_CH4 && report != NULL ? arrange(report, where, cells)
                                                                  : json_incref(suite_job.truths);
    for (size_t k = 0; k < COLUMNS; k++) {
        struct look look = {&columns[k], NULL, where, &cells[k]};
        if (problem != NULL)
            note(&cells[k], WRONG, "wrong: %s: %s", where, problem);
        else if (columns[k].member == NULL)
            compare_reads(&look, row, &cells[RECEIVES]);
        else if (strcmp(columns[k].member, "verdict") == 0)
            compare_verdict(&look, report, row, cells);
        else
            json_array_foreach (truths, i, truth) {
                json_t *part = part_of(truth, &columns[k]);
                look.process =
                    compare_find_process(report, json_integer_value(json_object_get(truth, "pid")));
                if (part != NULL)
                    compare_part(&look, part, report);
                json_decref(part);
            }
    }
    json_decref(truths);
    json_decref(report);
    free(problem);
}

// The worst of the cells that are worse than those of earlier cases.
static enum state
worst_of(const struct cell now[COLUMNS], const struct cell before[COLUMNS])
{
    enum state ret = UNTRIED;
    for (size_t k = 0; k < COLUMNS; k++)
        if (now[k].state < before[k].state && now[k].state < ret)
            ret = now[k].state;
    return ret;
}

// Runs a case, and looks at it until nothing is wrong, or for some time.
// @return false: it does not start, and the others would not either
static bool
run_case(const struct row *row, const struct build *build, const struct scenario *one,
         struct cell cells[COLUMNS])
{
    struct scenario scenario = *one;
    struct cell now[COLUMNS];
    struct command command = tool_command(path_dll());
    char *where = run_text("%s/%s", build->name, one->name);
    scenario.options = row->options;
    char *problem = job_start(&suite_job, &scenario, build);
    bool has_failed = problem != NULL;
    double start = run_clock();
    tool_add_ranks(&command, &suite_job);
    enum state worst;
    clear(now);
    do {
        if (problem != NULL)
            note(&now[0], WRONG, "wrong: %s: %s", where, problem);
        else
            look_once(row, where, &command, now);
        worst = worst_of(now, cells);
        run_sleep_ms(100);
    } while (problem == NULL && run_clock() < start + seconds[worst]);
    for (size_t k = 0; k < COLUMNS; k++)
        if (now[k].state == MOSTLY)
            note_exception(&cells[k], now[k].text);
        else
            note(&cells[k], now[k].state, "%s", now[k].text);
    job_stop(&suite_job);
    free(where);
    free(problem);
    return !has_failed;
}

// The first line of what a command prints, to free().
static char *
first_line(const char *command)
{
    char *line = NULL;
    size_t room = 0;
    FILE *output = popen(command, "r");
    ssize_t length = output != NULL ? getline(&line, &room, output) : -1;
    if (output != NULL)
        pclose(output);
    return run_text("%.*s", length > 0 ? (int) length - 1 : 0, line);
}

// The releases of the OpenMP runtimes that are installed.
static char *
runtimes(void)
{
    return first_line(
        "dpkg-query -W -f '${db:Status-Status} ${Package} ${source:Upstream-Version}\\n' "
        "'libomp5*' libgomp1 | sed -nE 's/^installed lib(g?omp)[^ ]* ([0-9]+).*/lib\\1 \\2/p' | "
        "sort -ru | paste -sd , | sed 's/,/, /'");
}

// What an MPI's starter says of it, by a filter; on the heap.
static char *
ask_starter(const struct build *build, const char *filter)
{
    char *command = run_text("'%s' --version | %s", build->starter, filter);
    char *ret = first_line(command);
    free(command);
    return ret;
}

// The version of an MPI.
static char *
version_of(const struct build *build)
{
    return ask_starter(build, "sed -nE 's/.*\\((Open MPI)\\) /\\1 /p; s/^ *Version: */MPICH /p; "
                              "s/^(Intel).R. (MPI).* Version ([0-9.]+).*/\\1 \\2 \\3/p'");
}

// What carries the messages of one.
static char *
device_of(const struct row *row, const struct build *build)
{
    if (row->device != NULL)
        return run_text("%s", row->device);
    if (row->devices == DEVICE_IMPI)
        return run_text("shared memory");
    return ask_starter(build, build->of_abi ? "sed -nE 's/.*(ch4:[a-z,]+).*/\\1, libmpi_abi/p'"
                                            : "grep -oE -m1 'ch[34](:[a-z,]+)?'");
}

static const struct build *
build_of(const struct row *row)
{
    for (int i = 0; i < BUILDS; i++) {
        const struct build *build = build_describe(i);
        bool is_named =
            row->wheel != NULL ? strcmp(build->name, row->wheel) == 0 : build->is_packaged;
        if (is_named && (build->device & row->devices) != 0)
            return build_make(i);
    }
    return NULL;
}

// Whether an earlier cell says already why something is not shown.
static bool
is_repeated(const struct cell cells[COLUMNS], size_t k)
{
    for (size_t i = 0; i < k; i++)
        if (cells[k].state == NOT_SHOWN && strcmp(cells[i].text, cells[k].text) == 0)
            return true;
    return false;
}

static bool
print_row(const struct row *row)
{
    struct cell cells[COLUMNS];
    const struct build *build = build_of(row);
    if (build == NULL)
        return false;
    char *version = version_of(build), *device = device_of(row, build);
    limits = limits_load(row->devices);
    clear(cells);
    for (size_t i = 0; i < CASES; i++)
        if ((cases[i].devices == 0 || (cases[i].devices & row->devices) != 0) &&
            !run_case(row, build, &cases[i], cells))
            break;
    json_decref(limits);
    char *openmp = runtimes();
    printf("%s\t%s\t%s", version, device, openmp);
    free(openmp);
    for (size_t k = 0; k < COLUMNS; k++)
        printf("\t%s%s", cells[k].state == MOSTLY ? "all but " : "",
               is_repeated(cells, k) ? "no" : cells[k].text);
    printf("\n");
    fflush(stdout);
    free(device);
    free(version);
    bool good = true;
    for (size_t k = 0; k < COLUMNS; k++)
        good &= cells[k].state != WRONG;
    return good;
}

// Of the packages or of the wheels: a row is asked for by its name.
static bool
is_wanted(const struct row *row, int argc, char **argv)
{
    const bool wheels = argc > 1 && strcmp(argv[1], "wheels") == 0;
    const char *name = wheels ? row->wheel : row->device != NULL ? row->device : "mpich";
    const char *wanted = argc > 1 + wheels ? argv[1 + wheels] : NULL;
    return (row->wheel != NULL) == wheels && (wanted == NULL || strcmp(name, wanted) == 0);
}

int
main(int argc, char **argv)
{
    bool good = true;
    printf("MPI\tdevice\tOpenMP");
    for (size_t k = 0; k < COLUMNS; k++)
        printf("\t%s", columns[k].name);
    printf("\n");
    run_adopt_orphans();
    for (size_t i = 0; i < ROWS; i++)
        if (is_wanted(&rows[i], argc, argv))
            good &= print_row(&rows[i]);
    run_kill_all();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
