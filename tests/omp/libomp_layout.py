# SPDX-License-Identifier: BSD-3-Clause
# Prints a block of ompd-bridge/llvm/builtin.def out of a build of LLVM's OpenMP runtime with debug
# information:
#
#   gdb -batch -ex 'python published = "ompd-bridge/llvm/published.def"; release = "11"' \
#       -x tests/omp/libomp_layout.py libomp.so.5
import re

import gdb


def number_of(expression):
    return int(gdb.parse_and_eval(expression))


def line_of_field(type_name, field):
    for kind in ("", "struct ", "union "):
        member = f"(({kind}{type_name} *) 0)->{field}"
        try:
            return f"{number_of(f'(unsigned long) &{member}')}, {number_of(f'sizeof({member})')}"
        except gdb.error:
            pass
    raise gdb.GdbError(f"there is no {type_name}.{field}")


def mask_of(flag):
    fields = gdb.lookup_type("kmp_tasking_flags_t").strip_typedefs().fields()
    return hex(1 << next(field.bitpos for field in fields if field.name == flag))


def print_line(kind, names):
    if kind == "FIELD":
        print(f"FIELD ({names[0]}, {names[1]}, {line_of_field(names[0], names[1])})")
    elif kind == "FLAG":
        print(f"FLAG ({names[0]}, {mask_of(names[0])})")
    else:
        try:
            print(f"SIZE ({names[0]}, {number_of(f'sizeof({names[0]})')})")
        except gdb.error:
            pass  # the release has no such variable


def print_block(path, name):
    print(f'RELEASE ("{name}")')
    with open(path, encoding="utf-8") as file:
        for kind, names in re.findall(r"^(FIELD|FLAG|SIZE) \((.*)\)$", file.read(), re.M):
            print_line(kind, [name.strip() for name in names.split(",")])
    print("END ()")


print_block(published, release)  # noqa: F821: set on the command line
