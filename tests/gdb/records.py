# SPDX-License-Identifier: BSD-3-Clause
"""Compares the records and constants of mqs_ompd.abi with those that a C program wrote down."""

import os

from mqs_ompd import abi


def value(path):
    table, _, name = path.partition(".")
    if table == "len":
        return len(getattr(abi, name))
    return getattr(abi, table)[name] if name else getattr(abi, table)


def problems(lines):
    for line in lines:
        record, rest = line.split(" ", 1)
        field, size, offset = rest.rsplit(" ", 2)
        if record == "=":
            found, wanted = value(field), int(size)
        elif field == "-":
            found = abi.ctypes.sizeof(getattr(abi, record))
            wanted = int(size)
        else:
            member = getattr(getattr(abi, record), field)
            found, wanted = (member.size, member.offset), (int(size), int(offset))
        if found != wanted:
            yield "%s %s: %s in Python, %s in C" % (record, field, found, wanted)


with open(os.environ["MQS_RECORDS"]) as rows:
    different = list(problems(rows))
print("\n".join(different) or "all records are equal")
