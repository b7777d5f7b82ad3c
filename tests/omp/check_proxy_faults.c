// SPDX-License-Identifier: BSD-3-Clause
// Each read, symbol and allocation fails, once, or with all that follow: what the library answers
// all the same is what it answers when nothing fails, and nothing is lost.
#include "tests/check_set.h"
#include "tests/omp/check_proxy_live.h"

#include <stdlib.h>
#include <string.h>

enum {
    FAULTS_MAX = 3000, // numbers of calls that fail
    ANSWERS = 1 << 14, // places for answers, more than twice as many as there are
    PAGE = 4096,
    PAGES = 1 << 10,
    NAMES = 512,
    ICVS = 40,
    DEPTH = 4, // regions and tasks around each other, and members of a region
    // Of six threads, the first and the last are asked; with GNU's runtime, of which all threads
    // are read for each question, the last.
    THREADS_STEP = 5,
};

// Answers

/** What was answered to a question, which is named by the way to it. */
static struct answer {
    uint64_t way; // 0: unused
    int64_t value, more;
} answers[ANSWERS];

static bool learns; // answers are kept, not compared

static uint64_t
step(uint64_t way, const char *question, int64_t number)
{
    for (; *question; question++)
        way = (way ^ (uint8_t) *question) * 0x100000001b3U;
    way = (way ^ (uint64_t) number) * 0x9e3779b97f4a7c15U;
    return (way ^ way >> 29) | 1;
}

static struct answer *
find(uint64_t way)
{
    size_t place = way / 2 % ANSWERS;
    while (answers[place].way != 0 && answers[place].way != way)
        place = (place + 1) % ANSWERS;
    return &answers[place];
}

static const char *fault_name;

static void
note(uint64_t way, const char *question, ompd_rc_t rc, int64_t value, int64_t more)
{
    if (rc != ompd_rc_ok && rc != ompd_rc_incomplete)
        return;
    struct answer *known = find(step(way, question, 0));
    if (learns)
        *known = (struct answer){step(way, question, 0), value, more};
    if (known->way != 0 && known->value == value && known->more == more)
        return;
    ck_abort_msg("%s %u fails%s: %s is answered by %jd, %jd, which is %jd, %jd", fault_name,
                 tool.fail[TOOL_ALLOC] + tool.fail[TOOL_SYMBOL] + tool.fail[TOOL_READ],
                 tool.fail_from_there ? " and what follows" : "", question, (intmax_t) value,
                 (intmax_t) more, (intmax_t) known->value, (intmax_t) known->more);
}

static void
note_text(uint64_t way, const char *question, ompd_rc_t rc, const char *text)
{
    if (rc == ompd_rc_ok)
        note(way, question, rc, (int64_t) step(1, text, 0), 0);
}

// A process that does not change, each page and name of which is asked for once

static struct {
    struct target target; // the process itself
    struct {
        taddr number; // of the page
        bool used, readable;
        uint8_t bytes[PAGE];
    } pages[PAGES];
    unsigned n_pages;
    struct {
        char name[64]; // "": unused
        taddr addr;    // 0: there is none
    } names[NAMES];
    unsigned n_names;
} still;

static const uint8_t *
still_page(taddr number)
{
    size_t place = number * 0x9e3779b1U % PAGES;
    while (still.pages[place].used && still.pages[place].number != number)
        place = (place + 1) % PAGES;
    if (!still.pages[place].used) {
        ck_assert_uint_lt(++still.n_pages, PAGES);
        still.pages[place].used = true;
        still.pages[place].number = number;
        still.pages[place].readable = still.target.ops->read(still.target.host, number * PAGE, PAGE,
                                                             still.pages[place].bytes);
    }
    return still.pages[place].readable ? still.pages[place].bytes : NULL;
}

static bool
still_read(void *host, taddr addr, size_t size, void *ret)
{
    (void) host;
    for (uint8_t *to = ret; size > 0;) {
        const size_t rest = PAGE - addr % PAGE, part = size < rest ? size : rest;
        const uint8_t *page = still_page(addr / PAGE);
        if (!page)
            return false;
        memcpy(to, page + addr % PAGE, part);
        addr += part;
        to += part;
        size -= part;
    }
    return true;
}

static bool
still_symbol(void *host, const char *name, taddr *ret)
{
    unsigned i = 0;
    (void) host;
    while (i < still.n_names && strcmp(still.names[i].name, name) != 0)
        i++;
    if (i == still.n_names) {
        ck_assert_uint_lt(i, NAMES);
        ck_assert_uint_lt(strlen(name), sizeof(still.names[i].name));
        strcpy(still.names[i].name, name);
        if (!still.target.ops->find_symbol(still.target.host, name, &still.names[i].addr))
            still.names[i].addr = 0;
        still.n_names++;
    }
    *ret = still.names[i].addr;
    return *ret != 0;
}

