// SPDX-License-Identifier: BSD-3-Clause
// The panel of one rank, or of ranks that are drawn as one.

const MANY_ROWS = 60;   // operations of a queue
const MANY_RANKS = 120; // buttons

function onEnter(event, action) {
    if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        action();
    }
}

function rankButton(number) {
    const kind = ranks.has(number) ? ranks.get(number).kind : "unread";
    return setAll(button(() => goTo({rank: number}), signIcon(kind), textOf(number)), {class: "rank"});
}

function rankButtons(numbers) {
    return el("p", {class: "buttons"}, numbers.slice(0, MANY_RANKS).map(rankButton),
        numbers.length > MANY_RANKS && "and " + counted(numbers.length - MANY_RANKS, "other"));
}

function section(title, ...content) {
    return el("section", {}, el("h3", {}, title), content);
}

function stackFrame(frame) {
    const module = textOf(frame.module).split("/").pop();
    return el("li", {title: joined("  ", textOf(frame.module), textOf(frame.address), textOf(frame.file))},
        placeText(frame) || textOf(frame.address) || "no symbol", module && el("span", {class: "module"}, module));
}

function stackOf(thread) {
    const stack = listOf(thread.stack).map(objectOf);
    return stack.length > 0 && el("details", {class: "stack"}, el("summary", {}, counted(stack.length, "frame")),
        el("ol", {}, stack.slice(0, 200).map(stackFrame)),
        (thread.stack_complete === false || stack.length > 200) && note("The stack continues."));
}

// "receive tag 42 on solver", "barrier on solver".
function whatText(wait) {
    const one = objectOf(wait.operation || wait.collective);
    return joined(" ", textOf(one.kind) || textOf(one.name) || KIND_OF_QUEUE[one.queue], one.tag !== undefined && "tag " + textOf(one.tag),
                  one.communicator !== undefined && "on " + textOf(one.communicator));
}

// Which threads of the process can end a wait.
function insideHint(wait) {
    const tids = listOf(wait.for_tids).map(textOf);
    if (tids.length === 0)
        return "only another thread of this process can end this wait";
    if (tids.length === 1 && tids[0] === textOf(wait.tid))
        return "for itself";
    const isMany = tids.length > 1;
    return (isMany && wait.needs === "any" ? "for one of " : "for ") + (isMany ? "tids " : "tid ") + tids.join(", ");
}

// "waits for all of [1] [2]", and in which operation.
function waitLine(wait) {
    if (wait.inside !== undefined)
        return el("div", {class: "wait"}, el("p", {}, textOf(wait.inside)), hint(insideHint(wait)));
    const all = ranksIn(wait.for), many = all.length > 1 || isNumber(wait.for_more);
    const isAny = wait.needs === "any" || objectOf(wait.operation).peer === "any";
    return el("div", {class: "wait"},
        el("p", {}, "waits for" + (!many ? "" : isAny ? " any one of" : " all of")),
        all.length ? rankButtons(all) : ranksText(wait.for),
        isNumber(wait.for_more) && hint("and " + counted(Number(wait.for_more), "other")),
        wait.not_seen !== undefined && el("p", {}, "a process that was not read"),
        hint(whatText(wait)));
}

function awaitsNote(thread) {
    const awaits = objectOf(thread.awaits);
    return awaits.certain === false && note("It is not certain which operation it waits for.");
}

function openmpPlace(rank, thread) {
    const all = listOf(objectOf(rank.process.openmp).threads).map(objectOf);
    const found = thread.openmp !== undefined && all.find(one => one.id === thread.openmp);
    return found ? joined(", ", "OpenMP thread " + textOf(found.thread_num), textOf(found.state)) : "";
}

// What it waits for in the system: "read of /mnt/x on nfs4 at /mnt, in uninterruptible sleep (state D)".
function systemText(thread) {
    const system = objectOf(thread.system), about = textOf(system.endpoint) || textOf(thread.system_file);
    const mount = system.mount !== undefined && (system.file_system_sort !== undefined || system.uninterruptible === true);
    return joined(", ", textOf(system.call) && about && textOf(system.call) + "() of " + about,
        mount ? "file system " + textOf(system.file_system) + " at " + textOf(system.mount) : "",
        textOf(system.driver), system.uninterruptible === true ? "uninterruptible sleep (state D)" : "",
        system.full !== undefined ? "no space left on the file system of " + textOf(system.full) : "");
}

