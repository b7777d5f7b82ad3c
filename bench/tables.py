# SPDX-License-Identifier: BSD-3-Clause
"""The tables of doc/costs.md that measurements write: each stands between two markers, the first of which names it and
the commit that it is of."""
import os
import re
import shutil
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(SOURCE, "doc", "costs.md")
MEASURED = ("target", "mqs", "mpi-impl-adapters", "ompd-bridge", "mqshow")
BLOCK = r"(<!-- bench/{name} of )(\w+)( -->\n).*?(<!-- end -->)"


def git(*words):
    """What git says of this checkout; None: it fails."""
    if shutil.which("git") is None:
        return None
    done = subprocess.run(("git", "-C", SOURCE) + words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def commit():
    """The last commit of what is measured; what is not committed yet has none."""
    if git("status", "--porcelain", "--untracked-files=no", "--", *MEASURED) != "":
        return "unknown"
    return git("log", "-1", "--format=%h", "--", *MEASURED) or "unknown"


def put(name, table, write):
    """Prints a table, or puts it in its place in doc/costs.md."""
    if not write:
        print(table)
        return
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    new, count = re.subn(BLOCK.format(name=name), lambda found: f"{found[1]}{commit()}{found[3]}{table}\n{found[4]}", text,
                         flags=re.S)
    if count != 1:
        sys.exit(f"{PAGE} has {count} places for the table of bench/{name}")
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(new)


def blocks():
    """Names and commits of the tables."""
    with open(PAGE, encoding="utf-8") as file:
        return [(name, of) for name, of in re.findall(r"<!-- bench/(\w+) of (\w+) -->", file.read())]
