// SPDX-License-Identifier: BSD-3-Clause
// The verdict in words, groups of ranks, and collectives that some members are not in.

const MANY_LINES = 12;

function facts() {
    const hosts = new Set(processes.map(process => textOf(process.host)).filter(Boolean));
    const names = new Set(processes.map(process => {
        const {implementation, version} = objectOf(process.mpi);
        return joined(" ", textOf(implementation), textOf(version));
    }));
    const runtimes = new Set(processes.map(process => {
        const {runtime, release} = objectOf(process.openmp);
        return joined(" ", textOf(runtime), textOf(release));
    }));
    const few = set => Array.from(set).filter(Boolean).slice(0, 3);
    return [counted(processes.length, "process", "processes"), hosts.size > 1 && "on " + counted(hosts.size, "host"),
        hosts.size === 1 && "on " + few(hosts)[0], ...few(names), ...few(runtimes), looksText()].filter(Boolean);
}

// The first lines, and the others on request.
function folded(lines, what) {
    const item = line => el("li", {}, el("bdi", {}, line));
    return [
        el("ul", {class: "plain"}, lines.slice(0, MANY_LINES).map(item)),
        lines.length > MANY_LINES && el("details", {},
            el("summary", {}, counted(lines.length - MANY_LINES, "other " + what)),
            el("ul", {class: "plain"}, lines.slice(MANY_LINES, 1000).map(item))),
    ];
}

function verdictKind() {
    const kinds = {"deadlock": "deadlock", "deadlock unless": "possible", "hang": "hang", "no deadlock seen": "fine"};
    return kinds[verdict.kind] || (listOf(verdict.cycles).length ? "possible" : "unknown");
}

const BADGES = {
    deadlock: {sign: "cycle", text: "Deadlock"},
    hang: {sign: "waits", text: "Hang"},
    possible: {sign: "cycle", text: "Possible deadlock"},
    fine: {sign: "runs", text: "No deadlock seen"},
    unknown: {sign: "unknown", text: "Not known"},
};

// The verdict's own words, without the kind that is shown before them already.
function verdictLines() {
    const lines = [verdict.text, ...listOf(verdict.facts)].map(textOf)
        .map(line => clean(line).replace(/ -> /g, " → ")).filter(Boolean);
    if (lines.length > 0)
        lines[0] = lines[0].replace(/^(DEADLOCK|possible deadlock|no deadlock seen|unknown): */i, "");
    return lines;
}

function listUnder(title, list, what) {
    const lines = listOf(list).map(textOf).filter(Boolean);
    return lines.length > 0 && el("div", {class: "unseen"}, el("h2", {}, title), el("div", {}, folded(lines, what)));
}

// How many samples were taken, when there were several.
function looksText() {
    const {count, seconds, moved} = objectOf(source.looks);
    if (!isNumber(count) || Number(count) < 2)
        return "";
    const within = Number.isFinite(seconds) ? " within " + seconds.toFixed(1) + " s" : "";
    return counted(Number(count), "sample") + within + (moved === false ? ": nothing moved" : "");
}

function showVerdict() {
    const badge = BADGES[verdictKind()], lines = verdictLines();
    document.title = badge.text + " – " + facts()[0] + " – mqshow";
    fill(byId("top"),
        el("p", {class: "facts"}, el("strong", {class: "brand"}, "mqshow"), facts().map(fact => el("span", {}, fact))),
        el("div", {class: "verdict " + verdictKind()},
            el("p", {class: "badge"}, signIcon(badge.sign), badge.text),
            el("h1", {}, lines[0] || (source.verdict ? badge.text : "The document has no verdict")),
            lines.slice(1, MANY_LINES).map(line => el("p", {class: "more"}, line)),
            lines.length > MANY_LINES && el("details", {}, el("summary", {}, "more"),
                lines.slice(MANY_LINES, 1000).map(line => el("p", {class: "more"}, line))),
            listUnder("Not known", verdict.unseen, "things not known"),
            listUnder("Notes", source.messages, "notes")));
}

function kindOfRanges(text) {
    const ranges = parseRanges(text) || [];
    const first = ranges.length ? ranks.get(ranges[0][0]) : undefined;
    return first ? first.kind : "unknown";
}

function groupRow(group) {
    const text = textOf(group.ranks), open = () => openRanges(text);
    return el("tr", {class: "clickable", tabindex: 0, onclick: open, onkeydown: event => onEnter(event, open)},
        el("td", {class: "ranks", title: text}, signIcon(kindOfRanges(text)),
            text === "[]" ? "not known" : shortened(text, 44)),
        el("td", {class: "number"}, textOf(group.count)),
        el("td", {}, textOf(group.situation)));
}

