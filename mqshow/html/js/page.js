// SPDX-License-Identifier: BSD-3-Clause
// What is shown is named by the part of the address after #: rank=3, or group=0-9, and the filter.

const FILTER_FIELDS = {ranks: "filter-ranks", kind: "filter-kind", comm: "filter-comm", tag: "filter-tag", q: "search"};
const FILTER_CHECKS = {unmatched: "filter-unmatched", blocks: "filter-blocks"};

function setFilter(words) {
    for (const [name, id] of Object.entries(FILTER_FIELDS))
        byId(id).value = words.get(name) || "";
    for (const [name, id] of Object.entries(FILTER_CHECKS))
        byId(id).checked = words.has(name);
}

function filterWords(words) {
    for (const [name, id] of Object.entries(FILTER_FIELDS))
        if (byId(id).value.trim())
            words.set(name, byId(id).value.trim());
        else
            words.delete(name);
    for (const [name, id] of Object.entries(FILTER_CHECKS))
        if (byId(id).checked)
            words.set(name, "1");
        else
            words.delete(name);
    return words;
}

function wordsOfAddress() {
    return new URLSearchParams(location.hash.slice(1));
}

// The filter is kept in the address without a step of its own in the browser's history.
function keepFilter() {
    history.replaceState(null, "", "#" + filterWords(wordsOfAddress()));
}

// Opens a rank or a group (none: closes the panel), or filters the table.
function goTo({rank, group, ranks: wanted, unmatched: partnerless}) {
    const words = wordsOfAddress(), filter = wanted !== undefined || partnerless;
    if (wanted !== undefined)
        words.set("ranks", wanted);
    if (partnerless)
        words.set("unmatched", "1");
    if (!filter) {
        words.delete("rank");
        words.delete("group");
    }
    if (rank !== undefined)
        words.set("rank", rank);
    if (group !== undefined)
        words.set("group", group);
    location.hash = "#" + words;
    showAddress();
    if (filter)
        byId("operations-card").scrollIntoView({behavior: "smooth"});
}

// "0-3,7" of "[0-3,7]".
function bare(text) {
    return text.replace(/^\[(.*)\]$/, "$1");
}

function openNode(place) {
    const node = objectOf(listOf(graph.nodes)[place]), text = bare(textOf(node.ranks));
    goTo(node.count === 1 ? {rank: Number(text)} : {group: text});
}

function openRanges(text) {
    const ranges = parseRanges(text) || [];
    const single = ranges.length === 1 && ranges[0][0] === ranges[0][1];
    goTo(single ? {rank: ranges[0][0]} : {group: bare(text)});
}

function showGroup(text) {
    const ranges = parseRanges(text) || [];
    const numbers = Array.from(ranks.keys()).filter(number => inRanges(ranges, number));
    const group = listOf(verdict.groups).map(objectOf).find(one => bare(textOf(one.ranks)) === text);
    const first = ranks.get(numbers[0]);
    showMany((graph.by_index ? "processes " : "ranks ") + shortened(text, 40), first ? first.kind : "unknown", numbers,
             group && textOf(group.situation));
    markNode(first ? first.node : null);
}

let opened = null;

// The rank that is open when the address names none: one of a cycle, or one that others wait for.
function firstRank() {
    const all = Array.from(ranks.values()), collectives = listOf(verdict.collectives).slice(0, 10).map(objectOf);
    const late = new Set(collectives.flatMap(one => ranksIn(one.missing)));
    const tests = [rank => rank.kind === "cycle", rank => late.has(rank.number), rank => rank.kind === "waits"];
    return tests.map(test => all.find(test)).find(Boolean);
}

// In a narrow window the panel is below the rest.
function bringPanel() {
    const panel = byId("panel"), isBelow = getComputedStyle(panel).position !== "sticky";
    if (isBelow && document.documentElement.dataset.ready && opened !== "null null")
        panel.scrollIntoView({behavior: "smooth"});
}

function showAddress() {
    const words = wordsOfAddress(), rank = words.get("rank"), group = words.get("group");
    const first = opened === null && rank === null && group === null ? firstRank() : undefined;
    setFilter(words);
    applyFilter();
    const name = first ? "first" : String(rank) + " " + String(group);
    if (name === opened)
        return;
    opened = name;
    if (rank !== null && ranks.has(Number(rank)))
        showRank(ranks.get(Number(rank)));
    else if (rank !== null && isNumber(rank))
        showUnread(Number(rank));
    else if (group !== null)
        showGroup(group);
    else if (first)
        showRank(first);
    else
        showNothing();
    byId("panel").scrollTop = 0;
    bringPanel();
}

function onKey(event) {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "/" && !typing) {
        event.preventDefault();
        byId("search").focus();
    } else if (event.key === "Escape") {
        if (typing)
            event.target.blur();
        else
            goTo({});
    }
}

showVerdict();
showGraph();
showTree();
showGroups();
showCollectives();
showMisses();
showOperations();
showAddress();
addEventListener("hashchange", showAddress);
addEventListener("keydown", onKey);
document.documentElement.dataset.ready = "yes";