static struct tool_context
still_context(const struct subject *subject)
{
    static struct target_ops ops;
    memset(&still, 0, sizeof(still));
    still.target = subject->context.target;
    ops = *still.target.ops;
    ops.read = still_read;
    ops.find_symbol = still_symbol;
    return (struct tool_context){.target = {&ops, still.target.host}};
}

// Questions

static void
ask_variables(uint64_t way, void *handle, ompd_scope_t scope)
{
    for (ompd_icv_id_t id = 1; id < ICVS; id++) {
        ompd_word_t value = 0;
        const char *text = NULL;
        ompd_rc_t rc = api.get_icv_from_scope(handle, scope, id, &value);
        note(step(way, "number", (int64_t) id), "a variable", rc, value, 0);
        if (rc == ompd_rc_bad_input)
            continue;
        rc = api.get_icv_string_from_scope(handle, scope, id, &text);
        note_text(step(way, "text", (int64_t) id), "a variable's text", rc, text);
        tool_free(text);
    }
}

static void
ask_tool_data(uint64_t way, void *handle, ompd_scope_t scope)
{
    ompd_word_t value = 0;
    ompd_address_t ptr = {0, 0};
    ompd_rc_t rc = api.get_tool_data(handle, scope, &value, &ptr);
    note(way, "get_tool_data", rc, value, (int64_t) ptr.address);
}

static void
ask_thread_id(uint64_t way, ompd_thread_handle_t *thread)
{
    for (ompd_thread_id_t kind = OMPD_THREAD_ID_PTHREAD; kind <= OMPD_THREAD_ID_LWP; kind++) {
        uint64_t id = 0;
        ompd_rc_t rc = api.get_thread_id(thread, kind, sizeof(id), &id);
        note(step(way, "kind", (int64_t) kind), "get_thread_id", rc, (int64_t) id, 0);
    }
}

static void
ask_members(uint64_t way, ompd_parallel_handle_t *region)
{
    for (int num = 0; num < DEPTH; num++) {
        ompd_thread_handle_t *thread;
        ompd_task_handle_t *task;
        ompd_address_t function;
        const uint64_t member = step(way, "member", num);
        if (api.get_thread_in_parallel(region, num, &thread) == ompd_rc_ok) {
            ask_thread_id(member, thread);
            api.rel_thread_handle(thread);
        }
        if (api.get_task_in_parallel(region, num, &task) == ompd_rc_ok) {
            ompd_rc_t rc = api.get_task_function(task, &function);
            note(member, "get_task_function", rc, (int64_t) function.address, 0);
            api.rel_task_handle(task);
        }
    }
}

static void
ask_regions(uint64_t way, ompd_parallel_handle_t *region)
{
    for (int i = 0; i < DEPTH && region; i++) {
        ompd_parallel_handle_t *outer = NULL;
        way = step(way, "region", i);
        ask_variables(way, region, ompd_scope_parallel);
        ask_tool_data(way, region, ompd_scope_parallel);
        ask_members(way, region);
        if (api.get_enclosing_parallel_handle(region, &outer) != ompd_rc_ok)
            outer = NULL;
        api.rel_parallel_handle(region);
        region = outer;
    }
    if (region)
        api.rel_parallel_handle(region);
}

static void
ask_task(uint64_t way, ompd_task_handle_t *task)
{
    ompd_address_t function;
    ompd_frame_info_t leave, enter;
    ompd_task_handle_t *other;
    ompd_parallel_handle_t *region;
    ompd_rc_t rc = api.get_task_function(task, &function);
    note(way, "get_task_function", rc, (int64_t) function.address, 0);
    rc = api.get_task_frame(task, &leave, &enter);
    note(way, "get_task_frame", rc, (int64_t) leave.frame_address.address,
         (int64_t) enter.frame_address.address);
    ask_variables(way, task, ompd_scope_task);
    ask_tool_data(way, task, ompd_scope_task);
    if (api.get_task_parallel_handle(task, &region) == ompd_rc_ok) {
        ask_variables(step(way, "its region", 0), region, ompd_scope_parallel);
        api.rel_parallel_handle(region);
    }
    if (api.get_scheduling_task_handle(task, &other) == ompd_rc_ok) {
        rc = api.get_task_function(other, &function);
        note(step(way, "scheduling", 0), "get_task_function", rc, (int64_t) function.address, 0);
        api.rel_task_handle(other);
    }
}

static void
ask_tasks(uint64_t way, ompd_task_handle_t *task)
{
    for (int i = 0; i < DEPTH && task; i++) {
        ompd_task_handle_t *outer = NULL;
        way = step(way, "task", i);
        ask_task(way, task);
        if (api.get_generating_task_handle(task, &outer) != ompd_rc_ok)
            outer = NULL;
        api.rel_task_handle(task);
        task = outer;
    }
    if (task)
        api.rel_task_handle(task);
}

