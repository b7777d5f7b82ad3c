# SPDX-License-Identifier: BSD-3-Clause
"""Which frames of a backtrace are of the OpenMP runtime or start threads, and not the user's."""

import re

_OPENMP = re.compile(r"lib(i?omp5?|gomp)[.-]|libomp\b")
_C = re.compile(r"(libc|libm|libpthread|ld-linux[-\w]*|ld)[-.]|linux-vdso")
_STARTERS = ("start_thread", "clone", "clone3", "__clone", "__clone3", "__GI___clone3", "_start",
             "__libc_start_main", "__libc_start_call_main", "__libc_start_main_impl")


def is_users(frame, module_of, name_of):
    """Whether a frame is neither of the runtime nor of the C library nor of the start of threads."""
    module, name = module_of(frame), name_of(frame)
    return not (_OPENMP.match(module) or _C.match(module) or (name in _STARTERS and (module or name == "_start")))


def outermost(frames, module_of, name_of):
    """Name of the function in which a thread of the OpenMP runtime began the user's code; None."""
    names = [name_of(frame) for frame in frames if is_users(frame, module_of, name_of)]
    return names[-1] if names else None


def behind_fork(frames, module_of, name_of, function, level):
    """Of the frames of the thread that has begun a region those of the code that began it, outwards.
    @param function in which the region's other threads began; None: not known
    @param level of the region"""
    frames = list(frames)
    names = [name_of(frame) for frame in frames]
    if function in names:
        return frames[names.index(function) + 1:]
    runtime = [i for i, frame in enumerate(frames) if _OPENMP.match(module_of(frame))]
    # At the end of the region, or in a task of it: the outermost region is begun by the last call.
    return frames[runtime[-1] + 1:] if runtime and level == 1 else []


def without_runtime(frames, module_of, name_of):
    """The frames but for those of the runtime, of what it has called of the C library, and of the
    start of threads.
    @param module_of base name of the shared object that a frame is in; "" in the program itself"""
    held = []  # frames of the C library, which a runtime may have called
    for frame in frames:
        module = module_of(frame)
        if _OPENMP.match(module):
            held = []
        elif name_of(frame) in _STARTERS and (module or name_of(frame) == "_start"):
            continue
        elif _C.match(module):
            held.append(frame)
        else:
            yield from held
            held = []
            yield frame
    yield from held
