// SPDX-License-Identifier: BSD-3-Clause
// What the user asks for on the command line.
#include "mqshow/base/options.h"

#include "mqs_ext.h"
#include "mqshow/base/alloc.h"
#include "mqshow/base/diag.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/packed.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "Usage: mqshow                             (lists the jobs of this user here)\n"
    "       mqshow [OPTION]... PID...\n"
    "       mqshow [OPTION]... --job PID-of-mpirun\n"
    "       mqshow [OPTION]... JOB[.STEP]      (of Slurm)\n"
    "       mqshow [OPTION]... --hosts LIST [PID]\n"
    "       mqshow [OPTION]... --core FILE...\n"
    "       mqshow [OPTION]... --remote HOST:PORT...\n"
    "       mqshow [OPTION]... FILE            (of --save)\n"
    "       mqshow wait --for TIME --save FILE --job PID   (see mqshow wait --help)\n"
    "       mqshow merge [OPTION]... FILE...   (see mqshow merge --help)\n"
    "       mqshow schema                      (the JSON Schema of --json)\n"
    "Show the MPI message queues and OpenMP state of running processes or of cores.\n"
    "\n"
    "  -j, --job PID                all processes that this mpirun has started\n"
    "      --slurm JOB[.STEP]       all processes of this job or step of Slurm\n"
    "      --flux JOB               all processes of this job of Flux\n"
    "      --pals [HOST:]APID       all processes of this application of PALS (both\n"
    "                               tested with stand-ins for their commands only)\n"
    "      --hosts LIST             the job on these machines: n[1-3,7],m5\n"
    "      --core                   the arguments are core files, one per process\n"
    "      --remote HOST:PORT       the process that a gdbserver holds there\n"
    "      --exe FILE               the program of the cores or of --remote\n"
    "      --sysroot FOLDER         their files are below this folder\n"
    "  -r, --rank LIST              only these ranks: 0-3,7\n"
    "  -c, --comm LABEL|ID          list only this communicator\n"
    "      --limit N                list at most N operations of a queue (1000000)\n"
    "  -a, --all                    show all processes, threads and operations\n"
    "      --only PART              only comms, queues, groups, waits, threads,\n"
    "                               regions, tasks, icvs or handles\n"
    "      --handles                MPI objects that the program has made and not freed\n"
    "      --handle KIND:VALUE      what this handle is: datatype:0x4c000405\n"
    "      --stacks                 show stacks, with --all the runtimes' frames too\n"
    "      --tree[=line]            one tree of all stacks, and who is elsewhere\n"
    "      --icvs                   show OpenMP's internal control variables\n"
    "      --control-vars           show the settings that OpenMP started with\n"
    "      --json                   print JSON\n"
    "      --html FILE              write a page for a browser\n"
    "      --save FILE              write all of it, compressed; mqshow FILE shows it\n"
    "      --dot FILE               write who waits for whom, or the tree, for Graphviz\n"
    "      --color WHEN             auto, always or never\n"
    "      --parallel N             read N processes at once (one per processor)\n"
    "      --together               stop all processes before the first is read\n"
    "      --timeout SECONDS        give up what is not read by then (no limit)\n"
    "      --process-timeout SECONDS  likewise for each process (60)\n"
    "      --stuck[=SECONDS]        sample for SECONDS (2), mark what does not move\n"
    "      --watch SECONDS          sample every SECONDS, show what changes\n"
    "      --count N                with --watch: end after N samples (no limit)\n"
    "      --launcher NAME          reach machines with srun, clush, pdsh, ssh, NAME\n"
    "      --remote-mqshow FILE     path of mqshow there (the same as here)\n"
    "      --hosts-max N            ask at most N machines (1024); no limit with srun\n"
    "      --host-timeout SECONDS   give up a machine not answering by then (120)\n"
    "      --list                   only list the processes\n"
    "      --dll FILE               use this MQD library\n"
    "      --layout ORIGIN          struct layouts only from debug or built-in\n"
    "      --print-layout           print struct layouts as rows of a built-in table\n"
    "      --record FILE            record to FILE what the library reads\n"
    "      --stats                  print library, times and calls on standard error\n"
    "  -h, --help                   this text\n"
    "  -V, --version                the version\n"
    "\n"
    "Exit status: 0 all shown, 1 something could not be shown, 2 wrong usage.\n";

