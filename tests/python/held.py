# SPDX-License-Identifier: BSD-3-Clause
# The first thread holds Python's GIL in a call to the system, for which two others wait: held.py FILE
import ctypes
import os
import sys
import threading
import time

ctypes.CDLL("libgomp.so.1")  # a runtime that mqshow reads
begun = []


def work():
    begun.append(1)
    while True:
        pass


sys.setswitchinterval(0.002)
threads = [threading.Thread(target=work, daemon=True) for _ in range(2)]
for thread in threads:
    thread.start()
while len(begun) < len(threads):
    time.sleep(0.01)
with open(sys.argv[1] + ".new", "w") as out:
    out.write(" ".join(str(tid) for tid in [threading.get_native_id()] + [thread.native_id for thread in threads]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
ctypes.PyDLL(None).sleep(1000)  # whose calls keep the GIL
