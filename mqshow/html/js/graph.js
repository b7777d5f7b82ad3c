// SPDX-License-Identifier: BSD-3-Clause
// The wait-for graph, where Graphviz has put it.

const MARGIN = 6;
const LINE_HEIGHT = 17;

// Signs of the kinds, in a square of 14: colours are never the only sign.
const SIGNS = {
    cycle: "M12.2,5.2A5.6,5.6 0 1 0 12.4,8.6M12.9,1.6V5.4H9",
    waits: "M4.5,2.5V11.5M9.5,2.5V11.5",
    runs: "M3.5,2L11.5,7L3.5,12Z",
    mpi: "M1.5,7H11M7.5,3.5L11.5,7L7.5,10.5",
    unknown: "M4.2,5A2.9,2.9 0 1 1 7,7.6V9M7,11.4V12",
    unread: "M3,3L11,11M11,3L3,11",
};

function sign(kind, x, y) {
    return svg("path", {class: "sign", d: SIGNS[kind] || SIGNS.unknown, transform: x === undefined ? null :
        "translate(" + x + "," + y + ")"});
}

function signIcon(kind) {
    const name = SIGNS[kind] ? kind : "unknown";
    const attributes = {class: "icon kind-" + name, viewBox: "0 0 14 14", width: 14, height: 14, "aria-hidden": "true"};
    return svg("svg", attributes, sign(name));
}

function nodeTitle(node) {
    if (node.thread !== undefined)
        return textOf(node.thread);
    const text = textOf(node.ranks).replace(/^\[(.*)\]$/, "$1").replace(/,/g, ", ");
    return node.count === 1 ? rankName(Number(text)) : (graph.by_index ? "processes " : "ranks ") + text;
}

// The title as far as there is room; of many ranks their number is more useful than the first of them.
function shortTitle(node, letters) {
    const title = nodeTitle(node);
    if (title.length <= letters)
        return title;
    const count = graph.by_index ? counted(node.count, "process", "processes") : counted(node.count, "rank");
    return (count + ": " + title.replace(/^\S+ /, "")).slice(0, letters - 1) + "…";
}

// The state of its process; of several, what they have in common.
function nodeState(node) {
    if (node.thread !== undefined)
        return "";
    const rank = node.count === 1 ? ranks.get(Number(bare(textOf(node.ranks)))) : undefined;
    return stateOf(rank ? rank.process : node);
}

function nodeLines(node) {
    const lines = [
        {text: nodeState(node), name: "late"},
        {text: textOf(node.call) || KINDS[node.kind], name: "call"},
        {text: textOf(node.place), name: "place"},
    ];
    if (node.inside)
        lines.push({text: (node.thread === undefined ? "thread " : "") + textOf(node.inside), name: "late"});
    if (node.late)
        lines.push({text: "not in " + textOf(node.late), name: "late"});
    return lines.filter(line => line.text);
}

function nodeLabel(node) {
    const parts = [nodeTitle(node), nodeState(node), KINDS[node.kind], textOf(node.call), textOf(node.place)];
    if (node.inside)
        parts.push((node.thread === undefined ? "another thread " : "") + textOf(node.inside));
    if (node.late)
        parts.push("is not in " + textOf(node.late));
    return parts.filter(Boolean).join(", ");
}

// The inner frame of those in a cycle.
function innerFrame(left, top, width, height) {
    return svg("rect", {class: "inner", x: left + 3, y: top + 3, width: width - 6, height: height - 6, rx: 6.5});
}

const MANY_LETTERS = 100; // more than a box has room for
const uncut = [];

// A text for a room of some width. short(n) is the text in at most n letters, how many there is room for shows in the page.
function textFor(room, short, attributes) {
    const element = svg("text", attributes, short(MANY_LETTERS));
    uncut.push({element, room, short});
    return element;
}

// Cuts the texts that are drawn now: letters are as wide as the browser's fonts have them.
function cutTexts() {
    for (const {element, room, short} of uncut.splice(0)) {
        let fits = 1, end = element.getComputedTextLength() <= room ? 1 : MANY_LETTERS;
        while (fits + 1 < end) {
            const middle = fits + end >> 1;
            element.textContent = short(middle);
            if (element.getComputedTextLength() <= room)
                fits = middle;
            else
                end = middle;
        }
        if (end > 1)
            element.textContent = short(fits);
    }
}

function drawNode(node, place) {
    const {x, y, w, h} = node;
    const left = x - w / 2, top = y - h / 2;
    const lines = nodeLines(node);
    const first = y - (lines.length * LINE_HEIGHT) / 2 + 4.5;
    const open = () => openNode(place);
    return svg("g", {class: "node kind-" + node.kind, tabindex: 0, role: "button", "aria-label": nodeLabel(node),
                     "data-node": place, onclick: open, onkeydown: event => onEnter(event, open)},
        svg("title", {}, nodeLabel(node)),
        svg("rect", {class: "box", x: left, y: top, width: w, height: h, rx: 9}),
        node.kind === "cycle" && innerFrame(left, top, w, h),
        sign(node.kind, left + 11, first - 11),
        textFor(w - 42, letters => shortTitle(node, letters), {class: "name", x: left + 32, y: first}),
        lines.map((line, i) => textFor(w - 22, letters => shortened(line.text, letters),
                                       {class: line.name, x: left + 12, y: first + (i + 1) * LINE_HEIGHT})));
}