static const char wait_usage[] =
    "Usage: mqshow wait --for TIME --save FILE [OPTION]... --job PID-of-mpirun\n"
    "       mqshow wait --for TIME --save FILE [OPTION]... PID...\n"
    "       mqshow wait --for TIME --save FILE [OPTION]... JOB[.STEP]   (of Slurm)\n"
    "Wait until the job ends, or nothing in it has moved for so long: then save a\n"
    "report, which \"mqshow FILE\" shows. On SIGUSR1 and SIGTERM it is saved at once.\n"
    "\n"
    "      --for TIME               so long: 90, 10m, 1.5h\n"
    "      --save FILE              where the report goes\n"
    "      --every TIME             so long between samples (a tenth of --for)\n"
    "      --cost PERCENT           stop processes so much of the time at most (0.1)\n"
    "      --stats                  print for how long processes were stopped\n"
    "  -h, --help                   this text\n"
    "What chooses the processes and how they are read, see mqshow --help.\n"
    "\n"
    "Exit status: 0 the job has ended, 1 it cannot be watched, or the report cannot\n"
    "be written, 2 wrong usage; with a report: 3 nothing has moved, 4 likewise, but\n"
    "processes are stopped, by SIGSTOP or a debugger, 5 a signal came.\n";

enum {
    DEFAULT_LIMIT = 1000000,
    DEFAULT_PROCESS_TIMEOUT = 60,
    DEFAULT_HOST_TIMEOUT = 120,
    DEFAULT_HOSTS_MAX = 1024,
    SECONDS_MAX = 1000000,
    DEFAULT_STUCK = 2
};

static const double DEFAULT_COST = 0.1, COST_MIN = 0.001;

/** The program, and perhaps its command: "mqshow merge". */
static const char *program = "mqshow";

_Noreturn void
options_exit(void)
{
    fprintf(stderr, "Try '%s --help'.\n", program);
    exit(EXIT_USAGE);
}

/** Reports an argument that is wrong, and ends the program. */
static _Noreturn void
argument_wrong(const char *what, const char *value)
{
    diag("%s: %s", what, value);
    options_exit();
}

/** A whole number from `low` to `high`. @param what what is reported of another one: "invalid rank"
 */
static long
argument_number(const char *text, long low, long high, const char *what)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < low || value > high)
        argument_wrong(what, text);
    return value;
}

/** A time of at least a millisecond, with fractions.
 * @param takes_unit whether s, m, h or d may follow */
static double
argument_duration(const char *text, bool takes_unit)
{
    static const char units[] = "smhd";
    static const double seconds_of[] = {1, 60, 3600, 86400};
    char *end;
    double value = strtod(text, &end);
    const char *unit = takes_unit && end != text && *end != '\0' ? strchr(units, *end) : NULL;
    // Not a number is neither more nor less.
    if (end == text || end[unit != NULL] != '\0' || !(value >= 0.001 && value <= SECONDS_MAX))
        argument_wrong("invalid number of seconds", text);
    return value * (unit != NULL ? seconds_of[unit - units] : 1);
}

static double
argument_seconds(const char *text)
{
    return argument_duration(text, false);
}

static double
argument_time(const char *text)
{
    return argument_duration(text, true);
}

/** Number of the name in a list that ends with NULL. */
static int
argument_choice(const char *text, const char *const *names, const char *what)
{
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    argument_wrong(what, text);
}

