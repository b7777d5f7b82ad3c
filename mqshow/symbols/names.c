// SPDX-License-Identifier: BSD-3-Clause
// Names of functions and variables as people write them, out of those that compilers make.
#include "mqshow/symbols/names.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"

#include <ctype.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBIBERTY
#ifdef HAVE_LIBIBERTY_DEMANGLE_H
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif
#endif

enum { SYMBOL_MAX = 1024, DEMANGLED_MAX = 64 * 1024, SHOWN_MAX = 1000, NESTING_MAX = 256 }; // bytes

/** What compilers put into the names of functions that they make of OpenMP constructs; the first
 * that is found counts. */
static const struct {
    const char *mark, *construct;
} marks[] = {
    {".omp_outlined", "parallel region"}, {".omp_task", "task"},       {".omp_", "OpenMP region"},
    {".omp.", "OpenMP region"},           {"._omp_", "OpenMP region"},
};

/** What else compilers append to the names of functions; digits may follow. */
static const char *const suffixes[] = {".constprop.", ".part.", ".isra.", ".cold",
                                       ".lto_priv.",  ".llvm.", "."};

/** Number of the mark whose first place in a name `*ret` is set to; -1: there is none. */
static int
find_mark(const char *name, const char **ret)
{
    for (int i = 0; i < (int) (sizeof marks / sizeof *marks); i++) {
        *ret = strstr(name, marks[i].mark);
        if (*ret != NULL)
            return i;
    }
    return -1;
}

const char *
names_mark(const char *name)
{
    const char *ret;
    return find_mark(name, &ret) >= 0 ? ret : NULL;
}

char *
names_construct(const char *symbol, const char *file, int line)
{
    const char *mark;
    int number = find_mark(symbol, &mark);
    const char *construct = number >= 0 ? marks[number].construct : "OpenMP region";
    if (file == NULL || line <= 0)
        return alloc_text(construct);
    char *name = escape_text(base_name(file), SHOWN_MAX);
    char *text = alloc_format("%s at %s:%d", construct, name, line);
    free(name);
    return text;
}

bool
names_is_mangled(const char *name)
{
    return strncmp(name, "_Z", 2) == 0;
}

static bool
is_suffix(const char *text)
{
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t length = strlen(suffixes[i]);
        if (strncmp(text, suffixes[i], length) == 0 &&
            (length > 1 || isdigit((unsigned char) text[1])))
            return true;
    }
    return false;
}

/** Length of a symbol without what compilers append to it, and linkers: its version. */
static size_t
length_without_suffixes(const char *symbol)
{
    const char *mark = names_mark(symbol);
    size_t length = mark != NULL ? (size_t) (mark - symbol) : strlen(symbol);
    for (size_t i = 0; i < length; i++)
        if ((symbol[i] == '@' && i > 0) || (symbol[i] == '.' && is_suffix(symbol + i)))
            return i;
    return length;
}

#ifdef HAVE_LIBIBERTY
/** A name that is being demangled. */
struct demangling {
    jmp_buf too_long;
    char *text;
    size_t length;
};

static void
add_demangled(const char *text, size_t length, void *arg)
{
    struct demangling *demangling = arg;
    // A short symbol can stand for a name that no memory holds, and no result ends the library.
    if (length >= DEMANGLED_MAX - demangling->length)
        longjmp(demangling->too_long, 1);
    memcpy(demangling->text + demangling->length, text, length);
    demangling->length += length;
}

/** The name without the types of arguments and results, for free(); NULL: it cannot be read. */
static char *
demangle(const char *symbol)
{
    struct demangling demangling = {.text = alloc_zeroed(DEMANGLED_MAX, 1)};
    if (setjmp(demangling.too_long) == 0 &&
        cplus_demangle_v3_callback(symbol, DMGL_NO_OPTS, add_demangled, &demangling) != 0 &&
        strlen(demangling.text) == demangling.length)
        return demangling.text;
    free(demangling.text);
    return NULL;
}
#else
static char *
demangle(const char *symbol)
{
    (void) symbol;
    return NULL;
}
#endif

static bool
is_word(char c)
{
    return isalnum((unsigned char) c) || c == '_' || c == '$';
}

/** Length of "operator<" and the like at the beginning of a text; 0: it is no operator whose signs
 * look like brackets. */
static size_t
operator_length(const char *text)
{
    static const char word[] = "operator";
    static const char *const signs[] = {"<=>", "<<=", ">>=", "->*", "()", "[]", "<<",
                                        ">>",  "<=",  ">=",  "->",  "<",  ">"};
    if (strncmp(text, word, sizeof word - 1) != 0)
        return 0;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(text + sizeof word - 1, signs[i], strlen(signs[i])) == 0)
            return sizeof word - 1 + strlen(signs[i]);
    return 0;
}

