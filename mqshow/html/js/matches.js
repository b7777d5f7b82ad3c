// SPDX-License-Identifier: BSD-3-Clause
// What the filter leaves of the graph: ranks that have such operations, and waits for such operations.

const waitsForOthers = listOf(verdict.waits).map(objectOf)
    .filter(wait => Array.isArray(wait.for) && wait.inside === undefined);
const nodeRanges = listOf(graph.nodes).map(node => parseRanges(objectOf(node).ranks) || []);
const nodesOfLists = new Map(); // many waits have the same list

// The nodes of the ranks in a list of numbers and texts "first-last", also of ranks that were not read.
function nodesIn(list) {
    if (!nodesOfLists.has(list)) {
        const wanted = parseRanges(list.join(",")) || [];
        const meet = ranges => ranges.some(([a, b]) => wanted.some(([first, last]) => a <= last && first <= b));
        nodesOfLists.set(list, Array.from(nodeRanges.keys()).filter(place => meet(nodeRanges[place])));
    }
    return nodesOfLists.get(list);
}

const KIND_OF_QUEUE = {receives: "receive", unexpected: "unexpected", sends: "send"};

// What a wait and the row of its operation have in common.
function keyOf(rank, kind, comm, tag) {
    return [rank, kind, comm, textOf(tag)].join(" ");
}

function waitKey(wait) {
    const one = objectOf(wait.operation || wait.collective);
    const kind = wait.operation ? KIND_OF_QUEUE[one.queue] : "collective";
    return keyOf(wait.rank, kind, commName({label: one.communicator, id: one.communicator_id}), one.tag);
}

// Of the rows that the filter has chosen.
function chosenMatches() {
    const some = chosen.filter(row => row.blocks || row.kind === "collective");
    const keys = new Set(some.map(row => keyOf(row.rank, row.kind, row.comm, row.operation.tag)));
    return {ranks: new Set(chosen.map(row => row.rank)), waits: waitsForOthers.filter(wait => keys.has(waitKey(wait)))};
}

// A filter of ranks only is one of ranks without operations too.
function rankMatches(isRank) {
    return {ranks: new Set(Array.from(ranks.keys()).filter(isRank)), waits: waitsForOthers.filter(wait => isRank(wait.rank))};
}

function matchesText(matches) {
    const of = (number, all, what) => number.toLocaleString("en") + " of " + counted(all, what);
    return of(matches.ranks.size, ranks.size, "rank") + ", " + of(matches.waits.length, waitsForOthers.length, "wait");
}

// Dims what does not match; null: there is no filter.
function dimGraph(matches) {
    const nodes = new Set(), edges = new Set(), isDim = (places, place) => matches !== null && !places.has(place);
    for (const number of matches ? matches.ranks : [])
        nodes.add(ranks.get(number).node);
    for (const wait of matches ? matches.waits : [])
        for (const place of ranks.has(wait.rank) ? nodesIn(wait.for) : [])
            edges.add(ranks.get(wait.rank).node + " " + place);
    for (const element of document.querySelectorAll("#graph-svg .node"))
        element.classList.toggle("dim", isDim(nodes, Number(element.dataset.node)));
    for (const element of document.querySelectorAll("#graph-svg .edge"))
        element.classList.toggle("dim", isDim(edges, element.dataset.edge));
    byId("matches").textContent = matches ? matchesText(matches) : "";
}