static void
add_range(struct options *options, char *word)
{
    char *dash = strchr(word, '-');
    if (dash != NULL)
        *dash = '\0';
    struct rank_range range;
    range.first = (int) argument_number(word, 0, INT_MAX, "invalid rank");
    range.last = dash != NULL
                     ? (int) argument_number(dash + 1, range.first, INT_MAX, "invalid rank")
                     : range.first;
    *ALLOC_ADD(options->ranks, options->n_ranks, options->ranks_capacity) = range;
}

static void
set_ranks(struct options *options, const char *list)
{
    char *copy = alloc_text(list), *rest = copy;
    for (char *word; (word = strsep(&rest, ",")) != NULL;)
        add_range(options, word);
    free(copy);
}

static void
add_stub(struct options *options, const char *text)
{
    *ALLOC_ADD(options->stubs, options->n_stubs, options->stubs_capacity) = text;
}

void
options_set_color(struct options *options, const char *text)
{
    static const char *const names[] = {"auto", "always", "never", NULL};
    options->color =
        (enum color) argument_choice(text, names, "invalid color mode (auto, always, never)");
}

bool
options_want_color(const struct options *options, FILE *out)
{
    if (options->color != COLOR_AUTO)
        return options->color == COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR");
    return isatty(fileno(out)) && (no_color == NULL || *no_color == '\0');
}

void
options_set_tree(struct options *options, const char *text)
{
    static const char *const names[] = {"function", "line", NULL};
    static const char what[] = "invalid frames of the tree (function, line)";
    options->tree = text && argument_choice(text, names, what) > 0 ? TREE_LINES : TREE_FUNCTIONS;
}

static void
set_only(struct options *options, const char *text)
{
    static const char *const names[] = {"all",     "comms", "queues", "groups",  "waits", "threads",
                                        "regions", "tasks", "icvs",   "handles", NULL};
    options->only = (enum part) argument_choice(text, names, "invalid part");
    options->icvs |= options->only == PART_ICVS;
    options->handles |= options->only == PART_HANDLES && options->n_asked == 0;
}

/** KIND:VALUE, where VALUE is a number as in C, or f and an INTEGER of Fortran. */
static void
add_handle(struct options *options, const char *text)
{
    struct asked_handle asked = {.kind = NULL};
    const char *value = strrchr(text, ':');
    char *end = NULL;
    asked.fortran = value != NULL && value[1] == 'f';
    errno = 0;
    if (value != NULL)
        asked.value = strtoull(value + 1 + asked.fortran, &end, 0);
    if (value == NULL || value == text || errno != 0 || end == value + 1 + asked.fortran ||
        *end != '\0')
        argument_wrong("invalid handle, not KIND:VALUE", text);
    // As a debugger prints an int of MPICH, or an INTEGER.
    if ((int64_t) asked.value < 0 && (int64_t) asked.value >= INT32_MIN)
        asked.value = (uint32_t) asked.value;
    asked.kind = alloc_format("%.*s", (int) (value - text), text);
    *ALLOC_ADD(options->asked, options->n_asked, options->asked_capacity) = asked;
    options->handles &= options->only != PART_HANDLES;
}

static void
set_layout(struct options *options, const char *text)
{
    static const char *const names[] = {"debug", "built-in", NULL};
    static const int origins[] = {MQS_LAYOUT_DEBUG_INFORMATION, MQS_LAYOUT_BUILT_IN};
    options->layout_origins =
        origins[argument_choice(text, names, "invalid origin of layouts (debug, built-in)")];
}

static void
set_watch(struct options *options, const char *text)
{
    options->watch = argument_seconds(text);
}

static void
set_stuck(struct options *options, const char *text)
{
    options->stuck = text != NULL ? argument_seconds(text) : DEFAULT_STUCK;
}

static void
set_wait_for(struct options *options, const char *text)
{
    options->wait_for = argument_time(text);
}

static void
set_every(struct options *options, const char *text)
{
    options->every = argument_time(text);
}

