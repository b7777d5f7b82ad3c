# SPDX-License-Identifier: BSD-3-Clause
"""The MPI side of a process for people, from its JSON."""

from . import operations, text

# Key of the queue, the word for an operation of unknown kind, the direction of its messages.
_QUEUES = (("receives", "receive", "from"), ("unexpected", "unexpected", "from"),
           ("sends", "send", "to"))


def heading(process):
    """"Open MPI 4.1.4, pml ob1 (layout: built-in 4.1)"; "" when there is nothing to say."""
    info = process.get("mpi")
    if not info:
        return ""
    words = info["implementation"] + (" " + info["version"] if "version" in info else "")
    if process.get("transport"):
        words += ", " + process["transport"]
    return words + (" (layout: %s)" % info["layout"] if "layout" in info else "")


def _gaps(process, comm):
    """"queues not read: pml ucx" of what is not known of a communicator; "" when all is."""
    unread = [noun for _, key, noun in operations.QUEUES if key not in comm]
    partial = [noun for _, key, noun in operations.QUEUES if key in comm.get("incomplete", ())]
    by = process.get("mpi", {}).get("transport")
    not_read = "not read" + (": " + by if by else "")
    return "; ".join(
        "%s %s" % ("queues" if len(nouns) == len(operations.QUEUES) else ", ".join(nouns), what)
        for nouns, what in ((unread, not_read), (partial, "incomplete")) if nouns)


def _comm_heading(comm, pending, gaps):
    words = comm["label"] + "   "
    words += ("rank %d of %d" % (comm["local_rank"], comm["size"]) if "local_rank" in comm else
              text.count(comm["size"], "rank"))
    if comm.get("inter"):
        words += ", intercommunicator"
        if "remote_size" in comm:
            words += " with %s" % text.count(comm["remote_size"], "remote rank")
    if comm.get("freed"):
        words += ", freed"
    quiet = "" if pending else "nothing pending"
    return words + "   " * bool(gaps or quiet) + (gaps or quiet)


def _pending(comm):
    """"2 receives, 1 send" of what there is."""
    return ", ".join(text.count(len(comm[key]), noun) for key, noun in
                     (("receives", "receive"), ("unexpected", "unexpected message"),
                      ("sends", "send")) if comm.get(key))


def _collectives(comm):
    return ["%s in progress" % collective["name"] for collective in comm.get("collectives", ())]


def peer(op, direction):
    if "peer" not in op:
        return direction + " ?"
    words = "%s %s" % (direction, op["peer"])
    if op["peer"] == "any" or "world_peer" not in op:
        return words
    return words + (" (other job)" if op["world_peer"] < 0 else " (world %d)" % op["world_peer"])


def _data(op):
    kind = op.get("datatype")
    if "count" not in op:
        return kind or ""
    return "%d %s" % (op["count"], kind or "(unnamed type)")


def _state(op, key):
    words = [op.get("status", "status ?")] if key != "unexpected" else []
    actual = op.get("actual")
    if actual is not None:
        by = "by %d " % actual["peer"] if "peer" in actual else ""
        said = "%stag %d" % (by, actual["tag"])
        said += ", " + text.size(actual["bytes"]) if "bytes" in actual else ""
        words = [(words[0] + " " if words else "") + said]
    remarks = (("rendezvous", "rendezvous"), ("system_buffer", "buffered by MPI"),
               ("persistent", "persistent"), ("freed", "request freed"), ("blocked", "blocks a thread"))
    words += [word for member, word in remarks if op.get(member)]
    if "kind" not in op:
        words += op.get("text", [])
    return ", ".join(words)


def operation(op, key):
    """The cells of an operation's line."""
    _, noun, direction = next(row for row in _QUEUES if row[0] == key)
    kind = noun if key == "unexpected" else op.get("kind", noun)
    size = text.size(op["bytes"]) if "bytes" in op else ""
    return (kind, peer(op, direction), "tag %s" % op.get("tag", "?"), _data(op), size,
            _state(op, key))


def comms(process):
    rows = []
    for comm in process["communicators"]:
        said = _collectives(comm)
        pending, gaps = _pending(comm), _gaps(process, comm)
        rows.append((_comm_heading(comm, True, ""), ", ".join(
            [pending] * bool(pending) + said + [gaps] * bool(gaps)) or "nothing pending"))
    return text.columns(rows, 2)


def queues(process):
    lines = []
    for comm in process["communicators"]:
        rows = [operation(op, key) for key, _, _ in _QUEUES for op in comm.get(key, ())]
        said = _collectives(comm)
        lines.append("  " + _comm_heading(comm, rows or said, _gaps(process, comm)))
        lines += ["    " + words for words in said]
        lines += text.columns(rows, 4)
    return lines
