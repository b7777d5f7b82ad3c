// SPDX-License-Identifier: BSD-3-Clause
// Where the parts of a graph go, by Graphviz.
//
// Its program is asked, not its library: that would bring fonts, images and a window system into a
// debugger that often runs as root, for every run. The program may be missing, slow or broken
// without harm, and it is told numbers only, no text of the document.
#include "mqshow/html/child.h"
#include "mqshow/html/graph.h"

#include "mqshow/base/alloc.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    TIME_LIMIT_MS = 10000,
    ANSWER_LIMIT = 16 << 20,
};

static size_t
length_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? strlen(text) : 0;
}

static size_t
larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/** Room for the lines of a node: its ranks, its state, its call or kind, its place, and what it is
 * not in. */
static void
size_node(const json_t *node, double *width, double *height)
{
    size_t place = length_of(node, "place"), late = length_of(node, "late");
    size_t inside = length_of(node, "inside");
    bool has_state = length_of(node, "state") > 0;
    size_t lines = (size_t) 2 + (place > 0) + (late > 0) + (inside > 0) + has_state;
    size_t longest = length_of(node, "ranks") + strlen("ranks ") + SIGN_LETTERS;
    longest = larger(longest, larger(length_of(node, "call"), place));
    longest = larger(longest, late > 0 ? late + strlen("not in ") : 0);
    longest = larger(longest, inside > 0 ? inside + strlen("thread ") : 0);
    longest = larger(longest, has_state ? STATE_LETTERS : 0);
    size_t wanted = longest * LETTER + PADDING;
    *width = (double) (wanted < NARROWEST ? NARROWEST : wanted > WIDEST ? WIDEST : wanted);
    *height = (double) (lines * LINE + LINES_PADDING);
}

/** How Graphviz draws: a long cycle round, and as an ellipse because nodes are wide. There labels
 * stand on the middles of the lines, if these are few. */
struct drawing {
    const char *engine;
    double stretch; // Graphviz' widths and places to the right are multiplied by it
    bool labels, labels_on_lines;
    double height; // Graphviz counts upwards
};

static struct drawing
choose_drawing(const json_t *graph)
{
    const json_t *nodes = json_object_get(graph, "nodes");
    size_t in_cycle = 0;
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        const char *kind = json_string_value(json_object_get(json_array_get(nodes, i), "kind"));
        in_cycle += kind != NULL && strcmp(kind, "cycle") == 0;
    }
    bool few = in_cycle <= FEW_LINES;
    return in_cycle >= LONG_CYCLE
               ? (struct drawing){.engine = "-Kcirco", .stretch = 2, .labels_on_lines = few}
               : (struct drawing){.engine = "-Kdot", .stretch = 1, .labels = true};
}

static void
write_node(FILE *out, size_t i, const json_t *node, const struct drawing *drawing)
{
    double width, height;
    size_node(node, &width, &height);
    fprintf(out, "%zu [width=%.4f height=%.4f];\n", i, width / 72 / drawing->stretch, height / 72);
}

static void
write_edge(FILE *out, size_t i, const json_t *edge, const struct drawing *drawing)
{
    size_t label = length_of(edge, "label");
    fprintf(out, "%" JSON_INTEGER_FORMAT " -> %" JSON_INTEGER_FORMAT " [place=%zu",
            json_integer_value(json_object_get(edge, "from")),
            json_integer_value(json_object_get(edge, "to")), i);
    if (label > 0 && drawing->labels)
        fprintf(out,
                " label=<<TABLE BORDER=\"0\" FIXEDSIZE=\"TRUE\" WIDTH=\"%.0f\" HEIGHT=\"%d\">"
                "<TR><TD></TD></TR></TABLE>>",
                (double) (label * LABEL_LETTER + 8) / drawing->stretch, LABEL_HEIGHT);
    fputs("];\n", out);
}

/** The graph in Graphviz' language, for free(). */
static char *
question(const json_t *graph, const struct drawing *drawing)
{
    const json_t *nodes = json_object_get(graph, "nodes"), *edges = json_object_get(graph, "edges");
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fprintf(
        out,
        "digraph {\nrankdir=LR; nodesep=0.35; ranksep=0.6; mindist=%s; splines=true; nslimit=8;\n"
        "node [shape=box fixedsize=true label=\"\"];\n",
        drawing->labels_on_lines ? "0.9" : "0.42");
    for (size_t i = 0; i < json_array_size(nodes); i++)
        write_node(out, i, json_array_get(nodes, i), drawing);
    for (size_t i = 0; i < json_array_size(edges); i++)
        write_edge(out, i, json_array_get(edges, i), drawing);
    fputs("}\n", out);
    fclose(out);
    return text;
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
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? strtod(text, NULL) : 0;
}

