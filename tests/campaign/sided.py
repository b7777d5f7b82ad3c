# SPDX-License-Identifier: BSD-3-Clause
"""Epochs and locks of windows, in the model. Ranks are those of MPI_COMM_WORLD.

state.sided: ("exposed", window, rank) and ("accesses", window, rank): the ranks of an epoch that is
open; ("posted", window, of, to) and ("completed", window, of, to): how often that has not been used up;
("locked", window, rank): who has it, and whether exclusively.
"""
from rules import Undetermined


def members(model, rank, window):
    return model.program.group(model.program.windows[window][0], rank)


def add(state, key, number):
    state.sided[key] = state.sided.get(key, 0) + number


def begin(model, state, rank, name, a):
    """Does what the statement does at once; true: it may have to wait."""
    window, group = a[0], members(model, rank, a[0])
    if name in ("win_post", "win_start"):
        kind, others = ("exposed" if name == "win_post" else "accesses"), tuple(group[i] for i in a[2:2 + a[1]])
        if state.sided.get((kind, window, rank)):
            raise Undetermined("an epoch in an epoch")
        state.sided[kind, window, rank] = others
        for other in others if name == "win_post" else ():
            add(state, ("posted", window, rank, other), 1)
    elif name == "win_unlock":
        key = ("locked", window, group[a[1]])
        state.sided[key] = tuple(held for held in state.sided.get(key, ()) if held[0] != rank)
    return name not in ("win_post", "win_unlock")


def missing(model, state, rank, name, a):
    """The ranks that a statement waits for."""
    window, table = a[0], state.sided
    if name == "win_lock":
        held = table.get(("locked", window, members(model, rank, window)[a[1]]), ())
        return frozenset(of for of, exclusive in held if exclusive or a[2])
    kind, epoch = ("completed", "exposed") if name == "win_wait" else ("posted", "accesses")
    if not table.get((epoch, window, rank)):
        raise Undetermined("no epoch")
    return frozenset(of for of in table[epoch, window, rank] if not table.get((kind, window, of, rank)))


def may_leave(model, state, rank, name, a):
    """None: not yet; else how it leaves, and whether it is sure to."""
    absent = missing(model, state, rank, name, a)
    if name == "win_start":  # where nobody has posted, some return, and wait when they complete
        return [frozenset()], not absent
    return None if absent else ([frozenset()], True)


def leave(model, state, rank, name, a):
    window = a[0]
    if name == "win_lock":
        key = ("locked", window, members(model, rank, window)[a[1]])
        state.sided[key] = tuple(sorted(state.sided.get(key, ()) + ((rank, bool(a[2])),)))
    elif name in ("win_complete", "win_wait"):
        epoch = ("accesses" if name == "win_complete" else "exposed", window, rank)
        for other in state.sided[epoch]:
            if name == "win_complete":
                add(state, ("posted", window, other, rank), -1)
                add(state, ("completed", window, rank, other), 1)
            else:
                add(state, ("completed", window, other, rank), -1)
        state.sided[epoch] = ()


def target(model, rank, a):
    """Whose memory a lock is of."""
    return members(model, rank, a[0])[a[1]]
