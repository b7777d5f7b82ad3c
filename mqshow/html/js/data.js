// SPDX-License-Identifier: BSD-3-Clause
// The document of the page, with ranks to be found by number.

const source = objectOf(data.document);
const graph = objectOf(data.graph);
const verdict = objectOf(source.verdict);
const processes = listOf(source.processes).map(objectOf);
// No process uses MPI, or was started to.
const isPlain = processes.length > 0 && processes.every(one => one.openmp !== undefined && one.mpi === undefined &&
    one.rank === undefined && listOf(one.communicators).length === 0);

// Ranks by number: {number, place, process, waits, node, kind}. Numbers are places in "processes" where ranks repeat.
const ranks = new Map();

// Reads "[0-3,7]", "0-3, 7"; null when it is nothing of the kind.
function parseRanges(text) {
    const inner = String(text).trim().replace(/^\[(.*)\]$/, "$1");
    const ranges = [];
    for (const part of inner.split(",").map(word => word.trim()).filter(Boolean)) {
        const found = /^(\d+)(?:\s*-\s*(\d+))?$/.exec(part);
        if (!found)
            return null;
        ranges.push([Number(found[1]), Number(found[2] || found[1])]);
    }
    return ranges;
}

function inRanges(ranges, number) {
    return ranges.some(([first, last]) => number >= first && number <= last);
}

// Numbers as runs, "0-3, 7".
function rangesText(numbers) {
    const runs = [];
    for (const number of numbers)
        if (runs.length && runs[runs.length - 1][1] + 1 === number)
            runs[runs.length - 1][1] = number;
        else
            runs.push([number, number]);
    const separator = (first, last) => last === first + 1 ? ", " : "-";
    return runs.map(([first, last]) => first === last ? first : first + separator(first, last) + last).join(", ");
}

// The ranks, of those that there are, in a list of numbers and texts "first-last".
function ranksIn(list) {
    const ranges = parseRanges(listOf(list).join(",")) || [];
    return ranges.length ? Array.from(ranks.keys()).filter(number => inRanges(ranges, number)) : [];
}

// Lists of numbers and texts "first-last" for people.
function ranksText(list) {
    const words = listOf(list).slice(0, 40).map(textOf);
    const more = listOf(list).length - words.length;
    return words.join(", ") + (more > 0 ? " and " + counted(more, "other") : "");
}

function readProcesses() {
    processes.forEach((process, place) => {
        // A core that nothing was read of has no rank; it is no part of the graph.
        const number = graph.by_index ? place : isNumber(process.rank) ? process.rank : -1 - place;
        ranks.set(number, {number, place, process, waits: [], node: null, kind: "unknown"});
    });
    for (const wait of listOf(verdict.waits).map(objectOf))
        if (ranks.has(wait.rank))
            ranks.get(wait.rank).waits.push(wait);
}

function readNodes() {
    listOf(graph.nodes).map(objectOf).forEach((node, place) => {
        for (const [first, last] of parseRanges(node.ranks) || [])
            for (let number = first; number <= last; number++)
                if (ranks.has(number) && ranks.get(number).kind !== "cycle") // of several threads, too
                    Object.assign(ranks.get(number), {node: place, kind: node.kind});
    });
}

readProcesses();
readNodes();

const KINDS = {
    cycle: "in a cycle",
    waits: "waits",
    runs: isPlain ? "runs" : "outside MPI",
    mpi: "in MPI",
    unknown: "not known",
};

// How a rank is called: with several jobs in the document, its number is not enough.
function rankName(number) {
    const rank = ranks.get(number);
    if (rank && number < 0)
        return textOf(rank.process.core).split("/").pop();
    if (!graph.by_index || !rank)
        return "rank " + textOf(number);
    const own = rank.process.rank;
    return "process " + number + (isNumber(own) ? " (rank " + textOf(own) + ")" : "");
}

// What keeps a process from going on, in mqshow's words; "" when nothing is known that does.
function stateOf(process) {
    const {state, signal, exit, tracer, tracer_name: tracerName} = objectOf(process);
    const because = isNumber(exit) ? " (exit status " + textOf(exit) + ")" : signal ? " (killed by " + textOf(signal) + ")" : "";
    const holder = isNumber(tracer) ? (textOf(tracerName) || "a debugger") + " (pid " + textOf(tracer) + ")" : "a debugger";
    if (state === "gone")
        return "gone";
    if (state === "zombie")
        return "dead" + because;
    if (state === "traced" || isNumber(tracer))
        return "held by " + holder;
    return state === "stopped" ? "stopped" + (signal ? " (" + textOf(signal) + ")" : " by a signal") : "";
}

function queuesOf(comm) {
    return {receive: listOf(comm.receives), unexpected: listOf(comm.unexpected), send: listOf(comm.sends)};
}

// What is not known of a communicator, or not all of it: "receives, sends".
function gapsText(comm) {
    const names = {receives: "receives", unexpected: "unexpected messages", sends: "sends"};
    const gaps = Object.keys(names).filter(key => !Array.isArray(comm[key]) || listOf(comm.incomplete).includes(key));
    return gaps.length === 3 ? "the queues" : gaps.map(key => names[key]).join(", ");
}

function commName(comm) {
    return textOf(comm.label) || textOf(comm.name) || "comm " + textOf(comm.id);
}
