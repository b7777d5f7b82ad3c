# SPDX-License-Identifier: BSD-3-Clause
"""Texts: made harmless, put into words, into columns and onto the screen."""

import gdb

# Code points that must not reach a terminal: control characters, marks and overrides of the
# direction of writing, surrogates, what is no character.
_HARMFUL = ((0x00, 0x1f), (0x7f, 0x9f), (0x61c, 0x61c), (0x200e, 0x200f), (0x2028, 0x202e),
            (0x2066, 0x2069), (0xd800, 0xdfff), (0xfdd0, 0xfdef), (0xfeff, 0xfeff))


def _harmless(char):
    point = ord(char)
    if 0xdc80 <= point <= 0xdcff:  # a byte that is no UTF-8
        return "\\x%02x" % (point - 0xdc00)
    if any(first <= point <= last for first, last in _HARMFUL):
        return "".join("\\x%02x" % byte for byte in char.encode("utf-8", "surrogatepass"))
    return char


def escape(raw):
    """Bytes or text of a process as text that a terminal can take."""
    if isinstance(raw, str):
        raw = raw.encode("utf-8", "surrogateescape")
    return "".join(map(_harmless, raw.decode("utf-8", "surrogateescape")))


def fill_in(form, name):
    """A message of a library, a format with at most one %s, as text. Other formats stay as they are."""
    form = escape(form.replace(b"\n", b" ").rstrip()[:2048])
    parts = form.replace("%%", "\0").split("%s")
    if len(parts) > 2 or any("%" in part for part in parts):
        return form
    return name.join(parts).replace("\0", "%")


def ranges(numbers):
    """"0-3, 7" of numbers in any order."""
    runs = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    words = []
    for first, last in runs:
        if last == first + 1:
            words += [str(first), str(last)]
        else:
            words.append(str(first) if first == last else "%d-%d" % (first, last))
    return ", ".join(words)


def count(number, noun, plural=None):
    return "%d %s" % (number, noun if number == 1 else plural or noun + "s")


def size(number):
    """Bytes in the largest unit that tells them exactly."""
    units = ["B", "KiB", "MiB", "GiB", "TiB"]
    while number > 0 and number % 1024 == 0 and len(units) > 1:
        number //= 1024
        units.pop(0)
    return "%d %s" % (number, units[0])


def base_name(path):
    return path.rsplit("/", 1)[-1]


def columns(rows, indent):
    """Lines of a table; the last cell of a row may be as long as it likes."""
    widths = {}
    for row in rows:
        for i, cell in enumerate(row[:-1]):
            widths[i] = max(widths.get(i, 0), len(cell))
    lines = []
    for row in rows:
        cells = [cell.ljust(widths[i]) for i, cell in enumerate(row[:-1]) if widths[i]]
        lines.append((" " * indent + "   ".join(cells + list(row[-1:]))).rstrip())
    return lines


def write(text):
    """Prints a text, with what gdb's character set lacks as escapes."""
    try:
        gdb.write(text)
    except UnicodeError:
        gdb.write(text.encode("ascii", "backslashreplace").decode("ascii"))


def write_lines(lines):
    if lines:
        write("\n".join(lines) + "\n")
