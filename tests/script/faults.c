// SPDX-License-Identifier: BSD-3-Clause
// Lets every callback of a case fail once, and from then on.
#include "tests/script/faults.h"

#include "tests/check_set.h"
#include "tests/script/heap.h"
#include "tests/script/subset.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    // Faults of one kind and case, in each set of tests: of more, some are picked evenly.
    MOST_QUICK = 8,
    MOST_FULL = 24,
    MOST_ALL = 400,
    // After so many of them, a new session is looked at.
    AGAIN_EVERY = 8,
    MOST_COMPLAINTS = 5,
};

static char *
complaint(const char *format, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        source_error(NULL, "out of memory");
    va_end(args);
    return text;
}

// What a type is like is learnt once for an image, and functions may tell it; everything else is
// asked for again.
static bool
is_forgotten(enum ask kind)
{
    return kind != ASK_TYPE && kind != ASK_FIELD && kind != ASK_SIZE && kind != ASK_FUNCTION;
}

/** What a script shows when nothing fails. */
struct good {
    bool started;
    char *text;
};

// Starts, and forgets what that printed. @return whether there are queues
static bool
start(struct session *session)
{
    bool started = debugger_start(&session->debugger);
    free(session_text(session));
    return started;
}

static char *
show(struct session *session)
{
    debugger_show(&session->debugger);
    return session_text(session);
}

// Says where two outputs differ first.
static char *
difference(const char *text, const char *good, const char *when)
{
    while (*text && *text == *good) {
        size_t line = strcspn(text, "\n") + 1;
        if (strncmp(text, good, line))
            break;
        text += line;
        good += line;
    }
    return complaint("%s: \"%.*s\" instead of \"%.*s\"", when, (int) strcspn(text, "\n"), text,
                     (int) strcspn(good, "\n"), good);
}

// Looks once more without a fault. @return NULL or what is wrong
static char *
look_again(struct session *session, const struct good *good, const char *when)
{
    char *text = show(session);
    char *result = NULL;

    if (strcmp(text, good->text))
        result = difference(text, good->text, when);
    free(text);
    return result;
}

// A new image and process, without a fault.
static char *
start_again(struct session *session, const struct good *good)
{
    char *result = NULL;
    bool started = start(session);

    if (started != good->started)
        result = complaint("started again, it %s", started ? "starts" : "does not start");
    else if (started)
        result = look_again(session, good, "started again");
    debugger_stop(&session->debugger);
    return result;
}

// With the fault, and then without it. @return NULL or what is wrong
static char *
look_twice(struct session *session, struct fault fault, const struct good *good)
{
    char *result = NULL;
    char *text = show(session);
    char *stranger = subset_check(text, good->text);

    host_fault((struct fault){0});
    if (stranger)
        result = complaint("this is new: %s", stranger);
    else if (is_forgotten(fault.kind))
        result = look_again(session, good, "looked at again");
    free(stranger);
    free(text);
    return result;
}

// One run with a fault. @param again whether to start anew afterwards. @return NULL or what is
// wrong
static char *
run_fault(struct session *session, struct fault fault, const struct good *good, bool again)
{
    char *result = NULL;

    host_forgive();
    host_fault(fault);
    if (start(session) && good->started)
        result = look_twice(session, fault, good);
    host_fault((struct fault){0});
    debugger_stop(&session->debugger);
    if (!result && again)
        result = start_again(session, good);
    if (!result && host_violations())
        result = complaint("VIOLATION: %s", host_first_violation());
    return result;
}

// Adds a line to a text; both are freed.
static char *
add_line(char *text, char *line)
{
    char *result = text ? complaint("%s\n%s", text, line) : need_copy(line);
    free(text);
    free(line);
    return result;
}

char *
faults_check(const struct source *source, const struct model *model, bool exact, enum ask kind,
             size_t count)
{
    struct session session;
    char *all = NULL;
    int n_wrong = 0;

    session_init(&session, source, model, exact);
    struct good good = {.started = start(&session)};
    good.text = good.started ? show(&session) : need_copy("");
    bool certain = (kind == ASK_FIELD && session.script.fields_certain) ||
                   ((kind == ASK_TYPE || kind == ASK_SIZE) && session.script.types_certain) ||
                   ((kind == ASK_SYMBOL || kind == ASK_FUNCTION) && session.script.symbols_certain);
    size_t calls = certain ? 0 : host_count(kind);
    debugger_stop(&session.debugger);
    size_t step = calls / check_set_pick(MOST_QUICK, MOST_FULL, MOST_ALL) + 1;
    for (size_t k = 1; k <= calls && n_wrong < MOST_COMPLAINTS; k += step) {
        bool again = k / step % AGAIN_EVERY == 0 || k + step > calls;
        char *wrong = run_fault(&session, (struct fault){kind, k, count}, &good, again);
        if (!wrong)
            continue;
        n_wrong++;
        all = add_line(all, complaint("%s %zu of %zu: %s", ask_names[kind], k, calls, wrong));
        free(wrong);
    }
    free(good.text);
    session_deinit(&session);
    return all;
}
