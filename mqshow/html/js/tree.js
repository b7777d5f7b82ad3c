// SPDX-License-Identifier: BSD-3-Clause
// The stacks of all threads as one tree: a row for each branch up to where it divides.

const MANY_BRANCHES = 400; // rows that are shown at once
const FIRST_BRANCHES = 24; // rows when the page opens, of the largest branches

const tree = objectOf(data.tree);

// Branches: {nodes, children, depth, index, text}, each before its children, which are in the tree's order.
function readBranches() {
    const all = listOf(tree.nodes).map(objectOf), children = all.map(() => []), roots = [], branches = [];
    all.forEach((node, i) => {
        const isChild = Number.isInteger(node.parent) && node.parent >= 0 && node.parent < i;
        (isChild ? children[node.parent] : roots).push(i);
    });
    const left = roots.map(i => [i, null]).reverse();
    while (left.length) {
        const [first, parent] = left.pop(), nodes = [all[first]];
        let last = first;
        while (children[last].length === 1 && all[children[last][0]].threads === all[first].threads) {
            last = children[last][0];
            nodes.push(all[last]);
        }
        const branch = {nodes, children: [], parent, depth: parent ? parent.depth + 1 : 0, index: branches.length};
        branch.text = nodes.map(stepText).join(" › ");
        if (parent)
            parent.children.push(branch);
        branches.push(branch);
        left.push(...children[last].map(i => [i, branch]).reverse());
    }
    return branches;
}

function stepText(node) {
    const file = textOf(node.file).split("/").pop(), name = textOf(node.name);
    const place = !file || (!isNumber(node.line) && name.includes(file)) ? ""
        : isNumber(node.line) ? " at " + file + ":" + textOf(node.line) : " in " + file;
    return name + place + (isNumber(node.repeats) ? " (up to " + textOf(node.repeats) + " in a row)" : "");
}

const branches = readBranches();
const openBranches = new Set();

// The largest branches are open at first, and what is above them.
function openLargest() {
    const sorted = branches.slice().sort((a, b) => b.nodes[0].threads - a.nodes[0].threads || a.index - b.index);
    for (const branch of sorted.slice(0, FIRST_BRANCHES))
        if (branch.parent)
            openBranches.add(branch.parent.index);
}

// Runs that follow each other as one.
function runsText(list) {
    const runs = [];
    for (const [first, last] of parseRanges(listOf(list).join(",")) || [])
        if (runs.length && runs[runs.length - 1][1] + 1 === first)
            runs[runs.length - 1][1] = last;
        else
            runs.push([first, last]);
    return runs.map(([first, last]) => first === last ? String(first) : first + "-" + last).join(", ");
}

// Without MPI, processes are known by their ids.
function whoText(list) {
    if (!isPlain)
        return runsText(list) || "no rank";
    return rangesText(ranksIn(list).map(number => Number(ranks.get(number).process.pid)).sort((a, b) => a - b));
}

function openBranch(list) {
    openRanges(runsText(list).replace(/ /g, ""));
}

function movesText(node) {
    if (!isNumber(node.moved) || Number(node.moved) === 0)
        return "";
    return node.moved === node.threads ? "moves" : counted(Number(node.moved), "thread") + " of " + textOf(node.threads) + " moved";
}

function toggle(branch) {
    if (!openBranches.delete(branch.index))
        openBranches.add(branch.index);
    showBranches();
    const row = document.querySelector("#tree-rows [data-branch='" + branch.index + "'] button");
    if (row)
        row.focus();
}