function showGroups() {
    const groups = listOf(verdict.groups).map(objectOf), card = byId("groups-card");
    const table = some => el("table", {class: "groups"},
        el("thead", {}, el("tr", {}, el("th", {scope: "col"}, graph.by_index ? "Processes" : "Ranks"),
            el("th", {scope: "col", class: "number"}, "Count"), el("th", {scope: "col"}, "What they do"))),
        el("tbody", {}, some.map(groupRow)));
    card.hidden = groups.length === 0;
    fill(card, el("h2", {}, isPlain ? "Processes by what they do" : "Ranks by what they do"), table(groups.slice(0, 25)),
        groups.length > 25 && el("details", {}, el("summary", {}, counted(groups.length - 25, "other group")),
            table(groups.slice(25, 500))),
        leftOut(groups.length, 500, "group"));
}

function collectiveLine(one) {
    const others = listOf(one.other).map(objectOf).slice(0, 10);
    const elsewhere = new Set(others.flatMap(other => ranksIn(other.ranks)));
    const membersOf = key => ranksIn(one[key]).filter(number => !elsewhere.has(number));
    const missing = membersOf("missing"), perhaps = membersOf("perhaps_missing");
    const marked = text => ["; ", el("span", {class: "missing"}, shortened(text, 200))];
    return el("li", {}, el("strong", {}, textOf(one.name)),
        " on ", el("bdi", {}, commName({label: one.communicator, id: one.communicator_id})),
        ": ", rangesText(ranksIn(one.in)) || "no rank seen",
        missing.length > 0 && marked("missing: " + rangesText(missing)),
        perhaps.length > 0 && marked("elsewhere: " + rangesText(perhaps)),
        others.map(other => marked(rangesText(ranksIn(other.ranks)) + " in " + textOf(other.name))),
        isNumber(one.not_seen) && "; " + counted(Number(one.not_seen), "member") + " not read");
}

function showCollectives() {
    const all = listOf(verdict.collectives).map(objectOf), card = byId("collectives-card");
    card.hidden = all.length === 0;
    fill(card, el("h2", {}, "Collectives that some members are not in"),
        el("ul", {class: "plain"}, all.slice(0, 50).map(collectiveLine)),
        leftOut(all.length, 50, "collective"));
}

const MANY_MISSES = 6;

// Equal for operations that are shown alike.
function keyOfOperation(one, queue) {
    const {peer, tag, bytes} = objectOf(one.operation);
    return [one.rank, one.communicator_id, queue, peer, tag, bytes].join(" ");
}

// Those that almost match something, each pair once: the one that a thread waits for, or else the receive. The others
// are of interest only where no thread waits.
function almostMatched() {
    const all = listOf(verdict.unmatched).map(objectOf).filter(one => listOf(one.near_misses).length > 0);
    const waits = listOf(verdict.waits).map(objectOf).map(wait => ({...wait, ...objectOf(wait.operation)}));
    const awaited = new Set(waits.map(wait => keyOfOperation({...wait, operation: wait}, wait.queue)));
    const isAwaited = one => objectOf(one.operation).blocked === true || awaited.has(keyOfOperation(one, one.queue));
    const place = one => (isAwaited(one) ? 0 : 2) + (one.queue === "receives" ? 0 : 1);
    const listed = new Set();
    const distinct = [0, 1, 2, 3].flatMap(wanted => all.filter(one => place(one) === wanted)).filter(one => {
        const key = keyOfOperation(one, one.queue), isNew = !listed.has(key);
        if (isNew)
            for (const miss of listOf(one.near_misses).map(objectOf))
                listed.add(keyOfOperation(miss, objectOf(miss.operation).queue));
        return isNew;
    });
    const urgent = distinct.filter(isAwaited);
    return {shown: (urgent.length ? urgent : distinct).slice(0, MANY_MISSES), count: distinct.length};
}

function missLine(one) {
    const operation = objectOf(one.operation), open = () => goTo({rank: one.rank});
    return el("li", {class: "clickable", tabindex: 0, onclick: open, onkeydown: event => onEnter(event, open)},
        missText({...one, why: undefined, operation: {...operation, queue: one.queue}}),
        one.queue === "sends" ? " to " : " from ", peerText(operation), "; ",
        el("span", {class: "missing"}, listOf(one.near_misses).map(objectOf).slice(0, 4).map(missText).join("; ")));
}

// Messages that would match but for one thing.
function showMisses() {
    const {shown, count} = almostMatched(), card = byId("misses-card"), left = count - shown.length;
    card.hidden = count === 0;
    fill(card, el("h2", {}, "Almost matched"), el("ul", {class: "plain"}, shown.map(missLine)),
        left > 0 && hint("and ", button(() => goTo({unmatched: true}), counted(left, "other") + " in the table")));
}
