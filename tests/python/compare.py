# SPDX-License-Identifier: BSD-3-Clause
# Compares the Python frames of mqshow's JSON with what faulthandler wrote, and the last exception: compare.py TRUTH JSON
import json
import re
import sys


def read_truth(path):
    tids, stacks, stack = {}, {}, None
    for line in open(path, encoding="utf-8"):
        is_tid = re.match(r"tid (\d+) is (0x[0-9a-f]+)", line)
        thread = re.match(r"(?:Current t|T)hread (0x[0-9a-f]+)", line)
        frame = re.match(r'  File "(.*)", line (\d+) in (.*)', line)
        if is_tid:
            tids[is_tid[2]] = int(is_tid[1])
        elif thread:
            stack = stacks.setdefault(tids[thread[1]], [])
        elif frame:
            # faulthandler writes what is not ASCII as escapes, and names without their class.
            texts = [re.sub(r"\\(?:x(..)|u(....))", lambda m: chr(int(m[1] or m[2], 16)), t) for t in (frame[1], frame[3])]
            stack.append((texts[0], int(frame[2]), texts[1]))
    return stacks


def read_report(path):
    stacks = {}
    for thread in json.load(open(path, encoding="utf-8"))["processes"][0].get("threads", []):
        frames = [f for f in thread["stack"] if f.get("language") == "python"]
        if frames:
            stacks[thread["tid"]] = [(f["file"], f.get("line"), f["function"].rpartition(".")[2]) for f in frames]
    return stacks


def exception_in_truth(path):
    """@return its class and frames, innermost first; None: the process has recorded none"""
    lines = [line.split() for line in open(path, encoding="utf-8") if re.match("exception |raised ", line)]
    return [lines[0][1], [(file, int(line), name) for _, file, line, name in reversed(lines[1:])]] if lines else None


def exception_in_report(path):
    seen = json.load(open(path, encoding="utf-8"))["processes"][0].get("uncaught_exception")
    return [seen["type"], [(f["file"], f.get("line"), f["function"].rpartition(".")[2]) for f in seen["stack"]]] if seen else None


truth, seen = read_truth(sys.argv[1]), read_report(sys.argv[2])
for tid in sorted(set(truth) | set(seen)):
    if truth.get(tid) != seen.get(tid):
        print("thread %d:\n  faulthandler %s\n  mqshow       %s" % (tid, truth.get(tid), seen.get(tid)))
exceptions = exception_in_truth(sys.argv[1]), exception_in_report(sys.argv[2])
if exceptions[0] != exceptions[1]:
    print("the last exception:\n  Python  %s\n  mqshow  %s" % exceptions)
if truth != seen or not truth or exceptions[0] != exceptions[1]:
    sys.exit(1)
print("%d threads, %d Python frames as faulthandler has them" % (len(truth), sum(map(len, truth.values()))))
