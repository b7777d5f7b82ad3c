// SPDX-License-Identifier: BSD-3-Clause
// A sample of the processes of a job: the document "mqs-ompd/1".
#ifndef MQSHOW_REPORT_DOCUMENT_H
#define MQSHOW_REPORT_DOCUMENT_H

#include "mqshow/report/report.h"

#include <jansson.h>
#include <stdio.h>

struct document {
    struct intern texts; // of the reports
    struct report *reports;
    size_t count, capacity;
    LIST(const char *) messages; // of documents that it was read from
    bool is_merged;              // it was read, and has messages
    size_t samples;              // with which it was compared, itself included; 0: with none
    double seconds;              // between the first and the last one
    bool moved;                  // some process was not the same in all
    struct json_t *stats;        // what reading it took; NULL: not asked for
    char *time;                  // when it was made; NULL: not asked for
    char *host;                  // of mqshow then, escaped; NULL: likewise
    char *version;               // likewise
};

/** Makes a document with reports in which nothing is known. */
struct document *document_create(size_t count);

/** Frees it. NULL does nothing. */
void document_destroy(struct document *document);

/** Adds a report in which nothing is known. */
struct report *document_add_report(struct document *document);

/** Removes the reports from a place on. */
void document_drop_reports(struct document *document, size_t first);

/** Notes when and where a document is made, and by which version. */
void document_set_origin(struct document *document);
void document_forget_origin(struct document *document);

/** Reads documents that other runs have printed or saved, "-" is standard input, and adds their
 * processes; those that are there already are replaced. Of several documents it is not known any
 * more when they were made and in how many samples. Processes of a document that says on which
 * machine it was made have that one's name, if it is not this one. Nobody vouches for a file.
 * @return NULL, or what is wrong with it, escaped, to free()
 */
char *document_add_file(struct document *document, const char *path);

/** Reads the processes of a file.
 * @param left bytes that may come; those that did are subtracted
 * @return the rest, in which processes are empty objects, to json_decref(); NULL: it is no JSON, or
 * there were too many bytes: `left` is 0 then
 */
json_t *document_load(struct document *document, FILE *file, uint64_t *left, json_error_t *error);

/** Writes the members of a document, but no brackets around them.
 * @param narrow whether to leave out communicators that were not asked for
 */
void document_write(struct json_out *json, const struct document *document, bool narrow);

/** Writes the JSON Schema of documents, draft 2020-12, made of report.def. Members that it does not
 * list are allowed, as newer versions may have more. */
void schema_write(FILE *out);

#endif
