# SPDX-License-Identifier: BSD-3-Clause
"""Prints whether what was seen of the selected inferior still counts."""

import gdb
from mqs_ompd import session

found = session.get(gdb.selected_inferior())
print("known:", bool(found.document) and not found.stale)
