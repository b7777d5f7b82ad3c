// SPDX-License-Identifier: BSD-3-Clause
// Giving up what reading does not need.
//
// What reads a damaged or hostile process may be taken over by it. It then can do no more than
// read, as the same user: no network, no files written, no programs started, nothing changed in
// other processes. A call that is not allowed fails with EPERM.
#ifndef TOOLS_CONFINE_H
#define TOOLS_CONFINE_H

#include <stdbool.h>

/** Confines this process, for good.
 * @param writes   it writes a file all the same (--record)
 * @param connects it downloads debug information, which is written, too
 * @return false: this system or build cannot
 */
bool confine(bool writes, bool connects);

#endif