static char
closing(char opening)
{
    static const char pairs[] = "<>()[]{}";
    const char *found = opening != '\0' ? strchr(pairs, opening) : NULL;
    return found != NULL && (found - pairs) % 2 == 0 ? found[1] : '\0';
}

/** The end of the bracket that a text begins with; its last character's when it has no end. */
static const char *
skip_bracket(const char *text)
{
    char awaited[NESTING_MAX];
    size_t depth = 0;
    do {
        size_t skipped = operator_length(text);
        if (skipped == 0 && strncmp(text, "->", 2) == 0)
            skipped = 2;
        if (skipped == 0 && depth > 0 && *text == awaited[depth - 1])
            depth--;
        else if (skipped == 0 && closing(*text) != '\0' && depth < NESTING_MAX)
            awaited[depth++] = closing(*text);
        text += skipped > 0 ? skipped : 1;
    } while (depth > 0 && *text != '\0');
    return text;
}

/** What stands behind the arguments of a function that another name is local to. */
static const char *
skip_qualifiers(const char *text)
{
    static const char *const words[] = {" const", " volatile", " &&", " &"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(text, words[i], strlen(words[i])) == 0)
            return skip_qualifiers(text + strlen(words[i]));
    return text;
}

/** Copies a name without the arguments of functions and templates. */
static void
copy_short(char *ret, const char *text)
{
    static const char anonymous[] = "(anonymous namespace)", dots[] = "<...>",
                      call[] = "}::operator()";
    char *end = ret;
    for (char before = ' '; *text != '\0'; before = end > ret ? end[-1] : ' ') {
        size_t kept = is_word(before) ? 0 : operator_length(text);
        if (kept == 0 && strncmp(text, anonymous, sizeof anonymous - 1) == 0)
            kept = sizeof anonymous - 1;
        if (kept == 0 && *text == '<')
            end = stpcpy(end, dots);
        if (kept == 0 && (*text == '<' || *text == '(' || *text == '[')) {
            text = skip_qualifiers(skip_bracket(text));
            continue;
        }
        kept = kept > 0 ? kept : 1;
        memcpy(end, text, kept);
        end += kept;
        text += kept;
    }
    *end = '\0';
    // A lambda is nothing but what it does when it is called.
    size_t length = (size_t) (end - ret), cut = sizeof call - 1;
    if (length > cut && strcmp(end - cut, call) == 0)
        end[1 - (ptrdiff_t) cut] = '\0';
}

/** "<>" becomes longer by being shortened, once for each of the brackets. */
static char *
shorten(const char *name)
{
    char *text = alloc_zeroed(strlen(name) * 5 + 1, 1);
    copy_short(text, name);
    char *ret = escape_text(text, SHOWN_MAX);
    free(text);
    return ret;
}

/** Where the procedure begins in GNU's name of a Fortran module's; NULL: it is none. */
static const char *
procedure_of_module(const char *symbol)
{
    const char *mark = strncmp(symbol, "__", 2) == 0 ? strstr(symbol + 2, "_MOD_") : NULL;
    return mark != NULL && mark > symbol + 2 && mark[5] != '\0' ? mark + 5 : NULL;
}

bool
names_is_qualified(const char *symbol)
{
    return names_is_mangled(symbol) || procedure_of_module(symbol) != NULL;
}

static char *
readable(const char *symbol)
{
    const char *procedure = procedure_of_module(symbol);
    if (procedure != NULL)
        return alloc_format("%.*s::%s", (int) (procedure - symbol - 7), symbol + 2, procedure);
    return names_is_mangled(symbol) ? demangle(symbol) : NULL;
}

char *
names_readable(const char *symbol)
{
    size_t length = length_without_suffixes(symbol);
    if (length == 0 || length > SYMBOL_MAX)
        return length == 0 ? NULL : escape_text(symbol, SHOWN_MAX);
    char *plain = alloc_format("%.*s", (int) length, symbol), *name = readable(plain);
    char *ret = shorten(name != NULL ? name : plain);
    free(name);
    free(plain);
    return ret;
}

const char names_critical_prefix[] = ".gomp_critical_user_";

char *
names_critical(const char *symbol)
{
    const char *name = symbol + sizeof names_critical_prefix - 1;
    if (strncmp(symbol, names_critical_prefix, sizeof names_critical_prefix - 1) != 0)
        return NULL;
    // clang appends ".var", also to no name at all.
    size_t length = strcspn(name, ".");
    return length == 0 ? alloc_text("critical")
                       : alloc_format("critical (%.*s)", (int) length, name);
}
