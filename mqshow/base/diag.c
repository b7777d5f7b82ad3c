// SPDX-License-Identifier: BSD-3-Clause
// Diagnostics for the user on standard error, and a progress line.
#include "mqshow/base/diag.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PROGRESS_DELAY_MS = 400 }; // short work shows no progress

static bool progress_is_shown, progress_is_over;
static char stage[64]; // what the progress is a part of; "": of nothing

static void
print_diag(const char *format, va_list args)
{
    diag_progress_clear();
    fputs("mqshow: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void
diag(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_diag(format, args);
    va_end(args);
}

void
die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_diag(format, args);
    va_end(args);
    exit(EXIT_SOMETHING_MISSING);
}

static bool
worth_showing(void)
{
    static int terminal = -1;
    static struct timespec start;
    if (terminal < 0) {
        terminal = isatty(STDERR_FILENO);
        clock_gettime(CLOCK_MONOTONIC, &start);
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long ms = (now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000;
    return terminal == 1 && ms >= PROGRESS_DELAY_MS;
}

void
diag_progress(const char *format, ...)
{
    if (progress_is_over || !worth_showing())
        return;
    va_list args;
    va_start(args, format);
    // Cut at the end of the line: a line that wraps would scroll what is above it.
    fprintf(stderr, "\r\033[K\033[?7l%s%s", stage, *stage != '\0' ? "   " : "");
    vfprintf(stderr, format, args);
    fputs("\033[?7h", stderr);
    va_end(args);
    fflush(stderr);
    progress_is_shown = true;
}

void
diag_stage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(stage, sizeof stage, format, args);
    va_end(args);
    diag_progress("%s", "");
}

void
diag_stage_end(void)
{
    *stage = '\0';
    diag_progress_clear();
}

void
diag_progress_disable(void)
{
    progress_is_over = true;
    progress_is_shown = false;
}

void
diag_progress_clear(void)
{
    if (progress_is_shown)
        fputs("\r\033[K", stderr);
    progress_is_shown = false;
}
