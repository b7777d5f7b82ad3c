// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP side of a process as a tree: regions, their threads, the tasks that these execute.

const MANY_THREADS = 300;

function codeText(code) {
    const {name, symbol, file, line, address} = objectOf(code);
    return placeText({function: name || symbol || address, file, line});
}

function taskText(task) {
    return joined(" at ", task.implicit === true ? "implicit task" : "task", codeText(task.function));
}

function taskList(tasks) {
    const shown = listOf(tasks).map(objectOf).filter(task => task.implicit !== true);
    return shown.length > 0 && el("ul", {}, shown.slice(0, 50).map(task => el("li", {class: "task"}, taskText(task))));
}

// What a thread waits for, and who can end that.
function awaitedText(thread, threads) {
    const wait = objectOf(thread.wait), name = objectOf(thread.waits_for).name || wait.name;
    const numbers = ids => listOf(ids).map(id => threads.find(one => one.id === id)).filter(Boolean)
        .map(one => textOf(one.thread_num)).join(", ");
    const held = numbers([wait.holder]), maybe = numbers(wait.candidates), missing = numbers(wait.missing);
    return joined(", ", name && "for " + textOf(name), held && "held by thread " + held,
        maybe && "possibly held by thread " + maybe, missing && "until thread " + missing + " is there");
}

function ompThread(thread, threads, inside) {
    const tid = thread.tid !== undefined && "tid " + textOf(thread.tid);
    const words = joined(" · ", "thread " + textOf(thread.thread_num), tid);
    return el("li", {}, words, " ", thread.state !== undefined && el("code", {}, textOf(thread.state)),
        " ", awaitedText(thread, threads), taskList(thread.tasks), inside);
}

function regionText(region) {
    const place = joined(" at ", region.level === 0 ? "outermost region" : "region", codeText(region.function));
    return joined(" · ", place, region.team_size !== undefined && "team of " + textOf(region.team_size));
}

// A region with its threads, and below each thread the regions that it has started. `seen` ends loops.
function regionItem(omp, region, seen) {
    if (seen.has(region.id))
        return null;
    seen.add(region.id);
    const inner = omp.regions.filter(one => one.parent === region.id);
    const threads = omp.threads.filter(thread => thread.region === region.id);
    const placed = new Set();
    const startedBy = thread => inner.filter(one => one.primary === thread.id).map(one => {
        placed.add(one);
        return regionItem(omp, one, seen);
    });
    const items = threads.slice(0, MANY_THREADS).map(thread =>
        ompThread(thread, omp.threads, el("ul", {}, startedBy(thread))));
    return el("li", {class: "region"}, regionText(region),
        el("ul", {}, items, inner.filter(one => !placed.has(one)).map(one => regionItem(omp, one, seen))),
        leftOut(threads.length, MANY_THREADS, "thread"));
}

function openmpOf(rank) {
    const openmp = objectOf(rank.process.openmp);
    if (!rank.process.openmp)
        return null;
    const omp = {regions: listOf(openmp.regions).map(objectOf), threads: listOf(openmp.threads).map(objectOf)};
    const ids = new Set(omp.regions.map(region => region.id)), seen = new Set();
    const roots = omp.regions.filter(region => !ids.has(region.parent));
    const idle = omp.threads.filter(thread => !ids.has(thread.region));
    const others = listOf(openmp.other_threads).length, backend = textOf(openmp.backend);
    return section("OpenMP",
        hint(joined(" ", textOf(openmp.runtime), textOf(openmp.release), backend && "(" + backend + ")")),
        el("ul", {class: "tree"}, roots.map(region => regionItem(omp, region, seen)),
            omp.regions.filter(region => !seen.has(region.id)).map(region => regionItem(omp, region, seen)),
            idle.slice(0, MANY_THREADS).map(thread => ompThread(thread, omp.threads, null))),
        others > 0 && hint(counted(others, "other thread") + " of the process."));
}