// What it waits for a device in: "CUDA: cudaFree() (/dev/nvidia0)".
function deviceText(thread) {
    const device = objectOf(thread.device), call = textOf(device.call), files = listOf(device.files).map(textOf);
    return thread.device === undefined ? "" : textOf(device.api) + ": " + (call ? call + "()" : textOf(device.library)) +
        (files.length ? " (" + files.join(", ") + ")" : "");
}

function threadItem(rank, thread) {
    const waits = rank.waits.filter(wait => wait.tid === thread.tid);
    const call = textOf(thread.call);
    const about = joined(" · ", textOf(thread.name), "tid " + textOf(thread.tid), openmpPlace(rank, thread));
    return el("li", {class: "thread"},
        el("p", {}, !isPlain && el("code", {class: call ? "call" : ""}, call || "outside MPI"),
            placeText(thread.frame) && (isPlain ? "in " : " in "),
            el("bdi", {title: textOf(objectOf(thread.frame).file) || null}, placeText(thread.frame))),
        hint(about), hint(systemText(thread)), hint(deviceText(thread)),
        waits.map(waitLine), awaitsNote(thread), stackOf(thread));
}

// Threads of libraries: they are in no code of the user, and wait for nothing that is known.
function isHelper(rank, thread) {
    return textOf(thread.call) === "" && thread.system === undefined && thread.device === undefined && placeText(thread.frame) === "" && openmpPlace(rank, thread) === "" &&
        !rank.waits.some(wait => wait.tid === thread.tid);
}

function threadList(rank, threads) {
    return [
        el("ul", {class: "threads"}, threads.slice(0, MANY_THREADS).map(thread => threadItem(rank, thread))),
        leftOut(threads.length, MANY_THREADS, "thread"),
    ];
}

function threadsOf(rank) {
    const threads = listOf(rank.process.threads).map(objectOf), known = new Set(threads.map(thread => thread.tid));
    const waits = rank.waits.filter(wait => !known.has(wait.tid));
    const helpers = threads.filter(thread => isHelper(rank, thread)), areHelpers = new Set(helpers);
    const others = threads.filter(thread => !areHelpers.has(thread));
    if (!threads.length && !waits.length)
        return null;
    const unknown = wait => el("li", {class: "thread"}, el("code", {class: "call"}, textOf(wait.call)), waitLine(wait));
    return section("Threads", threadList(rank, others),
        el("ul", {class: "threads"}, waits.map(unknown)),
        helpers.length > 0 && el("details", {},
            el("summary", {}, counted(helpers.length, "thread") + " outside the program's own code"),
            threadList(rank, helpers)));
}

const PANEL_COLUMNS = COLUMNS.filter(column => !["Rank", "Communicator", "State"].includes(column.name))
    .concat({name: "State", of: stateText});

// A row, and below it what would match but for one thing.
function panelRow(row) {
    const below = miss => el("tr", {class: "miss"}, el("td", {colspan: PANEL_COLUMNS.length}, "↳ ", missText(miss)));
    return [
        el("tr", {class: row.blocks ? "blocks" : null}, cellsOf(row, PANEL_COLUMNS)),
        row.misses.slice(0, 4).map(below),
    ];
}

function rowsTable(rank, rows) {
    return [
        el("div", {class: "scroller"}, el("table", {class: "rows"}, headOf(PANEL_COLUMNS),
            el("tbody", {}, rows.slice(0, MANY_ROWS).map(panelRow)))),
        rows.length > MANY_ROWS && el("p", {}, button(() => goTo({ranks: String(rank.number)}),
            "All " + counted(rows.length, "operation") + " in the table")),
    ];
}

function commSection(rank, comm, rows) {
    const size = textOf(comm.size);
    const about = [isNumber(comm.local_rank) ? "rank " + textOf(comm.local_rank) + " of " + size : counted(comm.size, "rank"),
        comm.inter === true && "intercommunicator", comm.freed === true && "freed",
        gapsText(comm) && "not known: " + gapsText(comm)].filter(Boolean).join(", ");
    const group = listOf(comm.group);
    return section(el("bdi", {}, commName(comm)),
        el("p", {class: "hint", title: group.length ? "ranks in MPI_COMM_WORLD: " + ranksText(group) : null}, about),
        rowsTable(rank, rows));
}

