# SPDX-License-Identifier: BSD-3-Clause
"""Asking the library about MPI: its communicators as members of a JSON document."""

import ctypes

from . import abi, operations
from .abi import COMM
from .text import escape

_COMMS_MAX, _GROUP_MAX, _LONG_RUN, _TRAFFIC_MAX, _PEERS_MAX = 100000, 1 << 24, 64, 4096, 64


def _group(look, function, size):
    """Ranks in MPI_COMM_WORLD; None when they are not known."""
    if not look.has(function) or not 0 < size <= _GROUP_MAX:
        return None
    ranks = (ctypes.c_int * (size + abi.SLACK))()
    code = look.call(function, ranks)
    if code != abi.NO_INFORMATION:
        look.failure("group of a communicator", code)
    return list(ranks[:size]) if code == abi.OK else None


def _runs(ranks):
    """Many ranks that rise by one are a text "first-last"."""
    ret, i = [], 0
    while i < len(ranks):
        last = i
        while last + 1 < len(ranks) and 0 <= ranks[i] and ranks[last + 1] == ranks[last] + 1:
            last += 1
        last = last if last - i + 1 >= _LONG_RUN else i
        ret.append(ranks[i] if last == i else "%d-%d" % (ranks[i], ranks[last]))
        i = last + 1
    return ret


def _traffic(look, group):
    """Triples of rank, messages sent and received; None when the library does not count them."""
    triples = []
    for i, rank in enumerate(group):
        sent, received = ctypes.c_int(0), ctypes.c_int(0)
        code = look.call("mqs_get_comm_traffic", i, ctypes.byref(sent), ctypes.byref(received))
        if code != abi.OK:
            return None
        if sent.value or received.value:
            if rank < 0 or len(triples) >= _TRAFFIC_MAX:
                return None
            triples.append([rank, sent.value, received.value])
    return triples


def _set_members(look, ret):
    group = _group(look, "mqs_get_comm_group", ret["size"])
    remote = None
    if ret.get("inter"):
        remote = _group(look, "mqs_get_comm_remote_group", ret.get("remote_size", 0))
    for key, ranks in (("group", group), ("remote_group", remote)):
        if ranks is not None:
            ret[key] = _runs(ranks)
    partners = remote if ret.get("inter") else group
    if partners is not None and look.has("mqs_get_comm_traffic"):
        traffic = _traffic(look, partners)
        if traffic is not None:
            ret["traffic"] = traffic


def _collectives(look):
    found = []
    for i, name in enumerate(abi.COLLECTIVES if look.has("mqs_get_comm_coll_state") else ()):
        count, active = ctypes.c_int(0), ctypes.c_int(0)
        code = look.call("mqs_get_comm_coll_state", i, ctypes.byref(count), ctypes.byref(active))
        if code == abi.OK and active.value:
            found.append({"name": name, "active": True})
            peers = _coll_peers(look, i)
            if peers:
                found[-1]["peers"] = peers
    return found


def _coll_peers(look, kind):
    """Whom the process waits for in a collective; none, unless all are known."""
    peers, peer = [], ctypes.c_int(0)
    while look.has("mqs_get_comm_coll_peer") and len(peers) < _PEERS_MAX:
        code = look.call("mqs_get_comm_coll_peer", kind, len(peers), ctypes.byref(peer))
        if code != abi.OK:
            return peers if code == abi.END_OF_LIST else []
        peers.append(peer.value)
    return []


def _signed(number):
    """As JSON's integers hold it."""
    return ctypes.c_int64(number).value


def _communicator(look, seen):
    ret = {"name": escape(seen.name), "id": _signed(seen.unique_id), "size": seen.size}
    if operations.narrow(seen.local_rank) >= 0:
        ret["local_rank"] = operations.narrow(seen.local_rank)
    details = look.record("mqs_get_communicator_details", abi.CommunicatorDetails)
    known = details.known if details is not None else 0
    for flag, member in (("INTER", "inter"), ("FREED", "freed")):
        if known & COMM[flag]:
            ret[member] = getattr(details, member) != 0
    if known & COMM["REMOTE_SIZE"] and ret.get("inter"):
        ret["remote_size"] = details.remote_size
    if known & COMM["ADDRESS"]:
        ret["address"] = "0x%x" % details.address
    _set_members(look, ret)
    collectives = _collectives(look)
    incomplete = []
    for op_class, key, noun in operations.QUEUES:
        queue, whole = operations.queue(look, op_class, noun, ret["name"])
        if queue is not None:
            ret[key] = queue
            incomplete += [] if whole else [key]
    if incomplete:
        ret["incomplete"] = incomplete
    if collectives:
        ret["collectives"] = collectives
    return ret


def communicators(look):
    look.failure("list of communicators", look.call("mqs_update_communicator_list"))
    code = look.call("mqs_setup_communicator_iterator")
    look.failure("communicators", code)
    comms = []
    while code == abi.OK and len(comms) < _COMMS_MAX:
        seen = abi.room(abi.Communicator)
        code = look.call("mqs_get_communicator", ctypes.byref(seen))
        look.failure("communicator", code)
        if code == abi.OK:
            comms.append(_communicator(look, seen))
            code = look.call("mqs_next_communicator")
            look.failure("next communicator", code)
    if len(comms) >= _COMMS_MAX:
        look.message("more communicators than can be true")
    return comms


def info(look):
    """The member "mpi"; None when the library does not say. Also what does the matching."""
    record = look.record("mqs_get_mpi_info", abi.MpiInfo)
    if record is None or not record.implementation:
        return None, None
    texts = {name: escape(getattr(record, name)) for name in
             ("implementation", "version", "layout", "transport") if getattr(record, name)}
    phase, progress = ctypes.c_int(), ctypes.c_uint64()
    phases = {number: name for name, number in abi.PHASES.items()}
    if look.has("mqs_get_mpi_phase") and look.call("mqs_get_mpi_phase", ctypes.byref(phase)) == abi.OK \
            and phase.value in phases:
        texts["phase"] = phases[phase.value]
    if look.has("mqs_get_mpi_progress") and \
            look.call("mqs_get_mpi_progress", ctypes.byref(progress)) == abi.OK:
        texts["progress"] = "0x%x" % progress.value
    return texts, escape(record.transport) or None
