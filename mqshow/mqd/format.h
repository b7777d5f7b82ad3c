// SPDX-License-Identifier: BSD-3-Clause
// A message of an MQD library: a format that may hold one %s (MQD 5.8.2).
#ifndef MQSHOW_MQD_FORMAT_H
#define MQSHOW_MQD_FORMAT_H

#include <stddef.h>

/** Fills a format in safely and escapes the result, to free(). A text with anything but one %s and
 * "%%" is no such format and is shown as it is.
 * @param max bytes of the format that are read
 */
char *format_message(const char *format, const char *name, size_t max);

#endif
