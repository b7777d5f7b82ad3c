// SPDX-License-Identifier: BSD-3-Clause
// Where the parts of a graph go, by Graphviz.
//
// Its program is asked, not its library: that would bring fonts, images and a window system into a
// debugger that often runs as root, for every run. The program may be missing, slow or broken
// without harm, and it gets numbers only, no text of the document.
#include "mqshow/html/graph.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/base/json_get.h"
#include "mqshow/base/signals.h"
#include "mqshow/base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/** Sizes in pixels, of which Graphviz has 72 an inch. */
enum {
    LETTER = 7,
    SIGN_LETTERS = 2, // the room of the sign of the kind
    PADDING = 30,
    LINE = 17,
    LINES_PADDING = 18,
    NARROWEST = 92,
    WIDEST = 276,
    STATE_LETTERS = 24, // as in "held by gdb (pid 19556)"
    LABEL_LETTER = 7,
    LABEL_HEIGHT = 16,
    LONG_CYCLE = 4, // nodes; shorter ones are well seen in a drawing from left to right
    FEW_LINES = 8,  // nodes
    TIME_LIMIT_US = 10000000,
    ANSWER_LIMIT = 16 << 20,
};

static size_t
length_of(const char *text)
{
    return text ? strlen(text) : 0;
}

static size_t
larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/** Room for the lines of a node: its ranks, its state, its call or kind, its place, and what it is
 * not in. */
static void
size_node(struct cluster *node)
{
    size_t place = length_of(node->place), entry = length_of(node->entry);
    size_t inside = length_of(node->inside);
    bool has_state = length_of(node->state) > 0;
    size_t lines = (size_t) 2 + (place > 0) + (entry > 0) + (inside > 0) + has_state;
    size_t longest = length_of(node->ranks) + strlen("ranks ") + SIGN_LETTERS;
    longest = larger(longest, larger(length_of(node->call), place));
    longest = larger(longest, entry > 0 ? entry + strlen("not in ") : 0);
    longest = larger(longest, inside > 0 ? inside + strlen("thread ") : 0);
    longest = larger(longest, has_state ? STATE_LETTERS : 0);
    size_t wanted = longest * LETTER + PADDING;
    node->w = (double) (wanted < NARROWEST ? NARROWEST : wanted > WIDEST ? WIDEST : wanted);
    node->h = (double) (lines * LINE + LINES_PADDING);
}

/** How Graphviz draws: a long cycle round, and as an ellipse because nodes are wide. There labels
 * are on the middles of the lines, if these are few. */
struct drawing {
    const char *engine;
    double stretch; // Graphviz' widths and places to the right are multiplied by it
    bool labels, labels_on_lines;
    double height; // Graphviz counts upwards
};

static struct drawing
choose_drawing(const struct drawn_graph *graph)
{
    size_t in_cycle = 0;
    for (size_t i = 0; i < graph->nodes.count; i++)
        in_cycle += graph->nodes.items[i].kind == KIND_CYCLE;
    bool few = in_cycle <= FEW_LINES;
    return in_cycle >= LONG_CYCLE
               ? (struct drawing){.engine = "-Kcirco", .stretch = 2, .labels_on_lines = few}
               : (struct drawing){.engine = "-Kdot", .stretch = 1, .labels = true};
}

static void
write_edge(FILE *out, size_t i, const struct drawn_edge *edge, const struct drawing *drawing)
{
    fprintf(out, "%zu -> %zu [place=%zu", edge->from, edge->to, i);
    if (*edge->label != '\0' && drawing->labels)
        fprintf(out,
                " label=<<TABLE BORDER=\"0\" FIXEDSIZE=\"TRUE\" WIDTH=\"%.0f\" HEIGHT=\"%d\">"
                "<TR><TD></TD></TR></TABLE>>",
                (double) (strlen(edge->label) * LABEL_LETTER + 8) / drawing->stretch, LABEL_HEIGHT);
    fputs("];\n", out);
}

