// SPDX-License-Identifier: BSD-3-Clause
// A record of all that a library asked about a process and the answers, which tests can replay.
#include "mqshow/mqd/recording.h"

#include "mqshow/base/alloc.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct recording {
    FILE *file;
    void *written; // lines, in a tree of tsearch()
    int error;     // of the first line that could not be written; 0: none
};

enum {
    LINE_BYTES = 32, // of memory on one line
    RUN_MIN = 4,     // equal bytes that are worth HH*N
};

static int
compare_lines(const void *a, const void *b)
{
    return strcmp(a, b);
}

/** Writes a line unless it stands there already; takes the text over. */
static void
write_line(struct recording *recording, char *line)
{
    char **found = alloc_or_die(tsearch(line, &recording->written, compare_lines));
    if (*found != line) {
        free(line);
        return;
    }
    if (fprintf(recording->file, "%s\n", line) < 0 && recording->error == 0)
        recording->error = errno;
}

/** A name as one word of the format, to free(). */
static char *
quoted(const char *name)
{
    bool plain = *name != '\0';
    for (const char *s = name; *s != '\0'; s++)
        plain = plain && (isalnum((unsigned char) *s) || strchr("_./-+@:", *s) != NULL);
    if (plain)
        return alloc_text(name);
    char *word = alloc_zeroed(4 * strlen(name) + 3, 1);
    char *end = stpcpy(word, "\"");
    for (const char *s = name; *s != '\0'; s++) {
        bool simple = isprint((unsigned char) *s) && *s != '"' && *s != '\\';
        end += sprintf(end, simple ? "%c" : "\\x%02x", (unsigned char) *s);
    }
    strcpy(end, "\"");
    return word;
}

static void
write_header(struct recording *recording, int pointer_size, int rank, const char *image)
{
    bool little = BYTE_ORDER == LITTLE_ENDIAN;
    char *name = quoted(image);
    fprintf(recording->file, "model %s%d\nrank %d\nimage %s\n", little ? "le" : "be",
            8 * pointer_size, rank, name);
    free(name);
}

struct recording *
recording_create(const char *path, int pointer_size, int rank, const char *image)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file == NULL)
        return NULL;
    struct recording *recording = alloc_zeroed(1, sizeof *recording);
    recording->file = file;
    write_header(recording, pointer_size, rank, image);
    return recording;
}

int
recording_flush(struct recording *recording)
{
    if (recording == NULL)
        return 0;
    if (fflush(recording->file) != 0 && recording->error == 0)
        recording->error = errno;
    return recording->error;
}

void
recording_destroy(struct recording *recording)
{
    if (recording == NULL)
        return;
    fclose(recording->file);
    tdestroy(recording->written, free);
    free(recording);
}

void
recording_symbol(struct recording *recording, const char *name, enum symbol_kind kind, bool found,
                 uint64_t addr)
{
    if (recording == NULL || name == NULL)
        return;
    const char *what = kind == SYMBOL_FUNCTION ? "function" : "symbol";
    char *word = quoted(name);
    write_line(recording, found ? alloc_format("%s %s 0x%" PRIx64, what, word, addr)
                                : alloc_format("no %s %s", what, word));
    free(word);
}

void
recording_type(struct recording *recording, const char *name, bool found, int64_t size)
{
    if (recording == NULL || name == NULL)
        return;
    char *word = quoted(name);
    write_line(recording, found ? alloc_format("type %s %" PRId64, word, size)
                                : alloc_format("no type %s", word));
    free(word);
}

void
recording_field(struct recording *recording, const char *type, const char *name, int64_t offset)
{
    if (recording == NULL)
        return;
    char *owner = quoted(type), *word = quoted(name);
    write_line(recording, offset >= 0 ? alloc_format("field %s %s %" PRId64, owner, word, offset)
                                      : alloc_format("no field %s %s", owner, word));
    free(owner);
    free(word);
}

static void
record_bytes(struct recording *recording, uint64_t addr, size_t size, const unsigned char *bytes)
{
    // Room for "memory 0x", the address, and at most a pair of digits and a separator for each
    // byte.
    char *line = alloc_zeroed(64 + 4 * size, 1);
    char *end = line + sprintf(line, "memory 0x%" PRIx64 " ", addr);
    for (size_t i = 0; i < size;) {
        size_t run = 1;
        while (i + run < size && bytes[i + run] == bytes[i])
            run++;
        if (run >= RUN_MIN) {
            end += sprintf(end, "%s%02x*%zu ", end[-1] == ' ' ? "" : " ", bytes[i], run);
            i += run;
        } else {
            end += sprintf(end, "%02x", bytes[i++]);
        }
    }
    end[end[-1] == ' ' ? -1 : 0] = '\0';
    write_line(recording, line);
}

void
recording_memory(struct recording *recording, uint64_t addr, size_t size, const void *bytes)
{
    if (recording == NULL)
        return;
    if (bytes == NULL) {
        write_line(recording, alloc_format("no memory 0x%" PRIx64 " %zu", addr, size));
        return;
    }
    for (size_t done = 0; done < size; done += LINE_BYTES) {
        size_t left = size - done < LINE_BYTES ? size - done : LINE_BYTES;
        record_bytes(recording, addr + done, left, (const unsigned char *) bytes + done);
    }
}