static void
ask_thread(uint64_t way, ompd_thread_handle_t *thread)
{
    ompd_parallel_handle_t *region;
    ompd_task_handle_t *task;
    ompd_word_t state = 0;
    ompd_wait_id_t wait = 0;
    ask_thread_id(way, thread);
    ompd_rc_t rc = api.get_state(thread, &state, &wait);
    note(way, "get_state", rc, state, (int64_t) wait);
    ask_tool_data(way, thread, ompd_scope_thread);
    ask_variables(way, thread, ompd_scope_thread);
    if (api.get_curr_parallel_handle(thread, &region) == ompd_rc_ok)
        ask_regions(way, region);
    if (api.get_curr_task_handle(thread, &task) == ompd_rc_ok)
        ask_tasks(way, task);
}

static void
ask_space(ompd_address_space_handle_t *space)
{
    const char *const *settings;
    ompd_word_t version;
    ompd_rc_t rc = api.get_omp_version(space, &version);
    note(1, "get_omp_version", rc, version, 0);
    ask_variables(1, space, ompd_scope_address_space);
    if (api.get_display_control_vars(space, &settings) != ompd_rc_ok)
        return;
    for (unsigned i = 0; settings[i]; i++)
        note_text(step(1, "setting", i), "a setting", ompd_rc_ok, settings[i]);
    api.rel_display_control_vars(&settings);
}

// Asks everything, from the beginning to the end of the library's work.
static void
ask_all(const struct subject *subject, struct tool_context *context)
{
    ompd_address_space_handle_t *space;
    ck_assert_int_eq(api.initialize(201811, &tool_callbacks), ompd_rc_ok);
    if (api.process_initialize((ompd_address_space_context_t *) context, &space) == ompd_rc_ok) {
        ask_space(space);
        for (unsigned i = subject->gomp ? THREADS_STEP : 0; i < subject->park.n_threads;
             i += THREADS_STEP) {
            const uint64_t tid = (uint64_t) subject->park.threads[i].tid;
            ompd_thread_handle_t *thread;
            if (api.get_thread_handle(space, OMPD_THREAD_ID_LWP, sizeof(tid), &tid, &thread) !=
                ompd_rc_ok)
                continue;
            ask_thread(step(1, "thread", (int64_t) tid), thread);
            api.rel_thread_handle(thread);
        }
    }
    ck_assert_int_eq(api.finalize(), ompd_rc_ok);
    ck_assert_int_eq(tool.blocks, 0);
    ck_assert(!tool.torn);
}

static const struct {
    const char *name;
    enum tool_call call;
    bool from_there;
} faults[] = {{"read", TOOL_READ, false},     {"read", TOOL_READ, true},
              {"symbol", TOOL_SYMBOL, false}, {"symbol", TOOL_SYMBOL, true},
              {"block", TOOL_ALLOC, false},   {"block", TOOL_ALLOC, true}};
enum { FAULTS = sizeof(faults) / sizeof(faults[0]) };

static void
check_faults(const struct subject *subject, struct tool_context *context, unsigned kind)
{
    const enum tool_call call = faults[kind].call;
    bool fails = true;
    fault_name = faults[kind].name;
    for (unsigned n = 1; fails && n <= FAULTS_MAX; n += check_set_pick(7, 1, 1)) {
        tool_reset();
        tool.fail[call] = n;
        tool.fail_from_there = faults[kind].from_there;
        ask_all(subject, context);
        fails = tool.calls[call] >= n;
    }
}

START_TEST(every_fault)
{
    const unsigned build = (unsigned) _i / FAULTS;
    if (build != PROXY_GOMP)
        setenv("OMP_DEBUG", "enabled", 1);
    const struct subject *subject = subject_start(0, "nested", build);
    unsetenv("OMP_DEBUG");
    struct tool_context context = still_context(subject);
    ck_assert_int_eq(api.rel_address_space_handle(subject->space), ompd_rc_ok);
    ck_assert_int_eq(api.finalize(), ompd_rc_ok);
    memset(answers, 0, sizeof(answers));
    learns = true;
    fault_name = "nothing";
    ask_all(subject, &context);
    learns = false;
    check_faults(subject, &context, (unsigned) _i % FAULTS);
    tool_reset();
    ck_assert_int_eq(api.initialize(201811, &tool_callbacks), ompd_rc_ok);
}
END_TEST

TCase *
proxy_faults(void)
{
    TCase *cases = proxy_case("faults");
    tcase_add_loop_test(cases, every_fault, 0, (int) proxy_builds() * FAULTS);
    return cases;
}