static void
set_cost(struct options *options, const char *text)
{
    char *end;
    options->cost = strtod(text, &end);
    if (end == text || *end != '\0' || !(options->cost >= COST_MIN && options->cost <= 100))
        argument_wrong("invalid percentage", text);
}

static const char seconds[] = "invalid number of seconds";

static const struct option_row rows[] = {
    NUMBER("job", 'j', job, 1, INT_MAX, "invalid process id"),
    TEXT("slurm", '\0', slurm),
    TEXT("flux", '\0', flux),
    TEXT("pals", '\0', pals),
    TEXT("hosts", '\0', hosts),
    FLAG("core", '\0', core),
    OPTION("remote", required_argument, '\0', add_stub),
    TEXT("exe", '\0', files.program),
    TEXT("sysroot", '\0', files.sysroot),
    OPTION("rank", required_argument, 'r', set_ranks),
    TEXT("comm", 'c', comm),
    NUMBER("limit", '\0', limit, 0, LONG_MAX, "invalid number of operations"),
    FLAG("all", 'a', all),
    OPTION("only", required_argument, '\0', set_only),
    FLAG("handles", '\0', handles),
    OPTION("handle", required_argument, '\0', add_handle),
    FLAG("stacks", '\0', stacks),
    OPTION("tree", optional_argument, '\0', options_set_tree),
    TEXT("dot", '\0', dot),
    FLAG("icvs", '\0', icvs),
    FLAG("control-vars", '\0', control_vars),
    FLAG("json", '\0', json),
    TEXT("html", '\0', html),
    TEXT("save", '\0', save),
    OPTION("for", required_argument, '\0', set_wait_for),
    OPTION("every", required_argument, '\0', set_every),
    OPTION("cost", required_argument, '\0', set_cost),
    OPTION("color", required_argument, '\0', options_set_color),
    NUMBER("parallel", '\0', parallel, 1, 100000, "invalid number of processes"),
    FLAG("together", '\0', together),
    NUMBER("timeout", '\0', timeout, 0, SECONDS_MAX, seconds),
    NUMBER("process-timeout", '\0', process_timeout, 0, SECONDS_MAX, seconds),
    NUMBER("host-timeout", '\0', host_timeout, 1, SECONDS_MAX, seconds),
    NUMBER("hosts-max", '\0', hosts_max, 0, INT_MAX, "invalid number of machines"),
    TEXT("launcher", '\0', launcher),
    TEXT("remote-mqshow", '\0', remote_mqshow),
    TEXT("job-pids", '\0', job_pids),
    NUMBER("job-user", '\0', job_user, 0, UINT32_MAX, "invalid user id"),
    TEXT("as", '\0', as),
    TEXT("hydra", '\0', hydra),
    TEXT("slurm-pids", '\0', slurm_pids),
    FLAG("list", '\0', list),
    OPTION("stuck", optional_argument, '\0', set_stuck),
    OPTION("watch", required_argument, '\0', set_watch),
    NUMBER("count", '\0', count, 1, LONG_MAX, "invalid number of samples"),
    TEXT("dll", '\0', dll),
    OPTION("layout", required_argument, '\0', set_layout),
    FLAG("print-layout", '\0', print_layout),
    TEXT("record", '\0', record),
    FLAG("stats", '\0', stats),
};

static void
add_pid(struct options *options, const char *text)
{
    *ALLOC_ADD(options->pids, options->n_pids, options->pids_capacity) =
        (pid_t) argument_number(text, 1, INT_MAX, "invalid process id");
}

/** Whether it is a list of machines that nothing else can be: a file or a number that was mistyped
 * is not to be asked for on the network. */
static bool
is_hosts(const char *text)
{
    bool begins = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
    return begins && strpbrk(text, "[,") != NULL && access(text, F_OK) != 0;
}

/** A process id, a file that was saved, a list of machines, or the id of a job or step of Slurm,
 * where it is not just a number, or of a job of Flux as its commands print it. */