function branchRow(branch, isOpen, words) {
    const node = branch.nodes[0], open = () => openBranch(node.ranks), isFound = words && branch.text.toLowerCase().includes(words);
    const last = branch.nodes[branch.nodes.length - 1];
    const knob = branch.children.length > 0 && el("button", {type: "button", class: "knob", "aria-expanded": String(isOpen),
        "aria-label": isOpen ? "Close" : "Open", onclick: event => { event.stopPropagation(); toggle(branch); }}, isOpen ? "▾" : "▸");
    return el("tr", {class: "clickable kind-" + textOf(last.kind) + (isFound ? " found" : ""), tabindex: 0, "data-branch": branch.index,
                     onclick: open, onkeydown: event => event.target === event.currentTarget && onEnter(event, open)},
        el("td", {class: "ranks", title: shortened(whoText(node.ranks), 2000)}, shortened(whoText(node.ranks), 28)),
        el("td", {class: "number"}, textOf(node.threads)),
        el("td", {}, el("div", {class: "branch depth-" + Math.min(branch.depth, 20)}, knob || el("span", {class: "knob"}),
            el("bdi", {title: branch.nodes.map(stepText).join("\n")}, shortened(branch.text, 220)))),
        el("td", {class: "moves"}, movesText(node)));
}

// The rows that are shown: those of open branches, or with a search those that have it and what is above them.
function chosenBranches(words) {
    if (!words)
        return branches.filter(branch => !branch.parent || isShown(branch.parent));
    const wanted = new Set();
    for (const branch of branches)
        if (branch.text.toLowerCase().includes(words))
            for (let one = branch; one && !wanted.has(one); one = one.parent)
                wanted.add(one);
    return branches.filter(branch => wanted.has(branch));
}

function isShown(branch) {
    for (let one = branch; one; one = one.parent)
        if (!openBranches.has(one.index))
            return false;
    return true;
}

function showBranches() {
    const words = byId("tree-search").value.trim().toLowerCase(), rows = chosenBranches(words);
    fill(byId("tree-rows"), rows.slice(0, MANY_BRANCHES).map(branch => branchRow(branch, words || openBranches.has(branch.index), words)));
    fill(byId("tree-count"), words ? counted(rows.filter(branch => branch.text.toLowerCase().includes(words)).length, "branch", "branches") : "",
        rows.length > MANY_BRANCHES && " " + counted(rows.length - MANY_BRANCHES, "other row") + " not shown");
}

function outlierLine(one) {
    const open = () => openBranch(one.ranks), place = textOf(one.place), others = textOf(one.others_place);
    return el("li", {class: "clickable", tabindex: 0, onclick: open, onkeydown: event => onEnter(event, open)},
        el("strong", {}, shortened(whoText(one.ranks), 40)), place && (one.count === 1 ? " alone " : " ") + place,
        others && [place ? "; " : " not where ", textOf(one.others) + " others ", place ? "" : "are: ", el("bdi", {}, others)]);
}

function showTree() {
    const card = byId("tree-card"), outliers = listOf(tree.outliers).map(objectOf);
    card.hidden = branches.length === 0;
    openLargest();
    fill(card, el("div", {class: "card-head"}, el("h2", {}, "Stacks of all threads"),
            el("input", {id: "tree-search", type: "search", placeholder: "function or call", "aria-label": "Search the stacks",
                         oninput: showBranches}), el("span", {id: "tree-count", class: "hint"})),
        outliers.length > 0 && el("ul", {class: "plain outliers"}, outliers.slice(0, 8).map(outlierLine)),
        leftOut(outliers.length, 8, "group elsewhere"),
        el("div", {id: "tree-scroller", class: "scroller"}, el("table", {class: "stacks"},
            el("thead", {}, el("tr", {}, el("th", {scope: "col"}, isPlain ? "Pids" : graph.by_index ? "Processes" : "Ranks"),
                el("th", {scope: "col", class: "number"}, "Threads"), el("th", {scope: "col"}, "Frames"), el("th", {scope: "col"}))),
            el("tbody", {id: "tree-rows"}))),
        isNumber(tree.nodes_left_out) && note(counted(Number(tree.nodes_left_out), "smaller branch", "smaller branches") + " not shown."));
    showBranches();
}
