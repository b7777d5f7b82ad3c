# SPDX-License-Identifier: BSD-3-Clause
"""A program in an emulator, whose stub it offers once the program has come to rest.

The stub of qemu 7.2 serves one debugger, from before the program's first instruction on, and stops
the program only for a signal. So it is asked to continue at once, and what connects to the port later
is connected to it then.
"""
import os
import signal
import socket
import subprocess
import threading
import time


def packet(text):
    return b"$%s#%02x" % (text, sum(text) % 256)


def connect(path):
    while True:
        try:
            stub = socket.socket(socket.AF_UNIX)
            stub.connect(path)
            return stub
        except OSError:
            time.sleep(0.05)


def relay(source, to):
    try:
        while data := source.recv(1 << 16):
            to.sendall(data)
    except OSError:
        pass


class Emulated:
    """A program that runs, with MQS_SYSROOT's libraries. @param path of the stub's socket"""

    def __init__(self, path, command, **options):
        self.process = subprocess.Popen(["qemu-aarch64", "-L", os.environ["MQS_SYSROOT"], "-g", path, *command], **options)
        self.stub = connect(path)
        self.stub.sendall(packet(b"c"))

    def stop(self, pid):
        os.kill(pid, signal.SIGINT)
        reply = b""
        while b"#" not in reply:
            reply += self.stub.recv(4096)
        self.stub.sendall(b"+")

    def serve(self, offer):
        """Connects one client with the stub, until it leaves. @param offer is called with the port"""
        with socket.create_server(("localhost", 0)) as door:
            offer(door.getsockname()[1])
            client, _ = door.accept()
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=relay, args=(self.stub, client), daemon=True).start()
        relay(client, self.stub)
