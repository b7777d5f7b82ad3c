// SPDX-License-Identifier: BSD-3-Clause
// The table of operations with its filters. However many rows there are, only those in sight are in the page.

const ROW_HEIGHT = 26;
const IN_SIGHT = 60; // rows that are made at once

let rows = [];
let chosen = [];
let current = -1; // of the chosen rows, the one that the keyboard is at

const KIND_NAMES = ["receive", "send", "unexpected", "collective"];

// "42, 50-60, any" as a test of tags; null when it is nothing of the kind.
function tagTest(text) {
    const words = text.split(",").map(word => word.trim().toLowerCase()).filter(Boolean);
    const tests = words.map(word => {
        const range = /^(-?\d+)(?:\s*(?:-|\.\.)\s*(-?\d+))?$/.exec(word);
        if (range)
            return tag => isNumber(tag) && inRanges([[Number(range[1]), Number(range[2] || range[1])]], Number(tag));
        return word === "any" ? tag => tag === "any" : null;
    });
    return tests.includes(null) ? null : tag => tests.some(test => test(tag));
}

function markWrong(id, wrong) {
    byId(id).setAttribute("aria-invalid", String(wrong));
}

// The test that a rank must pass, or null, from what the user typed; what is invalid passes all and is marked.
function rankTest() {
    const ranges = parseRanges(byId("filter-ranks").value);
    markWrong("filter-ranks", ranges === null);
    return ranges && ranges.length ? rank => inRanges(ranges, rank) : null;
}

// The tests that an operation must pass.
function operationTests() {
    const value = id => byId(id).value.trim();
    const tests = [], tag = tagTest(value("filter-tag"));
    const words = value("search").toLowerCase().split(/\s+/).filter(Boolean);
    const kind = value("filter-kind"), comm = value("filter-comm");
    markWrong("filter-tag", tag === null);
    if (comm)
        tests.push(row => row.comm === comm);
    if (kind)
        tests.push(row => row.kind === kind);
    if (tag && value("filter-tag"))
        tests.push(row => tag(row.operation.tag));
    if (byId("filter-unmatched").checked)
        tests.push(row => row.unmatched);
    if (byId("filter-blocks").checked)
        tests.push(row => row.blocks);
    if (words.length)
        tests.push(row => words.every(word => (row.search = row.search || searchText(row)).includes(word)));
    return tests;
}

function spacer(height) {
    const row = el("tr", {class: "spacer", "aria-hidden": "true"}, el("td", {colspan: COLUMNS.length}));
    row.firstChild.style.height = height + "px";
    return row;
}

function rowElement(row, place) {
    return el("tr", {class: "clickable" + (row.blocks ? " blocks" : "") + (place === current ? " current" : ""),
                     "aria-rowindex": place + 2, onclick: () => goTo({rank: row.rank})}, cellsOf(row, COLUMNS));
}

function drawRows() {
    const scroller = byId("rows-scroller");
    const first = Math.max(0, Math.min(Math.floor(scroller.scrollTop / ROW_HEIGHT) - 15, chosen.length - IN_SIGHT));
    const some = chosen.slice(first, first + IN_SIGHT);
    fill(byId("rows-body"),
        first > 0 && spacer(first * ROW_HEIGHT),
        some.map((row, i) => rowElement(row, first + i)),
        first + some.length < chosen.length && spacer((chosen.length - first - some.length) * ROW_HEIGHT));
}

// Ranks of which not all queues are known.
function gapRanks() {
    const lacks = rank => listOf(rank.process.communicators).map(objectOf).some(comm => gapsText(comm) !== "");
    return Array.from(ranks.values()).filter(lacks).length;
}

function applyFilter() {
    const isRank = rankTest(), tests = operationTests();
    const passes = row => (!isRank || isRank(row.rank)) && tests.every(test => test(row));
    chosen = isRank || tests.length ? rows.filter(passes) : rows;
    current = -1;
    dimGraph(tests.length ? chosenMatches() : isRank ? rankMatches(isRank) : null);
    const all = counted(rows.length, "operation") + (gapRanks() > 0 ? ", queues of " + counted(gapRanks(), "rank") + " not read" : "");
    byId("count").textContent = chosen.length === rows.length ? all : chosen.length.toLocaleString("en") + " of " + all;
    byId("rows").setAttribute("aria-rowcount", chosen.length + 1);
    byId("rows-scroller").scrollTop = 0;
    drawRows();
}

function moveTo(place) {
    const scroller = byId("rows-scroller");
    current = Math.max(0, Math.min(place, chosen.length - 1));
    const top = current * ROW_HEIGHT, room = scroller.clientHeight - 2 * ROW_HEIGHT;
    if (top < scroller.scrollTop)
        scroller.scrollTop = top;
    else if (top > scroller.scrollTop + room)
        scroller.scrollTop = top - room;
    drawRows();
}

function onRowsKey(event) {
    const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -chosen.length, End: chosen.length};
    if (event.key === "Enter" && chosen[current])
        goTo({rank: chosen[current].rank});
    else if (event.key in steps && chosen.length)
        moveTo(current + steps[event.key]);
    else
        return;
    event.preventDefault();
}

function field(label, control) {
    return el("label", {}, el("span", {}, label), control);
}

function check(id, label) {
    return el("label", {class: "check"}, el("input", {id, type: "checkbox", onchange: onFilter}), label);
}

function options(all, names) {
    return [el("option", {value: ""}, all), names.map(name => el("option", {value: name}, name))];
}

function onFilter() {
    applyFilter();
    keepFilter();
}

function filters() {
    const comms = Array.from(new Set(rows.map(row => row.comm))).sort().slice(0, 1000);
    const common = {autocomplete: "off", spellcheck: "false", oninput: onFilter};
    const input = (id, placeholder, size, type = "text") => el("input", {id, type, placeholder, size, ...common});
    return el("div", {class: "filters", role: "search"},
        field("Search", input("search", "press /", 9, "search")),
        field(graph.by_index ? "Processes" : "Ranks", input("filter-ranks", "0-3,7", 7)),
        field("Kind", el("select", {id: "filter-kind", onchange: onFilter}, options("all", KIND_NAMES))),
        field("Communicator", el("select", {id: "filter-comm", onchange: onFilter}, options("all", comms))),
        field("Tag", input("filter-tag", "42, any", 6)),
        check("filter-unmatched", "no partner"), check("filter-blocks", "blocks"),
        setAll(button(clearFilter, "Clear"), {id: "filter-clear"}),
        el("span", {id: "matches", "aria-live": "polite"}));
}

function clearFilter() {
    setFilter(new URLSearchParams());
    onFilter();
}

function showOperations() {
    rows = allRows();
    const title = "Pending operations";
    byId("filter-card").hidden = byId("operations-card").hidden = isPlain;
    fill(byId("filter-card"), filters());
    fill(byId("operations-card"),
        el("div", {class: "card-head"}, el("h2", {}, title), el("span", {id: "count", "aria-live": "polite"})),
        el("div", {id: "rows-scroller", class: "scroller", tabindex: 0, role: "region", "aria-label": title,
                   onscroll: () => requestAnimationFrame(drawRows), onkeydown: onRowsKey},
            el("table", {id: "rows", class: "rows"}, headOf(COLUMNS), el("tbody", {id: "rows-body"}))));
}
