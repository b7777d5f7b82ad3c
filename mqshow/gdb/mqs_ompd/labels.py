# SPDX-License-Identifier: BSD-3-Clause
"""What communicators are called where people read: the library decides."""

import ctypes

from . import abi


def _run(entry):
    """First and last rank of an entry of a group: a number, or a text "first-last"."""
    if isinstance(entry, str):
        return tuple(int(rank) for rank in entry.split("-"))
    return entry, entry


def _ranks(group):
    runs = []
    for first, last in sorted(_run(entry) for entry in group or ()):
        if runs and (first == runs[-1][0] or first <= runs[-1][1] + 1 and runs[-1][0] >= 0):
            runs[-1][1] = max(last, runs[-1][1])
        else:
            runs.append([first, last])
    array = (abi.RankRun * len(runs))(*(tuple(run) for run in runs))
    return abi.Ranks(array, len(runs))


def _ask(library, comms):
    records = (abi.LabelledCommunicator * len(comms))()
    for record, comm in zip(records, comms):
        record.name, record.id = comm["name"].encode("utf-8", "backslashreplace"), comm["id"]
        record.inter = comm.get("inter", False)
        record.ranks, record.remote_ranks = _ranks(comm.get("group")), _ranks(comm.get("remote_group"))
    library.call("mqs_label_communicators", records, (ctypes.c_uint32 * len(comms))(), len(comms))
    return [record.label.decode("utf-8", "backslashreplace") for record in records]


def add(library, processes):
    """Sets the member "label" of all communicators."""
    comms = [comm for process in processes for comm in process["communicators"]]
    labels = [comm["name"] or "comm %d" % comm["id"] for comm in comms]
    if library is not None and library.has("mqs_label_communicators"):
        labels = _ask(library, comms)
    for comm, label in zip(comms, labels):
        comm["label"] = label
