# SPDX-License-Identifier: BSD-3-Clause
"""Memory of a process or of a core, and where its libraries' symbols are."""
import os
import re
import struct
import subprocess

LARGEST = 1 << 28  # bytes of a mapping that are looked through


class Memory:
    """Private, writable memory: what is shared or belongs to a device is left out."""

    def __init__(self, regions, read):
        self.regions, self.read_at = regions, read
        self.cache = {}

    def region(self, start):
        """Bytes of a region; none where they cannot be read."""
        if start not in self.cache:
            try:
                self.cache[start] = self.read_at(start, self.regions[start])
            except OSError:
                self.cache[start] = b""
        return self.cache[start]

    def read(self, address, size):
        """Bytes from an address, fewer at the end of a region."""
        for start, length in self.regions.items():
            if start <= address < start + length:
                return self.region(start)[address - start:address - start + size]
        return b""

    def search(self, wanted):
        """Addresses of bytes, at multiples of 4."""
        found = []
        for start in self.regions:
            data = self.region(start)
            at = data.find(wanted)
            while at >= 0:
                if at % 4 == 0:
                    found.append(start + at)
                at = data.find(wanted, at + 1)
        return found


class Process:
    """A process that runs, or waits to be looked at."""

    def __init__(self, pid):
        self.bases = {}
        regions, file = {}, open(f"/proc/{pid}/mem", "rb", buffering=0)
        with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
            for line in maps:
                found = re.match(r"(\w+)-(\w+) (\S+) (\w+) \S+ \d+ *(.*)", line)
                start, end = int(found[1], 16), int(found[2], 16)
                if found[5].startswith("/") and int(found[4], 16) == 0:
                    self.bases.setdefault(f"/proc/{pid}/root{found[5]}", start)
                if found[3].startswith("rw-p") and end - start <= LARGEST and found[5] != "[stack]":
                    regions[start] = end - start

        def read(start, size):
            file.seek(start)
            return file.read(size)
        self.memory = Memory(regions, read)


class Core:
    """A core file of a 64-bit machine."""

    def __init__(self, path):
        self.bases = {}
        with open(path, "rb") as file:
            head = file.read(64)
            if head[:6] != b"\x7fELF\x02\x01":
                raise OSError(f"{path} is no core of a 64-bit little-endian machine")
            table, entry, count = struct.unpack_from("<Q", head, 32)[0], *struct.unpack_from(
                "<HH", head, 54)
            file.seek(table)
            rows = [struct.unpack_from("<IIQQQQ", file.read(entry)) for _ in range(count)]
        loads = {row[3]: row for row in rows if row[0] == 1 and row[1] & 2 and 0 < row[5] <= LARGEST}
        handle = open(path, "rb")

        def read(start, size):
            handle.seek(loads[start][2])
            return handle.read(size)
        self.memory = Memory({start: row[5] for start, row in loads.items()}, read)


def symbols(target, names):
    """Addresses of variables by the symbol tables of the files, as far as these have them."""
    found = {}
    for path, base in target.bases.items():
        if not re.search(r"\.so(\.|$)", path) or not os.path.exists(path):
            continue
        listing = subprocess.run(["nm", path], capture_output=True, text=True, check=False).stdout
        for value, name in re.findall(r"^(\w+) [BbDdRr] (\S+)$", listing, re.M):
            if name in names:
                found.setdefault(name, base + int(value, 16))
    return found
