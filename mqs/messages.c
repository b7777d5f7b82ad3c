// SPDX-License-Identifier: BSD-3-Clause
// What there is to tell the user about a process.
#include "mqs/messages.h"

#include <stdio.h>
#include <string.h>

void
messages_clear(struct messages *messages)
{
    messages->count = 0;
    messages->lost = 0;
}

bool
messages_add(struct messages *messages, const char *text)
{
    char line[MESSAGE_TEXT];

    snprintf(line, sizeof(line), "%s", text);
    for (unsigned i = 0; i < messages->count; ++i)
        if (strcmp(messages->text[i], line) == 0)
            return false;
    if (messages->count == MESSAGES) {
        ++messages->lost;
        return false;
    }
    memcpy(messages->text[messages->count++], line, sizeof(line));
    return true;
}

const char *
messages_at(struct messages *messages, unsigned index)
{
    if (index < messages->count)
        return messages->text[index];
    if (index > messages->count || messages->lost == 0)
        return NULL;
    snprintf(messages->more, sizeof(messages->more), "and %u more of the kind", messages->lost);
    return messages->more;
}