static void
set_number(json_t *object, const char *key, double number)
{
    json_object_set_new(object, key, json_real((double) (long) (number * 10) / 10));
}

/** A point of Graphviz in the page. */
static json_t *
point_json(const double *point, const struct drawing *drawing)
{
    json_t *object = json_object();
    set_number(object, "x", point[0] * drawing->stretch);
    set_number(object, "y", drawing->height - point[1]);
    return object;
}

static bool
place_node(json_t *node, const json_t *answer, const struct drawing *drawing)
{
    double point[2];
    const char *text = json_string_value(json_object_get(answer, "pos"));
    if (node == NULL || text == NULL || read_numbers(text, point, 2) != 2)
        return false;
    json_t *place = point_json(point, drawing);
    json_object_update(node, place);
    json_decref(place);
    set_number(node, "w", number_of(answer, "width") * 72 * drawing->stretch);
    set_number(node, "h", number_of(answer, "height") * 72);
    return true;
}

/** "M1,2C3,4 5,6 7,8", for free(). */
static char *
path_text(const double *points, size_t count, const struct drawing *drawing)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i + 1 < count; i += 2)
        fprintf(out, "%s%.1f,%.1f",
                i == 0   ? "M"
                : i == 2 ? "C"
                         : " ",
                points[i] * drawing->stretch, drawing->height - points[i + 1]);
    fclose(out);
    return text;
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
place_edge(json_t *edge, const json_t *answer, const struct drawing *drawing)
{
    enum { MANY_NUMBERS = 2048 };
    double numbers[MANY_NUMBERS], label[2];
    const char *text = json_string_value(json_object_get(answer, "pos"));
    const char *label_at = json_string_value(json_object_get(answer, "lp"));
    if (edge == NULL || text == NULL || strncmp(text, "e,", 2) != 0)
        return;
    size_t count = read_numbers(text + 2, numbers, MANY_NUMBERS);
    if (count < 10)
        return;
    char *path = path_text(numbers + 2, count - 2, drawing);
    json_object_set_new(edge, "path", json_string(path));
    json_object_set_new(edge, "tip", point_json(numbers, drawing));
    if (drawing->labels_on_lines)
        find_middle(numbers + 2, count - 2, label);
    if (drawing->labels_on_lines || (label_at != NULL && read_numbers(label_at, label, 2) == 2))
        json_object_set_new(edge, "label_at", point_json(label, drawing));
    free(path);
}

/** Adds what Graphviz answers to the graph; its size only when all nodes have places. */
static bool
take(json_t *graph, const json_t *answer, struct drawing drawing)
{
    double box[4];
    const char *text = json_string_value(json_object_get(answer, "bb"));
    json_t *nodes = json_object_get(graph, "nodes"), *edges = json_object_get(graph, "edges");
    const json_t *objects = json_object_get(answer, "objects");
    const json_t *links = json_object_get(answer, "edges");
    if (text == NULL || read_numbers(text, box, 4) != 4)
        return false;
    drawing.height = box[3];
    size_t placed = 0;
    for (size_t i = 0; i < json_array_size(objects); i++) {
        const json_t *object = json_array_get(objects, i);
        json_t *node = json_array_get(nodes, (size_t) number_of(object, "name"));
        placed += place_node(node, object, &drawing);
    }
    for (size_t i = 0; i < json_array_size(links); i++) {
        const json_t *link = json_array_get(links, i);
        json_t *edge = json_array_get(edges, (size_t) number_of(link, "place"));
        place_edge(edge, link, &drawing);
    }
    if (placed != json_array_size(nodes))
        return false;
    set_number(graph, "width", box[2] * drawing.stretch);
    set_number(graph, "height", box[3]);
    return true;
}

char *
graph_lay_out(json_t *graph)
{
    struct drawing drawing = choose_drawing(graph);
    char *const argv[] = {"dot", "-Tjson0", (char *) drawing.engine, NULL};
    char *text = question(graph, &drawing), *answer = NULL;
    struct child_limits limits = {.milliseconds = TIME_LIMIT_MS, .bytes = ANSWER_LIMIT};
    char *error = child_ask(argv, text, limits, &answer);
    json_t *json = error == NULL ? json_loads(answer, 0, NULL) : NULL;
    if (error == NULL && !take(graph, json, drawing))
        error = alloc_text("dot's answer is not understood");
    json_decref(json);
    free(text);
    free(answer);
    return error;
}
