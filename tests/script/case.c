// SPDX-License-Identifier: BSD-3-Clause
// Runs a script in one data model.
#include "tests/script/case.h"

#include <stdlib.h>

static void
begin(struct session *session)
{
    fake_init(&session->fake, &session->script);
    session->debugger.dll = dll_open();
    session->debugger.fake = &session->fake;
    session->debugger.out = open_memstream(&session->text, &session->size);
    if (!session->debugger.out)
        source_error(NULL, "out of memory");
    host_fault((struct fault){0});
}

void
session_init(struct session *session, const struct source *source, const struct model *model,
             bool exact)
{
    *session = (struct session){0};
    script_load(&session->script, source, model, exact);
    begin(session);
}

void
session_copy(struct session *session, const struct script *script, const struct source *source)
{
    *session = (struct session){0};
    script_copy(&session->script, script, source);
    begin(session);
}

void
session_deinit(struct session *session)
{
    fclose(session->debugger.out);
    free(session->text);
    script_deinit(&session->script);
}

char *
session_text(struct session *session)
{
    fclose(session->debugger.out);
    char *text = session->text;
    session->debugger.out = open_memstream(&session->text, &session->size);
    if (!session->debugger.out)
        source_error(NULL, "out of memory");
    return text;
}

// A process that is read in pages must not cost more reads than the script says.
static void
check_reads(const struct script *script)
{
    size_t reads = host_count(ASK_READ);
    if (script->most_reads && !script->exact && reads > script->most_reads)
        host_violation("%zu reads, %zu would do", reads, script->most_reads);
}

char *
case_run_session(struct session *session)
{
    struct debugger *debugger = &session->debugger;

    host_forgive();
    if (debugger_start(debugger)) {
        debugger_show(debugger);
        check_reads(&session->script);
        while (script_then(&session->script)) {
            fputs("then\n", debugger->out);
            debugger_show(debugger);
        }
    }
    debugger_stop(debugger);
    if (host_violations())
        fprintf(debugger->out, "VIOLATION: %s\n", host_first_violation());
    char *text = session_text(session);
    session_deinit(session);
    return text;
}

char *
case_run(const struct source *source, const struct model *model, bool exact)
{
    struct session session;

    session_init(&session, source, model, exact);
    return case_run_session(&session);
}
