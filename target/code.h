// SPDX-License-Identifier: BSD-3-Clause
// What the machine code of a function refers to, where a stripped library names its functions but
// not its variables.
#ifndef TARGET_CODE_H
#define TARGET_CODE_H

#include "target/inferior.h"
#include "target/machine/machine.h"

enum { CODE_BYTES = 4096, CODE_REFERENCES = 256, CODE_CALLS = 64 };

/** A place in the program's own data that an instruction names relative to itself. */
struct code_reference {
    taddr addr;
    bool loads; // the instruction accesses what is there; else it takes the address
};

struct code_references {
    struct code_reference at[CODE_REFERENCES]; // in the order of the code, each once
    unsigned count;
};

/** Reads code of a length that is not known, from its beginning.
 * @param size bytes to read; set to the bytes that were read, fewer where the code ends early
 */
CHECKED enum status code_read(struct inferior *inf, taddr addr, size_t *size, uint8_t *ret);

/** Which machine's code it is, as it looks: aarch64 has instructions that end functions at
 * multiples of four bytes, which x86-64 has hardly.
 */
const struct machine *code_machine(const uint8_t *code, size_t size, taddr addr);

/** Finds a function. @param function its name, a string literal
 * @return STATUS_ABSENT when there is none, STATUS_UNSUPPORTED for other machines than x86-64 and
 * aarch64
 */
CHECKED enum status code_function(struct inferior *inf, const char *function, taddr *ret);

/** Collects what the code at a function's address refers to: x86-64 and aarch64, as the code looks.
 *
 * The end of the function is not known, and data may look like code: an address that is in here is
 * a candidate, to be used only after what is there has been checked.
 * @param function its name, a string literal
 * @param size     bytes of code to look at, at most CODE_BYTES; less where less can be read
 * @return STATUS_ABSENT when there is no such function, STATUS_UNSUPPORTED for other machines
 */
CHECKED enum status code_references(struct inferior *inf, const char *function, size_t size,
                                    struct code_references *ret);

/** code_references() of the code at an address. */
CHECKED enum status
code_references_at(struct inferior *inf, taddr addr, size_t size, struct code_references *ret);

/** Functions that code calls by naming their address. */
struct code_calls {
    taddr at[CODE_CALLS]; // in the order of the code, each once
    unsigned count;
};

/** Collects what a function calls; otherwise as code_references(). */
CHECKED enum status
code_calls(struct inferior *inf, const char *function, size_t size, struct code_calls *ret);

/** code_calls() of the code at an address. */
CHECKED enum status
code_calls_at(struct inferior *inf, taddr addr, size_t size, struct code_calls *ret);

/** Reads the first text for which `is` holds, of those that a function's code refers to, or that of
 * a function that it calls.
 * @param ret_addr where the text is
 * @return STATUS_ABSENT when there is none
 */
CHECKED enum status
code_text(struct inferior *inf, const char *function, bool (*is)(const char *text), char *ret,
          size_t ret_size, taddr *ret_addr);

/** Finds the int that a function gives to its caller: where it, or a function that it calls, has
 * the four bytes that it stores where its first argument points to.
 * @param function its name, a string literal
 * @return STATUS_ABSENT when there is none; otherwise as code_references()
 */
CHECKED enum status code_given_int(struct inferior *inf, const char *function, taddr *ret);

/** Whether a text begins with a version: "5.0.2". */
bool code_is_version(const char *text);

#endif
