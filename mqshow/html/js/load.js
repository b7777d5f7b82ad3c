// SPDX-License-Identifier: BSD-3-Clause
// Unpacks the data of the page, then runs the page's program, whose text waits in the page.
"use strict";

let data = null;

async function unpack() {
    const packed = Uint8Array.from(atob(document.getElementById("data").textContent), letter => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    data = JSON.parse(await new Response(stream).text());
}

function run() {
    const program = document.createElement("script");
    program.textContent = document.getElementById("program").textContent;
    document.body.append(program);
    program.remove();
}

function complain(error) {
    const note = document.createElement("p");
    note.className = "note";
    note.textContent = "This browser cannot unpack the data of the page (" + error + "): use a newer one.";
    document.getElementById("top").append(note);
}

unpack().then(run, complain);