/** Writes the graph in Graphviz' language. */
static void
write_graph(FILE *out, struct drawn_graph *graph, const struct drawing *drawing)
{
    fprintf(
        out,
        "digraph {\nrankdir=LR; nodesep=0.35; ranksep=0.6; mindist=%s; splines=true; nslimit=8;\n"
        "node [shape=box fixedsize=true label=\"\"];\n",
        drawing->labels_on_lines ? "0.9" : "0.42");
    for (size_t i = 0; i < graph->nodes.count; i++) {
        struct cluster *node = &graph->nodes.items[i];
        size_node(node);
        fprintf(out, "%zu [width=%.4f height=%.4f];\n", i, node->w / 72 / drawing->stretch,
                node->h / 72);
    }
    for (size_t i = 0; i < graph->n_edges; i++)
        write_edge(out, i, &graph->edges[i], drawing);
    fputs("}\n", out);
}

/** Numbers of a text, separated by commas or blanks; their count. */
static size_t
read_numbers(const char *text, double *numbers, size_t max)
{
    size_t count = 0;
    for (char *end; count < max; text = end + strspn(end, ", ")) {
        double number = strtod(text, &end);
        if (end == text)
            break;
        numbers[count++] = number;
    }
    return count;
}

static double
number_of(const json_t *object, const char *key)
{
    const char *text = json_get_text(object, key);
    return text ? strtod(text, NULL) : 0;
}

/** The node or edge that an object of the answer is about; `count`: none. */
static size_t
place_in(const json_t *object, const char *key, size_t count)
{
    double number = number_of(object, key);
    return number >= 0 && number < (double) count ? (size_t) number : count;
}

/** A point of Graphviz in the page. */
static struct point
point_of(const double *point, const struct drawing *drawing)
{
    return (struct point){point[0] * drawing->stretch, drawing->height - point[1]};
}

static bool
place_node(struct cluster *node, const json_t *answer, const struct drawing *drawing)
{
    double numbers[2];
    const char *text = json_get_text(answer, "pos");
    if (!text || read_numbers(text, numbers, 2) != 2)
        return false;
    struct point point = point_of(numbers, drawing);
    node->x = point.x;
    node->y = point.y;
    node->w = number_of(answer, "width") * 72 * drawing->stretch;
    node->h = number_of(answer, "height") * 72;
    return true;
}

/** "M1,2C3,4 5,6 7,8", for free(). */
static char *
path_text(const double *points, size_t count, const struct drawing *drawing)
{
    struct strbuf text = {.text = NULL};
    for (size_t i = 0; i + 1 < count; i += 2)
        strbuf_add(&text, "%s%.1f,%.1f",
                   i == 0   ? "M"
                   : i == 2 ? "C"
                            : " ",
                   points[i] * drawing->stretch, drawing->height - points[i + 1]);
    return strbuf_take(&text);
}

/** The middle of a curve, whose pieces have three points each after the first one. */
static void
find_middle(const double *points, size_t count, double *middle)
{
    const double *piece = points + (count / 2 - 1) / 3 / 2 * 6;
    for (size_t i = 0; i < 2; i++)
        middle[i] = (piece[i] + 3 * piece[i + 2] + 3 * piece[i + 4] + piece[i + 6]) / 8;
}

/** Reads "e,X,Y X,Y X,Y...": the tip of the arrow, then the points of the curve. */
static void
place_edge(struct drawn_edge *edge, const json_t *answer, const struct drawing *drawing)
{
    enum { MANY_NUMBERS = 2048 };
    double numbers[MANY_NUMBERS], label[2];
    const char *text = json_get_text(answer, "pos"), *label_at = json_get_text(answer, "lp");
    if (edge->path || !text || strncmp(text, "e,", 2) != 0)
        return;
    size_t count = read_numbers(text + 2, numbers, MANY_NUMBERS);
    if (count < 10)
        return;
    edge->path = path_text(numbers + 2, count - 2, drawing);
    edge->tip = point_of(numbers, drawing);
    if (drawing->labels_on_lines)
        find_middle(numbers + 2, count - 2, label);
    edge->has_label_at =
        drawing->labels_on_lines || (label_at && read_numbers(label_at, label, 2) == 2);
    if (edge->has_label_at)
        edge->label_at = point_of(label, drawing);
}

