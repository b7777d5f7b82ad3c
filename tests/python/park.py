# SPDX-License-Identifier: BSD-3-Clause
# Parks threads in known places, and writes what faulthandler prints of them, and what the last
# exception was that nothing caught: park.py FILE. The main thread, which is the first in the file,
# keeps the GIL then.
import ctypes
import faulthandler
import functools
import os
import sys
import threading
import time
import traceback

ctypes.CDLL("libgomp.so.1")  # a runtime that mqshow reads
library = ctypes.PyDLL(None)  # whose calls keep the GIL
parked = []


def park():
    parked.append(1)
    while True:
        time.sleep(1000)


def recurse(n):
    if n == 0:
        park()
    recurse(
        n - 1
    )


def generate():
    yield 1
    yield (lambda: park())()


def through_generator():
    for _ in generate():
        pass


def comprehend():
    return [park() if n == 2 else n for n in range(5)]


def key(value):
    if value == 3:
        comprehend()
    return value


def through_sort():
    sorted([1, 2, 3], key=key)


def decorate(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


class Löser:
    @decorate
    def schritt(self):
        functools.reduce(lambda a, b: through_generator(), [1, 2])

    @staticmethod
    def 解():
        Löser().schritt()

    def __getattr__(self, name):
        park()


def through_attribute():
    return max([Löser()], key=lambda one: one.missing)


def compiled():
    code = compile("\n\n\ndef inner(f):\n    f()\ninner(through_sort)\n", "/tmp/größe\u4e00.py", "exec")
    exec(code, globals())


bodies = [park, lambda: recurse(20), through_generator, through_sort, Löser.解, through_attribute, compiled]
threads = [threading.Thread(target=body, daemon=True) for body in bodies]
for thread in threads:
    thread.start()
while len(parked) < len(bodies):
    time.sleep(0.01)
time.sleep(0.3)


def fail(depth):
    if depth > 0:
        fail(
            depth - 1
        )
    raise KeyError(Löser)


ctypes.pythonapi.PyRun_SimpleString(b"fail(3)")  # which prints it


def finish(path):
    with open(path + ".new", "w") as out:
        tids = [threading.get_native_id()] + [thread.native_id for thread in threads]
        idents = [threading.get_ident()] + [thread.ident for thread in threads]
        for ident, tid in zip(idents, tids):
            out.write("tid %d is 0x%016x\n" % (tid, ident))
        out.write("exception %s\n" % sys.last_type.__name__)
        for frame in traceback.extract_tb(sys.last_traceback):
            out.write("raised %s %d %s\n" % (frame.filename, frame.lineno, frame.name))
        out.flush()
        faulthandler.dump_traceback(out, all_threads=True); os.rename(path + ".new", path); library.sleep(1000)


finish(sys.argv[1])