function someNames(comms) {
    const names = comms.map(({comm}) => commName(comm));
    return [names.slice(0, 20).join(", "), names.length > 20 && " and " + counted(names.length - 20, "other"), "."];
}

function commsOf(rank) {
    const comms = rowsByComm(rank), by = textOf(objectOf(rank.process.mpi).transport);
    const idle = comms.filter(({rows}) => rows.length === 0);
    const unread = idle.filter(({comm}) => gapsText(comm)), quiet = idle.filter(({comm}) => !gapsText(comm));
    return [
        comms.filter(({rows}) => rows.length > 0).slice(0, 100).map(({comm, rows}) => commSection(rank, comm, rows)),
        unread.length > 0 && hint("Not known", by && " (" + by + ")", ": ", gapsText(unread[0].comm), " of ",
            someNames(unread)),
        quiet.length > 0 && hint("Nothing pending on ", someNames(quiet)),
    ];
}

function messagesOf(rank) {
    const messages = listOf(rank.process.messages).map(textOf).filter(Boolean);
    return messages.length > 0 && section("Notes", folded(messages, "notes"));
}

function rankFacts(process) {
    const paused = Number.isFinite(process.stopped_ms) && "paused for " + process.stopped_ms.toFixed(1) + " ms to be read";
    const image = textOf(process.image).split("/").pop(), {host, core, world} = process;
    return [isNumber(process.pid) && "pid " + textOf(process.pid), textOf(host), image, textOf(core), textOf(world), paused]
        .filter(Boolean);
}

function panelHead(title, kind, text) {
    return el("div", {class: "panel-head"}, el("h2", {}, title),
        el("span", {class: "chip kind-" + kind}, signIcon(kind), text || KINDS[kind]),
        el("button", {type: "button", class: "close", "aria-label": "Close", onclick: () => goTo({})}, "×"));
}

function lateNote(number) {
    const lacks = one => inRanges(parseRanges(listOf(one.missing).join(",")) || [], number);
    const late = listOf(verdict.collectives).map(objectOf).filter(lacks).slice(0, 5);
    return late.map(one => el("p", {class: "late"}, "is not in " + textOf(one.name) + " on ",
        el("bdi", {}, commName({label: one.communicator, id: one.communicator_id}))));
}

function showRank(rank) {
    const state = stateOf(rank.process);
    fill(byId("panel"),
        panelHead(rankName(rank.number), rank.kind),
        state && el("p", {class: "late"}, state),
        el("p", {class: "facts", title: textOf(rank.process.image)},
            rankFacts(rank.process).map(fact => el("span", {}, fact))),
        rank.process.incomplete === true && note("This process could not be read completely; see the notes."),
        lateNote(rank.number), threadsOf(rank), commsOf(rank), openmpOf(rank), messagesOf(rank));
    markNode(rank.node);
}

function showMany(title, kind, numbers, text) {
    fill(byId("panel"),
        panelHead(title, kind),
        text && el("p", {}, text),
        hint(counted(numbers.length, "process", "processes")),
        rankButtons(numbers),
        el("p", {}, button(() => goTo({ranks: rangesText(numbers)}), "Their operations in the table")));
}

function showUnread(number) {
    fill(byId("panel"), panelHead(rankName(number), "unread"), note("The document has no process with this number."));
}

function showNothing() {
    fill(byId("panel"), el("h2", {}, isPlain ? "One process" : "One rank"),
        hint("Click on a " + (isPlain ? "process for its threads and" : "rank for its threads, queues and") + " OpenMP regions, or type its number:"),
        el("form", {onsubmit: event => {
            event.preventDefault();
            const number = Number(byId("rank-input").value);
            if (ranks.has(number))
                goTo({rank: number});
        }}, el("input", {id: "rank-input", type: "number", min: 0, "aria-label": "Rank"}), el("button", {}, "Show")));
    markNode(null);
}
