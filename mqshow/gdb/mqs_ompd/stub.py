# SPDX-License-Identifier: BSD-3-Clause
"""The debugger's side of gdb's remote serial protocol, as much as mqshow asks."""

from xml.sax.saxutils import quoteattr

_PACKET_MAX = 1 << 16
_FEATURES = ("PacketSize=%x;QStartNoAckMode+;multiprocess+;qXfer:auxv:read+;qXfer:exec-file:read+;"
             "qXfer:threads:read+;qXfer:features:read+" % _PACKET_MAX).encode()


def _escape(data):
    """Binary data as packets have it."""
    if not any(byte in data for byte in b"#$}*"):
        return data
    return b"".join(bytes((0x7d, byte ^ 0x20)) if byte in b"#$}*" else bytes((byte,)) for byte in data)


class Stub:
    """Answers what mqshow asks about one process.
    @param process has pid, program, and the functions read(), auxv(), threads(), registers(), described()
    @param errors the exceptions of the debugger"""

    def __init__(self, process, connection, errors):
        self.process, self.connection, self.errors = process, connection, errors
        self._input, self._acks, self._tid, self._objects = b"", True, None, {}

    def serve(self):
        """Answers what has arrived. @return False when mqshow has closed the connection"""
        try:
            data = self.connection.recv(_PACKET_MAX)
        except OSError:
            return False
        self._input += data
        while self._input:
            start = self._input.find(b"$")
            end = self._input.find(b"#", start)
            if start < 0 or end < 0 or len(self._input) < end + 3:
                break
            packet, self._input = self._input[start + 1:end], self._input[end + 3:]
            self._send(packet)
        return bool(data)

    def _send(self, packet):
        answer = self._answer(packet)
        acknowledged = b"+" if self._acks else b""
        if packet == b"QStartNoAckMode":
            self._acks = False
        packet = b"$%s#%02x" % (answer, sum(answer) & 0xff)
        try:
            self.connection.sendall(acknowledged + packet)
        except OSError:
            pass  # it has gone, which the next recv() tells

    def _answer(self, packet):
        try:
            if packet.startswith(b"m"):
                addr, size = (int(word, 16) for word in packet[1:].split(b","))
                return bytes(self.process.read(addr, min(size, _PACKET_MAX // 2))).hex().encode()
            if packet.startswith(b"Hg"):
                self._tid = int(packet.rsplit(b".", 1)[-1], 16)
                return b"OK"
            if packet == b"g":
                return self.process.registers(self._tid).hex().encode()
            if packet.startswith(b"qXfer:"):
                return self._object(packet)
        except self.errors + (ValueError, KeyError, OverflowError):
            return b"E01"
        if packet.startswith(b"qSupported"):
            return _FEATURES
        if packet.startswith(b"D") or packet == b"QStartNoAckMode":
            return b"OK"
        return b"T05" if packet == b"?" else b""

    def _object(self, packet):
        _, kind, verb, _, place = packet.split(b":")
        offset, size = (int(word, 16) for word in place.split(b","))
        makers = {b"threads": self._threads, b"auxv": self.process.auxv, b"exec-file": self._program,
                  b"features": self._features}
        if kind not in makers or verb != b"read":
            return b""
        if kind not in self._objects:
            self._objects[kind] = makers[kind]()
        whole = self._objects[kind]
        part = whole[offset:offset + size]
        return (b"l" if offset + size >= len(whole) else b"m") + _escape(part)

    def _program(self):
        return (self.process.program or "").encode("utf-8", "surrogateescape")

    def _threads(self):
        rows = ["<thread id=\"p%x.%x\"%s/>" % (
            self.process.pid, tid, " name=" + quoteattr(name) if name and name.isprintable() else "")
                for tid, name in self.process.threads()]
        return ("<?xml version=\"1.0\"?><threads>%s</threads>" % "".join(rows)).encode(
            "utf-8", "replace")

    def _features(self):
        rows = ["<reg name=%s bitsize=\"%d\"/>" % (quoteattr(name), 8 * size)
                for name, size in self.process.described()]
        return ("<?xml version=\"1.0\"?><target><feature name=\"registers\">%s</feature></target>" %
                "".join(rows)).encode()
