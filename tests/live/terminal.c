// SPDX-License-Identifier: BSD-3-Clause
// A pseudo-terminal, and how far down its cursor gets.
#include "terminal.h"

#include "tests/fork.h"

#include <ctype.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int
open_terminal(void)
{
    const struct winsize size = {.ws_row = TERMINAL_ROWS, .ws_col = TERMINAL_COLUMNS};
    int fd = posix_openpt(O_RDWR | O_NOCTTY);
    if (fd < 0 || grantpt(fd) != 0 || unlockpt(fd) != 0 || ioctl(fd, TIOCSWINSZ, &size) != 0) {
        perror("pseudo-terminal");
        abort();
    }
    return fd;
}

static pid_t
start(const struct command *command, int terminal)
{
    const char *name = ptsname(terminal);
    pid_t child = fork_plainly();
    if (child != 0)
        return child;
    int fd = open(name, O_RDWR | O_NOCTTY);
    close(terminal);
    dup2(fd, STDOUT_FILENO);
    dup2(fd, STDERR_FILENO);
    execvp(command->words[0], (char *const *) command->words);
    _exit(127);
}

// Reads until nobody has the other side open any more.
static bool
read_all(int terminal, FILE *out, double deadline)
{
    char bytes[4096];
    struct pollfd item = {.fd = terminal, .events = POLLIN};
    for (;;) {
        double left = deadline - run_clock();
        if (left <= 0 || poll(&item, 1, (int) (left * 1000) + 1) == 0)
            return false;
        ssize_t n = read(terminal, bytes, sizeof bytes);
        if (n <= 0)
            return true;
        fwrite(bytes, 1, (size_t) n, out);
    }
}

char *
terminal_run(const struct command *command, int seconds)
{
    char *text = NULL;
    size_t size = 0;
    int terminal = open_terminal(), status;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        abort();
    pid_t child = start(command, terminal);
    bool ended = read_all(terminal, out, run_clock() + seconds);
    if (!ended)
        kill(child, SIGKILL);
    waitpid(child, &status, 0);
    close(terminal);
    fclose(out);
    if (ended)
        return text;
    free(text);
    return NULL;
}

// The end of an escape sequence; `ret_wraps` is changed by one that says whether lines wrap.
static const char *
skip_sequence(const char *text, bool *ret_wraps)
{
    if (strncmp(text, "\033[?7", 4) == 0)
        *ret_wraps = text[4] == 'h';
    while (*text != '\0' && !isalpha((unsigned char) *text))
        text++;
    return text;
}

bool
terminal_scrolls(const char *text)
{
    int row = 0, column = 0;
    bool wraps = true;
    for (; *text != '\0' && row < TERMINAL_ROWS; text++) {
        if (*text == '\033')
            text = skip_sequence(text, &wraps);
        else if (*text == '\n')
            row++;
        else if (*text == '\r')
            column = 0;
        else if (column < TERMINAL_COLUMNS)
            column++;
        else if (wraps) {
            row++;
            column = 1;
        }
        if (*text == '\0')
            break;
    }
    return row >= TERMINAL_ROWS;
}
