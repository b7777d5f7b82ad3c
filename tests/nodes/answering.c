// SPDX-License-Identifier: BSD-3-Clause
// Stands in for ssh: `ssh [OPTION]... HOST COMMAND` writes what the file HOST in the folder of
// MQS_ANSWERS has, in the way that the first part of the host's name, up to a '-', says:
//
//   good    at once                          late     after a second
//   never   nothing, and does not end        twice    two times
//   pieces  in pieces of 100 bytes           cut      half of it
//   refused nothing but a message            noise    bytes that are no text
//   huge    a document that does not end     other    what the host before it would say
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 100, HUGE_MB = 12 };

static char answer[1 << 24];
static size_t length;

static void
put(const char *text, size_t n)
{
    while (n > 0) {
        ssize_t done = write(STDOUT_FILENO, text, n);
        if (done <= 0)
            exit(1); // whoever asked is gone
        text += done;
        n -= (size_t) done;
    }
}

static void
pause_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void
load(const char *host)
{
    char path[4096];
    const char *folder = getenv("MQS_ANSWERS");
    snprintf(path, sizeof path, "%s/%s", folder ? folder : ".", host);
    int file = open(path, O_RDONLY);
    for (ssize_t n; file >= 0 && (n = read(file, answer + length, sizeof answer - length)) > 0;)
        length += (size_t) n;
}

static void
answer_good(void)
{
    put(answer, length);
}

static void
answer_late(void)
{
    pause_ms(1000);
    answer_good();
}

static void
answer_never(void)
{
    for (;;)
        pause();
}

static void
answer_twice(void)
{
    answer_good();
    answer_good();
}

static void
answer_pieces(void)
{
    for (size_t i = 0; i < length; i += PIECE) {
        put(answer + i, length - i < PIECE ? length - i : PIECE);
        pause_ms(1);
    }
}

static void
answer_cut(void)
{
    put(answer, length / 2);
}

static void
answer_refused(void)
{
    fprintf(stderr, "ssh: connection refused\n");
    exit(255);
}

static void
answer_noise(void)
{
    for (int i = 0; i < 100; i++)
        put("\377\033[2J}{\n\n{\n\001", 11);
    put("{\n\"schema\": 5\n}\n", 16);
}

static void
answer_huge(void)
{
    static char line[1 << 20];
    memset(line, '[', sizeof line);
    for (size_t i = 100; i < sizeof line; i += 100)
        line[i] = '\n';
    put("{\n", 2);
    for (int i = 0; i < HUGE_MB; i++)
        put(line, sizeof line);
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*answer)(void);
    } ways[] = {{"good", answer_good},       {"late", answer_late},     {"never", answer_never},
                {"twice", answer_twice},     {"pieces", answer_pieces}, {"cut", answer_cut},
                {"refused", answer_refused}, {"noise", answer_noise},   {"huge", answer_huge},
                {"other", answer_good}};
    for (int i = 1; i < argc; i++)
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            size_t n = strlen(ways[k].name);
            if (strncmp(argv[i], ways[k].name, n) != 0 || argv[i][n] != '-' || strchr(argv[i], ' '))
                continue;
            load(argv[i]);
            ways[k].answer();
            return 0;
        }
    fprintf(stderr, "no host of that name\n");
    return 255;
}