static void
add_operand(struct options *options, const char *text)
{
    if (text[strspn(text, "0123456789")] == '\0')
        add_pid(options, text);
    else if (packed_is_object(text))
        *ALLOC_ADD(options->saved, options->n_saved, options->saved_capacity) = text;
    else if (*text >= '0' && *text <= '9' && strpbrk(text, "._+") != NULL)
        options->slurm = text;
    else if (strncmp(text, "\u0192", strlen("\u0192")) == 0)
        options->flux = text;
    else if (options->hosts == NULL && is_hosts(text))
        options->hosts = text;
    else
        add_pid(options, text);
}

/** What cannot be used together. */
static void
check_together(const struct options *options)
{
    bool samples = options->watch > 0 || options->stuck > 0;
    if (options->core && (options->job != 0 || samples))
        argument_wrong("--core", "cannot be used with --job, --watch or --stuck");
    if (options->n_stubs > 0 && (options->core || samples))
        argument_wrong("--remote", "cannot be used with --core, --watch or --stuck");
    if (options->n_saved > 0 && (options->n_pids > 0 || options->job != 0 ||
                                 options->slurm != NULL || options->n_stubs > 0 || options->wait ||
                                 samples || options->list || options->print_layout))
        argument_wrong(options->saved[0], "a saved file is shown alone, without a job, --remote, "
                                          "--watch, --stuck, --list or --print-layout");
    if (options->slurm != NULL &&
        (options->n_pids > 0 || options->job != 0 || options->core || options->n_stubs > 0))
        argument_wrong("--slurm", "is for one job: no PID, --job, --core or --remote with it");
    if (options->hosts != NULL &&
        (options->n_pids + (options->job != 0) > 1 || options->slurm != NULL || options->core ||
         options->n_stubs > 0 || options->n_saved > 0 || options->wait))
        argument_wrong("--hosts", "is for one job, which a PID or --job chooses: no further PID, "
                                  "Slurm job, core, saved file or --remote, nor mqshow wait");
    const char *of_manager = options->flux != NULL ? "--flux" : "--pals";
    if ((options->flux != NULL || options->pals != NULL) &&
        (options->n_pids > 0 || options->job != 0 || options->slurm != NULL ||
         options->hosts != NULL || (options->flux != NULL && options->pals != NULL) ||
         options->core || options->n_stubs > 0 || options->n_saved > 0 || options->wait))
        argument_wrong(of_manager, "is for one job: no PID, further job, --hosts, core, saved file "
                                   "or --remote with it, nor mqshow wait");
    if (options->wait && (options->core || options->n_stubs > 0 || samples))
        argument_wrong("mqshow wait", "cannot be used with --core, --remote, --watch or --stuck");
    if (options->wait && (options->wait_for == 0 || options->save == NULL))
        argument_wrong("mqshow wait", "needs --for TIME and --save FILE");
    if (!options->wait && (options->wait_for > 0 || options->every > 0))
        argument_wrong("--for and --every", "are for mqshow wait");
}

bool
options_need_job(const struct options *options)
{
    return options->watch > 0 || options->stuck > 0 || options->html != NULL ||
           options->save != NULL;
}

/** Takes the words that are no options. */
static void
take_arguments(struct options *options, char **arguments, size_t count)
{
    if (options->core) {
        options->cores = arguments;
        options->n_cores = count;
    }
    for (size_t i = 0; i < count && !options->core; i++)
        add_operand(options, arguments[i]);
    // What is saved has all that can be shown.
    options->read_icvs = options->icvs || options->save != NULL;
    options->read_control_vars = options->control_vars || options->save != NULL;
    check_together(options);
    bool is_asked =
        options->job_pids != NULL || options->hydra != NULL || options->slurm_pids != NULL;
    bool is_job = options->job != 0 || options->slurm != NULL || options->flux != NULL ||
                  options->pals != NULL || options->hosts != NULL;
    if (count > 0 || is_job || options->n_stubs > 0 || is_asked)
        return;
    options->jobs = !options->core && !options->wait && !options_need_job(options);
    if (!options->jobs)
        argument_wrong("nothing to show",
                       "give process ids, the id of a Slurm job, --job PID-of-mpirun, --hosts "
                       "LIST, --core FILE... or --remote HOST:PORT");
}

