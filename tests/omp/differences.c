// SPDX-License-Identifier: BSD-3-Clause
// Reads the list of known differences, and looks them up.
#include "tests/omp/differences.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 512 };

static struct {
    char text[LINE];
    char patterns[DIFFERENCES_VALUES][LINE];
} lines[DIFFERENCES_MAX];
static unsigned n_lines;

static void
trim(char *text)
{
    size_t begin = strspn(text, " \t\n"), end = strlen(text);
    while (end > begin && strchr(" \t\n", text[end - 1]))
        end--;
    memmove(text, text + begin, end - begin);
    text[end - begin] = '\0';
}

// What is left of the line after the patterns is the reason.
static bool
take_line(char *line)
{
    trim(line);
    if (line[0] == '#' || line[0] == '\0')
        return true;
    if (n_lines == DIFFERENCES_MAX)
        return false;
    memcpy(lines[n_lines].text, line, strlen(line) + 1);
    for (unsigned i = 0; i < DIFFERENCES_VALUES; i++) {
        const char *part = strsep(&line, "|");
        if (!line)
            return false;
        snprintf(lines[n_lines].patterns[i], LINE, "%s", part);
        trim(lines[n_lines].patterns[i]);
    }
    n_lines++;
    return true;
}

bool
differences_read(const char *path)
{
    char line[LINE] = "";
    bool good = true;
    FILE *file = fopen(path, "re");
    while (file && good && fgets(line, sizeof(line), file))
        good = take_line(line);
    if (file)
        fclose(file);
    if (!file || !good)
        fprintf(stderr, "%s cannot be understood: %s\n", path, line);
    return file && good;
}

int
differences_find(const char *const values[DIFFERENCES_VALUES])
{
    for (unsigned i = 0; i < n_lines; i++) {
        bool matches = true;
        for (unsigned v = 0; v < DIFFERENCES_VALUES; v++)
            matches = matches && fnmatch(lines[i].patterns[v], values[v], 0) == 0;
        if (matches)
            return (int) i;
    }
    return -1;
}

const char *
differences_line(unsigned number)
{
    return number < n_lines ? lines[number].text : NULL;
}