// A curve up to its tip, with the head of an arrow there.
function drawArrow(path, tip) {
    const end = path.slice(path.lastIndexOf(" ") + 1).split(",").map(Number);
    const length = Math.hypot(tip.x - end[0], tip.y - end[1]) || 1;
    const dx = (tip.x - end[0]) / length, dy = (tip.y - end[1]) / length;
    const at = (back, side) =>
        (tip.x - dx * back - dy * side).toFixed(1) + "," + (tip.y - dy * back + dx * side).toFixed(1);
    return [
        svg("path", {d: path + "L" + at(8, 0)}),
        svg("polygon", {points: [at(0, 0), at(11, 4.2), at(8.5, 0), at(11, -4.2)].join(" ")}),
    ];
}

function edgeLabel(edge) {
    const nodes = listOf(graph.nodes);
    return joined(", ", nodeTitle(nodes[edge.from]) + " → " + nodeTitle(nodes[edge.to]), textOf(edge.label),
                  edge.needs === "any" && "one of several is enough", edge.cycle && "in a cycle");
}

function drawEdge(edge) {
    if (!edge.path)
        return null;
    return svg("g", {class: "edge needs-" + edge.needs + (edge.cycle ? " in-cycle" : ""),
                     "data-edge": edge.from + " " + edge.to},
        svg("title", {}, edgeLabel(edge)),
        drawArrow(edge.path, edge.tip),
        edge.label && edge.label_at && svg("text", {x: edge.label_at.x, y: edge.label_at.y + 4}, textOf(edge.label)));
}

function drawGraph() {
    const width = graph.width + 2 * MARGIN, height = graph.height + 2 * MARGIN;
    return svg("svg", {id: "graph-svg", viewBox: [-MARGIN, -MARGIN, width, height].join(" "), role: "group",
                       "aria-label": "Who waits for whom"},
        listOf(graph.edges).filter(edge => !edge.cycle).map(drawEdge),
        listOf(graph.edges).filter(edge => edge.cycle).map(drawEdge),
        listOf(graph.nodes).map(drawNode));
}

// Sizes of the graph next to the one that it is drawn in.
const SMALLEST = 0.5; // that can be read
const STEP = 1.25;
const TALLEST = 700; // pixels of a whole graph
let zoom = 1;

function setZoom(wanted) {
    zoom = Math.max(0.1, Math.min(wanted, 3));
    byId("graph-svg").style.width = (graph.width + 2 * MARGIN) * zoom + "px";
}

// As large as there is room, or as it must be to be read.
function fitGraph() {
    const room = byId("graph-scroller").clientWidth / (graph.width + 2 * MARGIN);
    setZoom(Math.min(1, Math.max(room, SMALLEST)));
}

function showWhole() {
    const room = byId("graph-scroller").clientWidth / (graph.width + 2 * MARGIN);
    setZoom(Math.min(1, room, TALLEST / (graph.height + 2 * MARGIN)));
}

function zoomButtons() {
    const named = (label, element) => setAll(element, {"aria-label": label, title: label});
    return el("span", {class: "zoom"},
        named("Smaller", button(() => setZoom(zoom / STEP), "−")),
        named("Larger", button(() => setZoom(zoom * STEP), "+")),
        named("Fit", button(showWhole, "Fit")));
}

function legend() {
    const present = Object.keys(KINDS).filter(kind => listOf(graph.nodes).some(node => node.kind === kind));
    const sample = name => svg("svg", {class: "edge needs-" + name, width: 26, height: 8, "aria-hidden": "true"},
                               svg("path", {d: "M1,4H25"}));
    const line = (name, text) => el("span", {class: "legend-item"}, sample(name), text);
    return el("p", {class: "legend"},
        present.map(kind => el("span", {class: "legend-item"}, signIcon(kind), KINDS[kind])),
        listOf(graph.edges).some(edge => edge.needs === "all") && line("all", "waits for"),
        listOf(graph.edges).some(edge => edge.needs === "any") && line("any", "one of these is enough"));
}

function edgeList() {
    const edges = listOf(graph.edges);
    return edges.length > 0 && el("details", {}, el("summary", {}, "The same as a list"),
        el("ul", {class: "plain"}, edges.map(edge => el("li", {}, edgeLabel(edge)))));
}

function showGraph() {
    const isOfThreads = listOf(graph.nodes).some(node => node.thread !== undefined);
    const folded = listOf(graph.nodes).some(node => node.count > 1);
    const about = graph.error ? "The graph is not drawn: " + textOf(graph.error) + "." :
        !listOf(graph.nodes).length ? "There are no processes." :
        !source.verdict ? "The document has no verdict: who waits for whom is not known." : "";
    const isDrawn = !graph.error && Number.isFinite(graph.width);
    fill(byId("graph-card"),
        el("div", {class: "card-head"}, el("h2", {}, "Who waits for whom"), legend(), isDrawn && zoomButtons()),
        about && note(about),
        isDrawn && el("div", {class: "scroller", id: "graph-scroller"}, drawGraph()),
        graph.all_edges === false && note("Not all waits are drawn: there are too many."),
        !graph.error && hint("Click on a " + (isOfThreads ? "thread for all threads and" : isPlain ? "process for its threads and" : "rank for its threads, queues and") + " OpenMP regions.",
            folded && " Ranks that do the same are drawn as one node."),
        edgeList());
    if (isDrawn) {
        fitGraph();
        cutTexts();
    }
}

// The node that is open is marked.
function markNode(place) {
    for (const node of document.querySelectorAll("#graph-svg .node"))
        node.classList.toggle("open", node.dataset.node === String(place));
}
