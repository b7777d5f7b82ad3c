// SPDX-License-Identifier: BSD-3-Clause
// Whether the verdict about a job is of the kind that its programs know, and what may weaken it.
#include "run.h"
#include "verdict.h"
#include "verdict_parts.h"

#include <stdlib.h>
#include <string.h>

// Why a verdict may be weaker than what is known.
enum doubt {
    DOUBT_ON_ITS_WAY = 1, // one look cannot tell what waits from what is about to go on
    DOUBT_MOMENTS = 2     // the processes may have been seen at different times
};

// What the verdict must be. A doubt makes it "unknown", and its text then says what it might be.
static const struct {
    const char *kind; // as it is recorded
    enum doubt doubt; // the one that matters
    const char *text, *doubtful;
} rules[] = {
    {"deadlock", DOUBT_ON_ITS_WAY, "DEADLOCK: ", "possible deadlock: "},
    {"no deadlock seen", DOUBT_MOMENTS,
     "no deadlock seen: ", "cannot tell whether this is a deadlock: "},
    {"unknown", DOUBT_MOMENTS,
     "cannot tell whether this is a deadlock: ", "cannot tell whether this is a deadlock: "},
};

static const char *
recorded_kind(const json_t *truths)
{
    return verdict_text(json_object_get(json_array_get(truths, 0), "verdict"), "kind");
}

// Whether a thread waits for a lock of which it is known who holds it, who would be itself if it
// were about to go on.
static bool
waits_for_holder(const json_t *wait)
{
    const json_t *tids = json_object_get(wait, "for_tids");
    return strcmp(verdict_text(wait, "needs"), "any") == 0 && json_array_size(tids) == 1 &&
           !json_equal(json_array_get(tids, 0), json_object_get(wait, "tid"));
}

// Whether a thread waits for requests: what is missing is in the queues, or in the number of the
// nonblocking collective that each process begins next.
static bool
waits_for_requests(const json_t *wait)
{
    return json_object_get(wait, "operation") != NULL ||
           strncmp(verdict_text(wait, "call"), "MPI_Wait", strlen("MPI_Wait")) == 0;
}

// Whether threads wait for messages, or for locks of other threads, and for nothing else.
static bool
is_about_messages(const json_t *verdict)
{
    size_t i;
    json_t *wait;
    json_array_foreach (json_object_get(verdict, "waits"), i, wait) {
        if (!waits_for_requests(wait) && !waits_for_holder(wait))
            return false;
    }
    return i > 0;
}

static int
doubts_of(const json_t *verdict, enum verdict_source source, bool counts)
{
    int ret = 0;
    if (source != VERDICT_OF_LOOKS && !(counts && is_about_messages(verdict)))
        ret |= DOUBT_ON_ITS_WAY;
    if (source == VERDICT_OF_CORES)
        ret |= DOUBT_MOMENTS;
    return ret;
}

static bool
is_as_ruled(const json_t *verdict, const char *kind, int doubts)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (strcmp(rules[i].kind, kind) != 0)
            continue;
        bool is_doubtful = (doubts & (int) rules[i].doubt) != 0;
        const char *text = is_doubtful ? rules[i].doubtful : rules[i].text;
        return strcmp(verdict_text(verdict, "kind"), is_doubtful ? "unknown" : kind) == 0 &&
               strncmp(verdict_text(verdict, "text"), text, strlen(text)) == 0;
    }
    return false;
}

char *
verdict_compare(const json_t *truths, const json_t *document, enum verdict_source source,
                bool counts)
{
    const json_t *verdict = json_object_get(document, "verdict");
    const char *kind = recorded_kind(truths);
    char *ret = verdict_compare_parts(truths, document);
    if (ret == NULL && !is_as_ruled(verdict, kind, doubts_of(verdict, source, counts)))
        ret = run_text("expected \"%s\", found \"%s\": %s", kind, verdict_text(verdict, "kind"),
                       verdict_text(verdict, "text"));
    return ret;
}

char *
verdict_false_alarm(const json_t *truths, const json_t *document)
{
    const json_t *verdict = json_object_get(document, "verdict");
    if (strcmp(verdict_text(verdict, "kind"), "deadlock") != 0 ||
        strcmp(recorded_kind(truths), "deadlock") == 0)
        return NULL;
    return run_text("false alarm: %s", verdict_text(verdict, "text"));
}
