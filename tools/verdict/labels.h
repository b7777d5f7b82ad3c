// SPDX-License-Identifier: BSD-3-Clause
// What the communicators of a document are called where people read.
#ifndef TOOLS_VERDICT_LABELS_H
#define TOOLS_VERDICT_LABELS_H

#include <jansson.h>

/** Sets the member "label" of all communicators, by mqs_label_communicators(); an older one is
 * replaced.
 */
void labels_set(json_t *document);

#endif
