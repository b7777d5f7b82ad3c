# SPDX-License-Identifier: BSD-3-Clause
"""The verdict about the whole job: that of "mqshow merge" on the document that gdb makes."""

import json
import os
import shutil
import subprocess

from . import installed
from .text import escape

_SECONDS = 120


def _program():
    """mqshow: what MQSHOW names, the one that was installed with this, else the one in PATH."""
    named = os.environ.get("MQSHOW")
    if named:
        return named
    own = os.path.join(installed.PROGRAM_FOLDER, "mqshow")
    return own if os.access(own, os.X_OK) else shutil.which("mqshow")


def _run(program, options, document):
    return subprocess.run([program, "merge"] + options + ["-"], input=json.dumps(document).encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=_SECONDS)


def judge(document, as_json):
    """The merged document with its verdict, or the text of it.
    @return it and None, or None and why there is none"""
    program = _program()
    if program is None:
        return None, "mqshow is not installed, so nothing is said about who waits for whom"
    try:
        done = _run(program, ["--json"] if as_json else [], document)
    except (OSError, subprocess.SubprocessError) as error:
        return None, "cannot run mqshow for the verdict: %s" % escape(str(error))
    if done.returncode not in (0, 1) or not done.stdout:
        lines = escape(done.stderr.strip().split(b"\n")[0])
        return None, "\"mqshow merge\" gives no verdict: %s" % (lines or "it prints nothing")
    if not as_json:
        return done.stdout.decode("utf-8", "backslashreplace"), None
    try:
        return json.loads(done.stdout.decode("utf-8")), None
    except ValueError as error:
        return None, "\"mqshow merge\" prints no JSON: %s" % error
