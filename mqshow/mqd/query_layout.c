// SPDX-License-Identifier: BSD-3-Clause
// The struct layouts that a library uses, and what confirms them.
//
// The place of a member is confirmed by values when nothing else is shown of the process wherever
// else it is read: what contradicts is refused. So each member is tried in other places.
#include "mqshow/mqd/query.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/diag.h"
#include "mqshow/base/draft.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/json_out.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 100000, WIDEST = 8, PLACES = 4 };

/** Bytes from a member's place to those where it is tried, as many as PLACES of them. */
static const int moves[] = {4, 8, -8, 16, -4, -16, 24, -24, 32, -32, 1, 2, -1, -2};

/** What comes of a member in another place. */
enum outcome { OUTCOME_REFUSED, OUTCOME_SAME, OUTCOME_OTHER };

/** What is shown, as JSON. */
static json_t *
shown(const struct report *report)
{
    const struct record_place place = {.narrow = false};
    struct draft draft;
    struct json_out json;
    json_out_begin(&json, draft_open(&draft), JSON_COMPACT);
    json_out_open(&json, '[');
    for (size_t i = 0; i < report->comms.count; i++)
        record_write(&json, &communicator_type, &report->comms.items[i], &place);
    json_out_close(&json, ']');
    json_out_end(&json);
    char *text = draft_close(&draft);
    json_t *value = json_loads(text, 0, NULL);
    free(text);
    return value;
}

static bool is_part(const json_t *part, const json_t *whole);

/** Whether each item is a part of one of the other list, in its order. */
static bool
items_are_parts(const json_t *part, const json_t *whole)
{
    size_t k = 0;
    for (size_t i = 0; i < json_array_size(part); i++, k++)
        while (!is_part(json_array_get(part, i), json_array_get(whole, k)))
            if (++k >= json_array_size(whole))
                return false;
    return true;
}

static bool
has_text(const json_t *texts, const char *text)
{
    size_t i;
    json_t *item;
    json_array_foreach (texts, i, item)
        if (strcmp(json_string_value(item), text) == 0)
            return true;
    return false;
}

/** Whether a member of an object says less than that of another one, or the same. */
static bool
member_is_part(const json_t *object, const char *key, const json_t *part, const json_t *whole)
{
    static const char *const made_of_others[] = {"incomplete", "label", "text"};
    for (size_t i = 0; i < sizeof made_of_others / sizeof *made_of_others; i++)
        if (strcmp(key, made_of_others[i]) == 0)
            return true;
    if (!json_is_object(json_array_get(part, 0)) && json_array_size(part) > 0)
        return json_equal(part, whole);
    if (json_is_array(part) && json_array_size(part) < json_array_size(whole) &&
        !has_text(json_object_get(object, "incomplete"), key))
        return false;
    return is_part(part, whole);
}

/** Whether nothing is said in a part that is not said in the whole. */
static bool
is_part(const json_t *part, const json_t *whole)
{
    if (json_is_array(part))
        return json_is_array(whole) && items_are_parts(part, whole);
    if (!json_is_object(part))
        return json_equal(part, whole);
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *) part, key, value)
        if (!member_is_part(part, key, value, json_object_get(whole, key)))
            return false;
    return json_is_object(whole);
}

/** Reads the process anew. @param moved see struct query */
static void
query_again(struct query *query, const struct layout_row *moved, struct report *report)
{
    struct query again = *query;
    report_init(report, query->report->texts);
    report->image = query->report->image;
    query_end(query);
    again.report = report;
    again.moved = moved;
    query_image(&again);
    if (query->dll->mqs_setup_process(query->process, &host_process) == mqs_ok &&
        again.queues_are_possible)
        query_queues(&again);
}

static enum outcome
judge(const struct query *query, const struct report *report, const json_t *right)
{
    if (report->comms.count == 0)
        return OUTCOME_REFUSED;
    json_t *now = shown(report);
    enum outcome outcome = OUTCOME_REFUSED;
    if (report->rank >= 0 && report->rank != query->report->rank)
        outcome = OUTCOME_OTHER;
    else if (json_equal(now, right))
        outcome = OUTCOME_SAME;
    else if (!is_part(now, right))
        outcome = OUTCOME_OTHER;
    json_decref(now);
    return outcome;
}

/** Whether a member may be in another place: the struct has room for it there, or a member of the
 * same size, which changes places with it. @param all the rows of the struct, which is the first
 */