/** Takes the output of Graphviz. @return whether all nodes have places */
static bool
take(struct drawn_graph *graph, const json_t *answer, struct drawing drawing)
{
    double box[4];
    const char *text = json_get_text(answer, "bb");
    const json_t *objects = json_object_get(answer, "objects");
    const json_t *links = json_object_get(answer, "edges");
    if (!text || read_numbers(text, box, 4) != 4)
        return false;
    drawing.height = box[3];
    size_t placed = 0;
    for (size_t i = 0; i < json_array_size(objects); i++) {
        const json_t *object = json_array_get(objects, i);
        size_t place = place_in(object, "name", graph->nodes.count);
        placed +=
            place < graph->nodes.count && place_node(&graph->nodes.items[place], object, &drawing);
    }
    for (size_t i = 0; i < json_array_size(links); i++) {
        const json_t *link = json_array_get(links, i);
        size_t place = place_in(link, "place", graph->n_edges);
        if (place < graph->n_edges)
            place_edge(&graph->edges[place], link, &drawing);
    }
    graph->width = box[2] * drawing.stretch;
    graph->height = box[3];
    return placed == graph->nodes.count;
}

/** Starts the program with these files, and with signals as they are by default.
 * @return 0, or an errno
 */
static int
start(char *const *argv, int in, int out, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t signals;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    int code = posix_spawnp(pid, argv[0], &files, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return code;
}

/** Waits for the end of the program, and ends it when it takes too long, writes too much, or a
 * signal is to end this one. @return NULL, or what it did instead */
static const char *
finish(pid_t pid, int out)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    const int64_t end = clock_us() + TIME_LIMIT_US;
    struct stat written = {.st_size = 0};
    int status = 0;
    while (clock_us() < end && written.st_size <= ANSWER_LIMIT && !signals_pending()) {
        if (waitpid(pid, &status, WNOHANG) != 0)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? NULL : "failed";
        nanosleep(&pause, NULL);
        fstat(out, &written);
    }
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return "took too long or wrote too much";
}

/** Has Graphviz draw. @return NULL, or what went wrong, for free() */
static char *
draw(struct drawn_graph *graph, FILE *in, FILE *out)
{
    pid_t pid;
    struct drawing drawing = choose_drawing(graph);
    char *const argv[] = {"dot", "-Tjson0", (char *) drawing.engine, NULL};
    write_graph(in, graph, &drawing);
    rewind(in);
    int code = start(argv, fileno(in), fileno(out), &pid);
    if (code != 0)
        return alloc_format("cannot start %s: %s", argv[0], strerror(code));
    const char *problem = finish(pid, fileno(out));
    if (problem)
        return alloc_format("%s %s", argv[0], problem);
    rewind(out);
    json_t *answer = json_loadf(out, 0, NULL);
    bool taken = take(graph, answer, drawing);
    json_decref(answer);
    return taken ? NULL : alloc_text("the output of dot is invalid");
}

static FILE *
open_memory(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC);
    return fd >= 0 ? fdopen(fd, "w+") : NULL;
}

void
graph_lay_out(struct drawn_graph *graph)
{
    FILE *in = open_memory("question"), *out = open_memory("answer");
    signals_block();
    graph->error =
        in && out ? draw(graph, in, out) : alloc_format("no memory for dot: %s", strerror(errno));
    signals_unblock();
    if (in)
        fclose(in);
    if (out)
        fclose(out);
}
