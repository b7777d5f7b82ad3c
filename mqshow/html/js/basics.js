// SPDX-License-Identifier: BSD-3-Clause
// Elements, and values of a document that may be anything: data only ever becomes text.
"use strict";

const SVG = "http://www.w3.org/2000/svg";

// What could hide or reorder other text is shown by its bytes, as mqshow does.
const HARMFUL = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

function bytesOf(character) {
    return Array.from(new TextEncoder().encode(character), byte => "\\x" + byte.toString(16).padStart(2, "0")).join("");
}

function clean(text) {
    return text.replace(HARMFUL, bytesOf);
}

const listOf = value => Array.isArray(value) ? value : [];
const objectOf = value => value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
const isNumber = value => typeof value === "number" || (typeof value === "string" && /^-?\d+$/.test(value));

// A text to show; "" for what is no text, number or truth value.
function textOf(value) {
    if (typeof value === "string")
        return clean(value);
    return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function addTo(parent, children) {
    for (const child of children.flat(Infinity))
        if (child instanceof Node)
            parent.append(child);
        else if (child !== null && child !== undefined && child !== false && child !== "")
            parent.append(document.createTextNode(String(child)));
    return parent;
}

function setAll(element, attributes) {
    for (const [name, value] of Object.entries(attributes))
        if (name.startsWith("on"))
            element.addEventListener(name.slice(2), value);
        else if (value === true)
            element.setAttribute(name, "");
        else if (value !== false && value !== null && value !== undefined)
            element.setAttribute(name, String(value));
    return element;
}

// Attribute names are the page's own, never the document's.
function el(name, attributes, ...children) {
    return addTo(setAll(document.createElement(name), attributes), children);
}

function svg(name, attributes, ...children) {
    return addTo(setAll(document.createElementNS(SVG, name), attributes), children);
}

function byId(id) {
    return document.getElementById(id);
}

function fill(element, ...children) {
    element.replaceChildren();
    return addTo(element, children);
}

function counted(number, one, many) {
    return number.toLocaleString("en") + " " + (number === 1 ? one : many || one + "s");
}

// As mqshow writes it: in units only what is a whole number of them, or much.
function bytesText(bytes) {
    if (!Number.isFinite(bytes))
        return textOf(bytes);
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = 0;
    while (unit + 1 < units.length && bytes >= 10240) {
        bytes /= 1024;
        unit++;
    }
    return (Number.isInteger(bytes) ? bytes : bytes.toFixed(1)) + " " + units[unit];
}

// Shortens in the middle, so that begin and end stay.
function shortened(text, length) {
    const half = Math.floor(length / 2);
    return text.length <= length ? text : text.slice(0, length - half - 1) + "…" + text.slice(-half);
}

// The parts that there are, in one text.
function joined(separator, ...parts) {
    return parts.filter(Boolean).join(separator);
}

function hint(...content) {
    return el("p", {class: "hint"}, content);
}

function note(...content) {
    return el("p", {class: "note"}, content);
}

function button(action, ...content) {
    return el("button", {type: "button", onclick: action}, content);
}

// How many of a list are not shown.
function leftOut(all, shown, what) {
    return all > shown && note(counted(all - shown, "other " + what) + " not shown.");
}

// "exchange at ring.c:17"; "" when nothing is known.
function placeText(frame) {
    const {function: name, file, line} = objectOf(frame);
    const place = file !== undefined && isNumber(line) ? textOf(file).split("/").pop() + ":" + textOf(line) : "";
    return [textOf(name), place].filter(Boolean).join(" at ");
}
