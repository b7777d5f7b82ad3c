// SPDX-License-Identifier: BSD-3-Clause
// The statements of a script, as the table in statements.def names them.
#ifndef TESTS_SCRIPT_STATEMENTS_H
#define TESTS_SCRIPT_STATEMENTS_H

#include "tests/script/script.h"

/** Does what a statement says. @param rest its words behind the first one; they may be cut */
typedef void statement_fn(struct script *script, const struct line *line, char *rest);

// What the debugger is told (told.c).
statement_fn do_image, do_rank, do_sizes, do_symbol, do_type, do_field, do_memory, do_pages, do_no;
statement_fn do_stripped, do_without, do_show, do_origins, do_reads, do_certain;

// Rings (assign.c).
statement_fn do_ring, do_list, do_append;

/** Value of the next word, or of all further ones if `all`. */
uint64_t need_value(struct script *script, const struct line *line, char **rest, bool all);

#endif
