// SPDX-License-Identifier: BSD-3-Clause
// The display control variables: what the runtime lists, with what the environment says of it.
//
// The runtime writes its list (ompd_env_block) down before it looks at the environment: it knows
// all names, and the values that they have when nothing is set.
#include "ompd-bridge/kmp_settings.h"

#include "ompd-bridge/kmp_environ.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static size_t
name_length(const char *line)
{
    size_t length = 0;
    while (isalnum((unsigned char) line[length]) || line[length] == '_')
        length++;
    return line[length] == '=' || line[length] == ':' ? length : 0;
}

// Emits one line, or what the environment has instead. One of the lines has ": " for '='.
static enum status
emit_line(const struct kmp *kmp, char *line, struct text_sink *sink)
{
    char setting[KMP_SETTING_MAX];
    size_t length = name_length(line);
    if (length == 0 || length + 2 > sizeof(setting))
        return STATUS_OK;
    size_t value = length + 1 + (line[length] == ':' && line[length + 1] == ' ');
    memcpy(setting, line, length);
    setting[length] = '\0';
    enum status status =
        kmp_environ_get(kmp, setting, sizeof(setting) - length - 1, setting + length + 1);
    setting[length] = '=';
    if (status == STATUS_ABSENT)
        snprintf(setting + length + 1, sizeof(setting) - length - 1, "%s", line + value);
    else if (status != STATUS_OK)
        return status;
    return sink->emit(sink, setting);
}

static enum status
emit_listed(const struct kmp *kmp, char *line, struct text_sink *sink)
{
    while (*line != '\0') {
        size_t length = strcspn(line, "\n");
        bool last = line[length] == '\0';
        line[length] = '\0';
        TRY(emit_line(kmp, line, sink));
        line[length] = last ? '\0' : '\n';
        line += length + !last;
    }
    return STATUS_OK;
}

static bool
is_listed(const char *line, const char *setting, size_t length)
{
    for (; *line != '\0'; line += line[0] == '\n') {
        if (strncmp(line, setting, length) == 0 && name_length(line) == length)
            return true;
        line += strcspn(line, "\n");
    }
    return false;
}

// Emits what else the environment says to an OpenMP runtime: OMP_DEBUG is such a variable.
static enum status
emit_others(const struct kmp *kmp, const char *settings, struct text_sink *sink)
{
    char setting[KMP_SETTING_MAX];
    for (unsigned i = 0;; i++) {
        enum status status = kmp_environ_at(kmp, i, sizeof(setting), setting);
        if (status != STATUS_OK)
            return status == STATUS_END ? STATUS_OK : status;
        size_t length = strcspn(setting, "=");
        bool ours = strncmp(setting, "OMP_", 4) == 0 || strncmp(setting, "KMP_", 4) == 0;
        if (ours && !is_listed(settings, setting, length))
            TRY(sink->emit(sink, setting));
    }
}

// The list is as long as was checked when it was found, and may have changed since.
enum status
kmp_control_vars(const struct kmp *kmp, struct text_sink *sink)
{
    struct inferior *inf = kmp->inf;
    size_t size = (size_t) kmp->table.values[WORD_ompd_env_block_size];
    char *settings = inferior_alloc(inf, size + 1);
    if (!settings)
        return trail_begin(&inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
    enum status status = inferior_read(inf, kmp->table.values[WORD_ompd_env_block], size, settings);
    settings[size] = '\0';
    if (status == STATUS_OK)
        status = emit_listed(kmp, settings, sink);
    if (status == STATUS_OK)
        status = emit_others(kmp, settings, sink);
    inferior_free(inf, settings);
    return status;
}
