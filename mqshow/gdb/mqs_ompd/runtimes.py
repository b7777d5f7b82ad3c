# SPDX-License-Identifier: BSD-3-Clause
"""Which frames of a backtrace are of the OpenMP runtime or start threads, and not the user's."""

import re

_OPENMP = re.compile(r"lib(i?omp5?|gomp)[.-]|libomp\b")
_C = re.compile(r"(libc|libm|libpthread|ld-linux[-\w]*|ld)[-.]|linux-vdso")
_STARTERS = ("start_thread", "clone", "clone3", "__clone", "__clone3", "__GI___clone3", "_start",
             "__libc_start_main", "__libc_start_call_main", "__libc_start_main_impl")


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
