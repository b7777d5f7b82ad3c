// SPDX-License-Identifier: BSD-3-Clause
// Includes published.def with those of its macros that the includer has left undefined doing
// nothing.
#ifndef OWNER
#define OWNER(type, size)
#endif
#ifndef FIELD
#define FIELD(type, field, kind)
#endif
#ifndef FLAG
#define FLAG(flag)
#endif
#ifndef SIZE
#define SIZE(name, kind)
#endif
#ifndef WORD
#define WORD(name, kind)
#endif
#include "ompd-bridge/llvm/published.def"
#undef OWNER
#undef FIELD
#undef FLAG
#undef SIZE
#undef WORD
