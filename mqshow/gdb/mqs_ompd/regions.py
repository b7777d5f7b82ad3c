# SPDX-License-Identifier: BSD-3-Clause
"""What stacks tell of the parallel regions that threads work in. The rules are those of
mqshow/waits/regions.c, but for the arguments of calls."""

import gdb

from . import callsite, frames, names, openmp, places, symbols
from .abi import OMP


class _Stack:
    """The frames of a thread, innermost first, but for those of inlined functions."""

    def __init__(self, thread):
        seen = [frame for frame in places.frames(thread) if frame.type() != gdb.INLINE_FRAME]
        self.pcs = [(frame.pc(), frame.pc() - (frame.level() != 0)) for frame in seen]
        self.modules = [frames.module(frame) for frame in seen]
        self.is_complete = bool(seen) and seen[-1].unwind_stop_reason() in (
            gdb.FRAME_UNWIND_NO_REASON, gdb.FRAME_UNWIND_OUTERMOST)

    def is_openmp(self, number):
        return frames.is_openmp_module(self.modules[number])

    def is_users(self, number):
        return frames.is_users_module(self.modules[number])

    def taken_out(self, number):
        """Where the function of a frame begins, if a compiler took it out; None."""
        if not self.is_users(number):
            return None
        name, offset = symbols.symbol_at(self.pcs[number][1])
        return self.pcs[number][1] - offset if name and names.mark_in(name) >= 0 else None

    def of_helper(self):
        """The function that the thread was called for; None: it does not execute it."""
        runtimes = 0
        for number in reversed(range(len(self.pcs))) if self.is_complete else ():
            if runtimes == 0 and frames.is_c_module(self.modules[number]):
                continue
            if not self.is_openmp(number):
                return self.taken_out(number) if runtimes == 1 else None
            runtimes += 1
        return None

    def _begins_region(self, number):
        if not self.is_users(number) or not self.is_openmp(number - 1):
            return False
        target = callsite.target(self.pcs[number][0])
        name = symbols.symbol_at(target)[0] if target is not None else None
        return bool(name) and name.startswith("GOMP_parallel")

    def of_primary(self, within):
        """The function of the region within which the thread has begun some more; None."""
        begun = [number for number in range(1, len(self.pcs)) if self._begins_region(number)]
        if within is None or within >= len(begun) or begun[within] < 2:
            return None
        return self.taken_out(begun[within] - 2)


def _count_within(seen, region, thread):
    """How many regions that a thread has begun are within this one, which it has begun, too."""
    at = seen.region.get(thread.region) if thread.known & OMP["REGION"] else None
    for count in range(len(seen.regions)):
        if at is None or not at.known & OMP["PRIMARY"] or at.primary != thread.number:
            return None
        if at.number == region.number:
            return count
        at = seen.region.get(at.parent) if at.known & OMP["PARENT"] else None
    return None


def _function(seen, region, stack_of):
    helpers = [stack_of(thread) for thread, num in openmp.members(seen, region) if num]
    found = [stack.of_helper() for stack in helpers if stack is not None]
    found = [function for function in found if function is not None]
    if found:
        return found[0]
    primary = seen.thread.get(region.primary) if region.known & OMP["PRIMARY"] else None
    stack = stack_of(primary) if primary is not None else None
    return stack.of_primary(_count_within(seen, region, primary)) if stack is not None else None


def find_functions(seen, inferior):
    """Finds the functions of regions whose runtime does not remember them. What no stack tells for
    certain stays unknown."""
    by_tid = {thread.ptid[1]: thread for thread in inferior.threads()}
    stacks = {}

    def stack_of(thread):
        if not thread.known & OMP["TID"] or thread.tid not in by_tid:
            return None
        if thread.tid not in stacks:
            stacks[thread.tid] = _Stack(by_tid[thread.tid])
        return stacks[thread.tid]

    for region in seen.regions or ():
        if region.known & OMP["FUNCTION"] or openmp.is_outermost(region):
            continue
        function = _function(seen, region, stack_of)
        if function is not None:
            region.function, region.known = function, region.known | OMP["FUNCTION"]
