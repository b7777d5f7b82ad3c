// SPDX-License-Identifier: BSD-3-Clause
// reduce RAW: prints what is needed of a recording of mqshow to see the same.
//
// That is what the library reads when whole pages cannot be read, a little of what is around it,
// and which pages can be read. Of all other bytes nothing is kept.
#include "tests/script/case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    AROUND = 32,     // bytes, aligned: what is near is read by the next version perhaps
    RUN_MIN = 4,     // equal bytes that are worth HH*N
    LINE_BYTES = 256 // of memory on one line
};

// What a debugger asks for that the language of the tests has no word for.
static void
ask_level(const struct source *source, const struct model *model)
{
    struct session session;
    mqs_taddr_t main_thread;
    int level;

    session_init(&session, source, model, false);
    if (debugger_start(&session.debugger))
        session.debugger.dll->mqs_get_mpi_thread_level(&session.debugger.fake->process, &level,
                                                       &main_thread);
    debugger_stop(&session.debugger);
    session_deinit(&session);
}

// Lets the library see all of a recording. @return what it said, to be freed
static char *
look(const struct source *source, const struct model *model, struct memory *ret_read)
{
    host_watch(ret_read);
    char *ret = case_run(source, model, false);
    ask_level(source, model);
    host_watch(NULL);
    return ret;
}

// Of each run that was read, what is around it too.
struct widening {
    const struct memory *all;
    struct memory *ret;
};

static void
widen(void *context, uint64_t addr, size_t size, const uint8_t *bytes)
{
    const struct widening *widening = context;
    uint8_t around[AROUND];

    memory_write(widening->ret, addr, bytes, size);
    for (uint64_t at = addr - addr % AROUND; at < addr + size; at += AROUND) {
        if (memory_read(widening->all, at, AROUND, around))
            memory_write(widening->ret, at, around, AROUND);
    }
}

// Pages that are being put together to one line.
struct pages {
    uint64_t addr, count;
};

static void
print_pages(const struct pages *pages)
{
    if (pages->count > 0)
        printf("pages 0x%" PRIx64 " %" PRIu64 "\n", pages->addr, pages->count);
}

static void
add_page(void *context, uint64_t addr, size_t size, const uint8_t *bytes)
{
    struct pages *pages = context;

    (void) bytes;
    if (size < MEMORY_PAGE)
        return;
    if (addr != pages->addr + pages->count * MEMORY_PAGE) {
        print_pages(pages);
        *pages = (struct pages){.addr = addr};
    }
    pages->count++;
}

static void
print_bytes(uint64_t addr, size_t size, const uint8_t *bytes)
{
    bool is_apart = true;

    printf("memory 0x%" PRIx64 " ", addr);
    for (size_t i = 0, run; i < size; i += run) {
        for (run = 1; i + run < size && bytes[i + run] == bytes[i];)
            run++;
        bool is_long = run >= RUN_MIN;
        printf(!is_long ? "%s%02x" : "%s%02x*%zu ", is_long && !is_apart ? " " : "", bytes[i], run);
        run = is_long ? run : 1;
        is_apart = is_long;
    }
    puts("");
}

static void
print_run(void *context, uint64_t addr, size_t size, const uint8_t *bytes)
{
    (void) context;
    for (size_t done = 0, piece; done < size; done += piece) {
        piece = LINE_BYTES - (addr + done) % LINE_BYTES;
        piece = size - done < piece ? size - done : piece;
        print_bytes(addr + done, piece, bytes + done);
    }
}

// The lines that are not about memory. What is not there need not be said, and where a program
// was is of no interest.
static void
print_names(const struct source *source)
{
    for (size_t i = 0; i < source->n_lines; i++) {
        const char *text = source->lines[i].text, *slash = strrchr(text, '/');
        if (strncmp(text, "image ", 6) == 0 && slash)
            printf("image %s\n", slash + 1);
        else if (strncmp(text, "memory ", 7) != 0 && strncmp(text, "no ", 3) != 0)
            puts(text);
    }
}

static void
reduce(const struct source *source, const struct model *model)
{
    struct memory seen = {0}, kept = {0};
    struct pages pages = {0};
    struct script script;

    script_load(&script, source, model, false);
    free(look(source, model, &seen));
    memory_each_run(&seen, widen, &(struct widening){&script.memory, &kept});
    print_names(source);
    memory_each_run(&script.memory, add_page, &pages);
    print_pages(&pages);
    memory_each_run(&kept, print_run, NULL);
    memory_deinit(&seen);
    memory_deinit(&kept);
    script_deinit(&script);
}

int
main(int argc, char **argv)
{
    struct source source = {0};

    if (argc != 2)
        source_error(NULL, "usage: reduce RECORDING");
    source_load(&source, argv[1]);
    unsigned mask = script_models(&source);
    for (size_t i = 0; i < MODELS; i++) {
        if (mask == 1U << i)
            reduce(&source, &models[i]);
    }
    source_deinit(&source);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