static bool
may_be_at(const struct layout_row *all, size_t count, const struct layout_row *row, int64_t begin)
{
    int64_t alignment = row->size < WIDEST ? row->size : WIDEST;
    bool may =
        alignment > 0 && begin >= 0 && begin % alignment == 0 && begin + row->size <= all->size;
    for (const struct layout_row *other = all + 1; may && other < all + count; other++)
        may = other->offset == row->offset || begin + row->size <= other->offset ||
              other->offset + other->size <= begin ||
              (other->offset == begin && other->size == row->size);
    return may;
}

static void
try_member(struct query *query, const struct layout_row *all, size_t count, struct layout_row *row,
           const json_t *right)
{
    struct report report;
    row->has |= 1u << LAYOUT_TRIED | 1u << LAYOUT_REFUSED | 1u << LAYOUT_UNUSED;
    for (size_t i = 0; i < sizeof moves / sizeof *moves && row->tried < PLACES; i++) {
        struct layout_row moved = *row;
        moved.offset += moves[i];
        if (!may_be_at(all, count, row, moved.offset))
            continue;
        query_again(query, &moved, &report);
        enum outcome outcome = judge(query, &report, right);
        report_deinit(&report);
        row->tried++;
        row->refused += outcome == OUTCOME_REFUSED;
        row->unused += outcome == OUTCOME_SAME;
    }
    enum confirmed confirmed = row->tried == 0 || row->refused + row->unused < row->tried
                                   ? CONFIRMED_NOT_YET
                               : row->refused == 0 ? CONFIRMED_NO_USE
                                                   : CONFIRMED_BY_VALUES;
    SET(row, LAYOUT_CONFIRMED, confirmed, confirmed);
}

static void
add_row(struct report *report, const mqs_layout_row *found)
{
    struct mpi_record *mpi = &report->mpi;
    struct layout_row *row =
        ALLOC_ADD(mpi->layout_rows.items, mpi->layout_rows.count, mpi->layout_rows.capacity);
    record_init(&layout_row_type, row);
    row->structure = report_intern(report, found->struct_name);
    row->member = report_intern(report, found->field_name);
    row->origin = report_intern(report, found->origin);
    SET(row, LAYOUT_SIZE, size, found->size);
    if (found->field_name != NULL)
        SET(row, LAYOUT_OFFSET, offset, found->offset);
}

static void
add_rows(struct query *query)
{
    mqs_layout_row row = {.struct_name = NULL};
    for (int i = 0;
         i < ROWS_MAX && query->dll->mqs_get_layout_row(query->process, i, &row) == mqs_ok &&
         row.struct_name != NULL;
         i++)
        add_row(query->report, &row);
}

/** Confirms the members of a struct. @param all its rows */
static void
confirm_struct(struct query *query, struct layout_row *all, size_t count, const json_t *right)
{
    for (struct layout_row *row = all + 1; row < all + count; row++)
        if (text_equals(row->origin, "debug information"))
            SET(row, LAYOUT_CONFIRMED, confirmed, CONFIRMED_BY_DEBUG_INFORMATION);
        else if (query->dll->mqs_set_layout_offset != NULL)
            try_member(query, all, count, row, right);
}

static void
confirm_rows(struct query *query)
{
    struct mpi_record *mpi = &query->report->mpi;
    struct report last;
    json_t *right = shown(query->report);
    for (size_t i = 0, count; i < mpi->layout_rows.count; i += count) {
        struct layout_row *all = &mpi->layout_rows.items[i];
        for (count = 1; i + count < mpi->layout_rows.count && all[count].member != NULL; count++)
            ;
        diag_progress("trying other layouts: %zu of %zu", i, mpi->layout_rows.count);
        confirm_struct(query, all, count, right);
    }
    json_decref(right);
    // The library goes on with what is right.
    query_again(query, NULL, &last);
    report_deinit(&last);
}

void
query_layout(struct query *query)
{
    struct mpi_record *mpi = &query->report->mpi;
    if (query->dll->mqs_get_layout_row == NULL || !query->report->has_mpi)
        return;
    add_rows(query);
    if (mpi->layout_rows.count == 0)
        return;
    SET(mpi, MPI_POINTER_SIZE, pointer_size, query->process->image.image.debuggee.pointer_size);
    mpi->has |= 1u << MPI_LAYOUT_ROWS;
    confirm_rows(query);
}
