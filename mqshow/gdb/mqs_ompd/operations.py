# SPDX-License-Identifier: BSD-3-Clause
"""Asking the library about the operations in a queue, as members of a JSON document."""

import ctypes

from . import abi
from .abi import OP
from .text import escape

_LIMIT = 1000000
QUEUES = ((abi.RECEIVES, "receives", "receives"),
          (abi.UNEXPECTED, "unexpected", "unexpected messages"), (abi.SENDS, "sends", "sends"))
# Without details, all members of the interface itself count as known.
_MQD_MEMBERS = OP["PEER"] | OP["TAG"] | OP["LENGTH"] | OP["BUFFER"] | OP["ACTUAL"]


def narrow(value):
    """A rank or tag is an int in MPI: some libraries forget to extend the sign of -1."""
    return ctypes.c_int32(value).value


class _Shown:
    """What can be told of an operation: which members of its record hold."""

    def __init__(self, op, known, op_class):
        desired = (narrow(op.desired_local_rank), narrow(op.desired_global_rank),
                   narrow(op.desired_tag), op.desired_length)
        self.actual = (narrow(op.actual_local_rank), narrow(op.actual_global_rank),
                       narrow(op.actual_tag), op.actual_length)
        differs = (desired[0], desired[2:]) != (self.actual[0], self.actual[2:])
        receive = op_class == abi.RECEIVES
        has_actual = bool(known & OP["ACTUAL"]) and (op.status in (1, 2) or op_class == abi.SENDS)
        # Both envelopes of an unexpected message are filled in, or only the actual one.
        only_actual = op_class == abi.UNEXPECTED and desired[0] < 0
        self.peer, self.world_peer, self.tag, self.bytes = (
            self.actual if only_actual and has_actual else desired)
        self.has_peer = bool(known & OP["PEER"]) and (receive or self.peer >= 0)
        self.any_peer = self.has_peer and self.peer < 0
        self.has_world_peer = self.has_peer and (
            self.any_peer or self.world_peer >= 0 or bool(known & OP["WORLD"]))
        self.has_tag = bool(known & OP["TAG"])
        self.any_tag = self.has_tag and op.tag_wild != 0
        self.has_bytes = bool(known & OP["LENGTH"]) and self.bytes >= 0
        self.has_actual = has_actual and (receive or differs) and not only_actual


def _actual(shown, known):
    peer, world_peer, tag, size = shown.actual
    has_world_peer = bool(known & OP["WORLD"]) or world_peer >= 0
    ret = {"peer": peer} if peer >= 0 else {}
    if peer >= 0 and has_world_peer:
        ret["world_peer"] = world_peer
    ret["tag"] = tag
    if size >= 0:
        ret["bytes"] = size
    return ret


def _lines(op):
    lines = []
    for i in range(len(op.extra_text)):
        if not op.extra_text[i].value:
            break
        lines.append(escape(op.extra_text[i].value))
    return lines


def _set_envelope(ret, shown):
    if shown.has_peer:
        ret["peer"] = "any" if shown.any_peer else shown.peer
    if shown.has_world_peer:
        ret["world_peer"] = "any" if shown.any_peer else shown.world_peer
    if shown.has_tag:
        ret["tag"] = "any" if shown.any_tag else shown.tag
    if shown.has_bytes:
        ret["bytes"] = shown.bytes


def _set_details(ret, details, known):
    if known & OP["KIND"] and 0 <= details.kind < len(abi.KINDS):
        ret["kind"] = abi.KINDS[details.kind]
    for flag, member in (("PERSISTENT", "persistent"), ("RENDEZVOUS", "rendezvous"),
                         ("FREED", "freed")):
        if known & OP[flag]:
            ret[member] = getattr(details, member) != 0
    # That a thread waits is certain when it is seen; that none does is not.
    if known & OP["BLOCKED"] and details.blocked:
        ret["blocked"] = True
    if known & OP["REQUEST"]:
        ret["request"] = "0x%x" % details.request


def _operation(op, details, op_class):
    known = _MQD_MEMBERS if details is None else details.known
    shown = _Shown(op, known, op_class)
    ret = {}
    if 0 <= op.status < len(abi.STATUSES):
        ret["status"] = abi.STATUSES[op.status]
    _set_envelope(ret, shown)
    if known & OP["COUNT"]:
        ret["count"] = details.count
    if known & OP["DATATYPE"] and details.datatype:
        ret["datatype"] = escape(details.datatype)
    if known & OP["BUFFER"]:
        ret["buffer"] = "0x%x" % op.buffer
        ret["system_buffer"] = op.system_buffer != 0
    if details is not None:
        _set_details(ret, details, known)
    if shown.has_actual:
        ret["actual"] = _actual(shown, known)
    lines = _lines(op)
    if lines:
        ret["text"] = lines
    return ret


def queue(look, op_class, noun, name):
    """One queue of the current communicator, None when the library cannot show it; and whether it is
    known that there are no other operations."""
    code = look.call("mqs_setup_operation_iterator", op_class)
    if code == abi.NO_INFORMATION:
        return None, False
    found = [] if code in (abi.OK, abi.END_OF_LIST) else None
    while code == abi.OK:
        op = abi.room(abi.PendingOperation)
        code = look.call("mqs_next_operation", ctypes.byref(op))
        if code != abi.OK:
            break
        if len(found) >= _LIMIT:
            look.message("communicator %s: more than %d %s" % (name, _LIMIT, noun))
            return found, False
        details = look.record("mqs_get_operation_details", abi.OperationDetails)
        found.append(_operation(op, details, op_class))
    if code != abi.NO_INFORMATION:
        look.failure(noun, code)
    return found, code in (abi.OK, abi.END_OF_LIST)
