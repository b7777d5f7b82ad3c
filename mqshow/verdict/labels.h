// SPDX-License-Identifier: BSD-3-Clause
// What the communicators of a document are called where people read.
#ifndef MQSHOW_VERDICT_LABELS_H
#define MQSHOW_VERDICT_LABELS_H

struct document;

/** Sets the member "label" of all communicators, by mqs_label_communicators(); an older one is
 * replaced.
 */
void labels_set(struct document *document);

#endif