/** Applies an option. */
static void
set_option(struct options *options, const struct option_row *row, const char *text)
{
    void *member = (char *) options + row->member;
    if (row->set != NULL)
        row->set(options, text);
    else if (row->has_arg == no_argument)
        *(bool *) member = true;
    else if (row->what == NULL)
        *(const char **) member = text;
    else if (row->size == sizeof(int))
        *(int *) member = (int) argument_number(text, row->low, row->high, row->what);
    else
        *(long *) member = argument_number(text, row->low, row->high, row->what);
}

static _Noreturn void
print_and_exit(const char *text)
{
    bool ok = fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    exit(ok ? EXIT_ALL_SHOWN : EXIT_SOMETHING_MISSING);
}

void
options_read(struct options *options, const struct command *command, int argc, char **argv)
{
    enum { LONG_ONLY = 256, ROWS_MAX = 64 };
    struct option longs[ROWS_MAX] = {{"help", no_argument, NULL, 'h'},
                                     {"version", no_argument, NULL, 'V'}};
    char letters[2 * ROWS_MAX] = "hV";
    program = command->program;
    for (size_t i = 0; i < command->count; i++) {
        const struct option_row *row = &command->rows[i];
        longs[i + 2] = (struct option){row->name, row->has_arg, NULL, LONG_ONLY + (int) i};
        if (row->letter != '\0')
            sprintf(letters + strlen(letters), "%c%s", row->letter, row->has_arg ? ":" : "");
    }
    for (int got; (got = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
        if (got == '?')
            options_exit();
        if (got == 'h')
            print_and_exit(command->usage);
        if (got == 'V')
            print_and_exit("mqshow " PACKAGE_VERSION "\n");
        for (size_t i = 0; i < command->count; i++)
            if (got == LONG_ONLY + (int) i || got == command->rows[i].letter)
                set_option(options, &command->rows[i], optarg);
    }
}

void
options_init(struct options *options, int argc, char **argv)
{
    bool waits = argc > 1 && strcmp(argv[1], "wait") == 0;
    const struct command command = {waits ? "mqshow wait" : "mqshow", waits ? wait_usage : usage,
                                    rows, sizeof rows / sizeof *rows};
    *options = (struct options){.limit = DEFAULT_LIMIT,
                                .process_timeout = DEFAULT_PROCESS_TIMEOUT,
                                .hosts_max = DEFAULT_HOSTS_MAX,
                                .job_user = -1,
                                .host_timeout = DEFAULT_HOST_TIMEOUT,
                                .wait = waits,
                                .cost = DEFAULT_COST};
    argc -= waits;
    argv += waits;
    options_read(options, &command, argc, argv);
    take_arguments(options, argv + optind, (size_t) (argc - optind));
}

void
options_deinit(struct options *options)
{
    free(options->pids);
    free(options->ranks);
    free(options->stubs);
    free(options->saved);
}

bool
options_want_rank(const struct options *options, int rank)
{
    for (size_t i = 0; i < options->n_ranks; i++)
        if (rank >= options->ranks[i].first && rank <= options->ranks[i].last)
            return true;
    return options->n_ranks == 0;
}

bool
options_want_comm(const struct options *options, const char *label, const char *name, int64_t id)
{
    const char *wanted = options->comm;
    if (wanted == NULL || text_equals(wanted, label) || text_equals(wanted, name))
        return true;
    char *end;
    errno = 0;
    // What JSON's integers do not hold has the same bits there.
    unsigned long long number = strtoull(wanted, &end, 0);
    return errno == 0 && end != wanted && *end == '\0' && (int64_t) number == id;
}
