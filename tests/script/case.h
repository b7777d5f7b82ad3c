// SPDX-License-Identifier: BSD-3-Clause
// One case: a script run in one data model, and what was printed.
#ifndef TESTS_SCRIPT_CASE_H
#define TESTS_SCRIPT_CASE_H

#include "tests/script/debugger.h"

/** A process and a debugger that looks at it. */
struct session {
    struct script script;
    struct fake fake;
    struct debugger debugger;
    char *text; // what has been printed since session_text()
    size_t size;
};

/** Builds the process; the session must not move afterwards. */
void session_init(struct session *session, const struct source *source, const struct model *model,
                  bool exact);

/** Likewise for a process that is as another one, and goes on by other lines. */
void
session_copy(struct session *session, const struct script *script, const struct source *source);
void session_deinit(struct session *session);

/** Takes what was printed since the last call; the caller frees it. */
char *session_text(struct session *session);

/** Runs the whole script: start, show, and show again after each `then`, stop.
 * @return what was printed, with a line VIOLATION if the DLL misbehaved; the caller frees it
 */
char *case_run(const struct source *source, const struct model *model, bool exact);

/** The same with a session that has begun, and ends it. */
char *case_run_session(struct session *session);

#endif
