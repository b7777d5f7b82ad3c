// SPDX-License-Identifier: BSD-3-Clause
// The pending operations of all ranks as rows.

// A set of the places in a list of texts "first-last".
function placesOf(list) {
    const places = new Set();
    for (const [first, last] of parseRanges(listOf(list).join(",")) || [])
        for (let place = first; place <= last; place++)
            places.add(place);
    return places;
}

// What the verdict has on a communicator's operations, by their places.
function marksOf(rank, place) {
    const marks = objectOf(listOf(listOf(data.marks)[rank.place])[place]);
    return {blocked: new Set(marks.blocked), unmatched: placesOf(marks.unmatched), misses: new Map(marks.misses)};
}

function peerText(operation) {
    const peer = operation.peer, world = operation.world_peer;
    if (peer === undefined)
        return "";
    return textOf(peer) + (isNumber(world) && world !== peer ? " (world " + textOf(world) + ")" : "");
}

function dataText(operation) {
    return joined(" ", textOf(operation.count), textOf(operation.datatype));
}

// "pending" is left out where there is something else.
function stateText(row) {
    const operation = row.operation;
    const more = [
        operation.unseen === true && "not yet seen by MPI",
        operation.rendezvous === true && "rendezvous",
        operation.device_buffer === true && "device buffer",
        operation.persistent === true && "persistent",
        operation.freed === true && "freed",
        row.blocks && "blocks",
        operation.moved === false && !row.blocks && objectOf(source.looks).moved !== false && "unmoved",
        row.unmatched && "no partner",
    ].filter(Boolean);
    const status = textOf(operation.status);
    return (status === "pending" && more.length ? more : [status, ...more]).filter(Boolean).join(", ");
}

// "rank 5 sends tag 8 on solver (other tag)".
function missText(miss) {
    const operation = objectOf(miss.operation);
    const does = {receives: "receives", sends: "sends", unexpected: "was sent"}[operation.queue] || "has";
    return joined(" ", rankName(miss.rank), does, "tag " + textOf(operation.tag),
                  miss.communicator !== undefined && "on " + textOf(miss.communicator),
                  textOf(miss.why) && "(" + textOf(miss.why) + ")");
}

// A row: what the table shows and filters by. A collective has no place.
function rowOf(rank, comm, kind, operation, marks, place) {
    const blocks = operation.blocked === true || marks.blocked.has(place);
    const misses = listOf(objectOf(listOf(verdict.unmatched)[marks.misses.get(place)]).near_misses).map(objectOf);
    return {rank: rank.number, comm: commName(comm), kind, operation, blocks, unmatched: marks.unmatched.has(place), misses};
}

function rowsOfComm(rank, comm, marks) {
    const rows = [];
    let place = 0;
    for (const collective of listOf(comm.collectives).map(objectOf))
        if (collective.active !== false)
            rows.push(rowOf(rank, comm, "collective", {status: "in progress", kind: textOf(collective.name)}, marks, null));
    for (const [kind, queue] of Object.entries(queuesOf(comm)))
        for (const operation of queue)
            rows.push(rowOf(rank, comm, kind, objectOf(operation), marks, place++));
    return rows;
}

// The communicators of a rank with their rows.
function rowsByComm(rank) {
    const comms = listOf(rank.process.communicators).map(objectOf);
    return comms.map((comm, place) => ({comm, rows: rowsOfComm(rank, comm, marksOf(rank, place))}));
}

function allRows() {
    return Array.from(ranks.values()).flatMap(rank => rowsByComm(rank).flatMap(({rows}) => rows));
}

// What the search box looks through.
function searchText(row) {
    const operation = row.operation;
    const words = ["rank " + row.rank, row.kind, operation.kind, row.comm, peerText(operation),
        "tag " + textOf(operation.tag), operation.datatype, stateText(row), row.misses.map(missText).join(" ")];
    return words.map(textOf).join(" ").toLowerCase();
}

const COLUMNS = [
    {name: "Rank", number: true, of: row => textOf(row.rank)},
    {name: "Kind", of: row => row.kind === "collective" ? row.operation.kind : kindText(row)},
    {name: "Communicator", of: row => row.comm},
    {name: "Peer", number: true, of: row => peerText(row.operation)},
    {name: "Tag", number: true, of: row => textOf(row.operation.tag)},
    {name: "Data", of: row => dataText(row.operation)},
    {name: "Size", number: true, of: row => row.operation.bytes === undefined ? "" : bytesText(row.operation.bytes)},
    {name: "State", of: row => stateText(row) + noteText(row)},
];

// "ssend", "probe" and the like are more exact than the queue.
function kindText(row) {
    const kind = textOf(row.operation.kind);
    return row.kind === "unexpected" || kind === "" || kind === "message" ? row.kind : kind;
}

function noteText(row) {
    return row.misses.length ? ": " + row.misses.map(missText).join("; ") : "";
}

function cellsOf(row, columns) {
    return columns.map(column => {
        const text = column.of(row);
        const cell = el("td", {class: column.number ? "number" : null, title: text.length > 18 ? text : null}, text);
        if (column.name === "Kind")
            cell.classList.add("kind", "kind-" + row.kind);
        return cell;
    });
}

function headOf(columns) {
    return el("thead", {}, el("tr", {}, columns.map(column =>
        el("th", {scope: "col", class: column.number ? "number" : null}, column.name))));
}
