"use strict";
const $ = (id) => document.getElementById(id);
const source = $("source"), options = $("options");
const session = [...crypto.getRandomValues(new Uint32Array(2))].map((part) => part.toString(36)).join("");
// What the last answer says; `step` is the line that the stepper is at; `version` counts changes of what is to be compiled.
let checked = { diagnostics: [], facts: [], assembly: [], functions: [] };
let step = 0, version = 0;

function make(tag, properties, ...children) {
  const { data, ...plain } = properties ?? {};
  const made = Object.assign(document.createElement(tag), plain);
  Object.assign(made.dataset, data ?? {});
  made.append(...children);
  return made;
}

async function ask(question, more) {
  const body = JSON.stringify({ source: source.value, options: options.value, session, ...more });
  let response;
  try {
    response = await fetch(question, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  } catch {
    return { error: "the server does not answer: has 'voltac explorer' ended?", diagnostics: [] };
  }
  try {
    const answer = await response.json();
    // Overtaken by a newer question, whose answer is the one to show, or cancelled.
    return answer.superseded ? null : answer;
  } catch {
    return { error: `the server says ${response.status} ${response.statusText}`, diagnostics: [] };
  }
}

// --- the editor ---

const words = {
  keyword: `if else for while do switch case default break continue return goto foreach foreach_tiled foreach_active
    foreach_unique cif cfor cwhile cdo in launch sync print assert new delete sizeof export extern static inline noinline
    typedef struct enum template typename const operator`,
  rate: "uniform varying soa unmasked task",
  type: `void bool int uint float double float16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 unsigned signed size_t
    ptrdiff_t intptr_t uintptr_t`,
  number: "true false NULL programIndex programCount taskIndex taskCount threadIndex threadCount",
};
const kindOf = new Map(Object.entries(words).flatMap(([kind, list]) => list.split(/\s+/).map((word) => [word, kind])));
const token = /(\/\/.*|\/\*[\s\S]*?(?:\*\/|$))|("(?:\\.|[^"\\\n])*"?)|^([ \t]*#[ \t]*\w+)|\b(0x[\da-fA-F.]+(?:p[+-]?\d+)?\w*|\d[\d.]*(?:[ed][+-]?\d+)?\w*)|([A-Za-z_]\w*)/gm;

function colours(text) {
  const kinds = new Array(text.length).fill("");
  for (const match of text.matchAll(token)) {
    const kind = match[1] ? "comment" : match[2] ? "string" : match[3] ? "directive" : match[4] ? "number" : kindOf.get(match[5]);
    if (kind) kinds.fill(kind, match.index, match.index + match[0].length);
  }
  return kinds;
}

const ours = (item) => item.line && item.file === checked.file;
const isError = (item) => item.kind === "error";

// Where characters of a line begin in the text: columns count characters, JavaScript halves of them.
const offset = (line, column) => [...line].slice(0, column - 1).join("").length;

function paint() {
  const text = source.value, lines = text.split("\n"), kinds = colours(text), marks = new Array(text.length).fill("");
  const starts = [];
  let start = 0;
  for (const line of lines) {
    starts.push(start);
    start += line.length + 1;
  }
  for (const item of checked.diagnostics.filter(ours)) {
    const line = lines[item.line - 1];
    if (line === undefined) continue;
    const first = offset(line, item.column);
    const last = item.end && item.end.line === item.line ? offset(line, item.end.column) : line.length;
    const begin = starts[item.line - 1] + Math.min(first, Math.max(line.length - 1, 0));
    marks.fill(isError(item) ? "wrong" : "doubtful", begin, Math.max(begin + 1, starts[item.line - 1] + last));
  }
  const rows = lines.map((line, number) => {
    const row = make("div", { className: number + 1 === step ? "step" : "" });
    let from = starts[number];
    const end = from + line.length;
    for (let at = from + 1; at <= end; at++) {
      if (at < end && kinds[at] === kinds[from] && marks[at] === marks[from]) continue;
      row.append(make("span", { className: `${kinds[from]} ${marks[from]}` }, text.slice(from, at)));
      from = at;
    }
    if (!line) row.append("\u200b");
    return row;
  });
  $("paint").replaceChildren(...rows);
  $("gutter").replaceChildren(...lines.map((_, number) => make("div", { className: gutterClass(number + 1) }, String(number + 1))));
  scroll();
}

function gutterClass(line) {
  const at = (item) => item.line === line;
  const messages = checked.diagnostics.filter(ours).filter(at);
  const kinds = checked.facts.filter(at).map(rank);
  const worst = ["slow", "masked", "fast"].find((kind) => kinds.includes(kind)) ?? "";
  return `${messages.some(isError) ? "error" : messages.length ? "warning" : worst} ${line === step ? "step" : ""}`;
}

function rank(fact) {
  if (!fact.kind) return "";
  return ["gather", "scatter", "scalar"].includes(fact.kind) ? "slow" : fact.kind === "masked" ? "masked" : "fast";
}

function scroll() {
  $("paint").scrollTop = $("gutter").scrollTop = source.scrollTop;
  $("paint").scrollLeft = source.scrollLeft;
}

function goTo(line, column = 1, focus = true) {
  const lines = source.value.split("\n");
  if (line > lines.length) return;
  const at = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + offset(lines[line - 1], column);
  if (focus) source.focus({ preventScroll: true });
  source.setSelectionRange(at, at);
  show(line);
  cursorMoved();
}

function show(line) {
  const height = $("gutter").firstElementChild?.offsetHeight ?? 20;
  const top = (line - 1) * height;
  if (top < source.scrollTop || top + 3 * height > source.scrollTop + source.clientHeight) {
    source.scrollTop = Math.max(0, top - source.clientHeight / 3);
  }
  scroll();
}

const cursorLine = () => source.value.slice(0, source.selectionStart).split("\n").length;

function cursorMoved() {
  const line = String(cursorLine());
  for (const element of document.querySelectorAll("#right [data-line]")) {
    element.classList.toggle("here", element.dataset.line === line);
  }
  for (const listing of document.querySelectorAll("#right .listing")) {
    const first = listing.querySelector(".here");
    if (first) listing.scrollTop = first.offsetTop - listing.offsetTop - listing.clientHeight / 4;
  }
  showCursorLine(line);
}

source.addEventListener("keydown", (event) => {
  // Escape first, and Tab leaves the editor: nobody is caught in it.
  if (event.key === "Escape") source.blur();
  if (event.key !== "Tab" || event.shiftKey || event.ctrlKey || event.altKey) return;
  event.preventDefault();
  source.setRangeText("    ", source.selectionStart, source.selectionEnd, "end");
  edited();
});

// --- checking while somebody types ---

let waiting = 0;

function edited() {
  version++;
  leaveSteps();
  paint();
  clearTimeout(waiting);
  waiting = setTimeout(check, 250);
}

async function check() {
  $("status").textContent = "compiling ...";
  const began = performance.now();
  const answer = await ask("check");
  if (answer === null) return;
  const took = Math.round(performance.now() - began);
  const known = answer.assembly !== undefined;
  checked = { ...(known ? {} : { assembly: checked.assembly, functions: checked.functions }), facts: [], diagnostics: [], ...answer };
  const errors = checked.diagnostics.filter(isError).length, others = checked.diagnostics.length - errors;
  const counts = [errors ? `${errors} error${errors > 1 ? "s" : ""}` : "", others ? `${others} warning${others > 1 ? "s" : ""}` : ""];
  $("status").textContent = `${counts.filter(Boolean).join(", ") || (answer.error ? "no answer" : "no errors")}, ${took} ms`;
  paint();
  showMessages();
  for (const panel of ["explanation", "assembly"]) $(panel).classList.toggle("stale", !known);
  if (known) {
    showExplanation();
    showAssembly();
    showForm();
    cursorMoved();
  }
  openPanel();
}

function showMessages() {
  const items = checked.diagnostics.map((item) => {
    const place = item.line ? `${ours(item) ? "line" : item.file} ${item.line}:${item.column} ` : "";
    const notes = [...item.notes, ...item.chain].map((note) => make("small", {}, `${note.line ? `line ${note.line}: ` : ""}${note.message}`));
    const made = make("li", { className: isError(item) ? "error" : "warning" }, make("b", {}, `${place}${item.kind}: `), item.message, ...notes);
    if (ours(item)) made.onclick = () => goTo(item.line, item.column);
    return made;
  });
  nextMessage = 0;
  if (checked.error) items.unshift(make("li", { className: "error" }, checked.error));
  $("messages").replaceChildren(...items);
}

let nextMessage = 0;

function goToMessage(by) {
  const items = checked.diagnostics.filter(ours);
  if (!items.length) return;
  const item = items.at((nextMessage + (by < 0 ? -2 : 0)) % items.length);
  nextMessage = items.indexOf(item) + 1;
  goTo(item.line, item.column);
}

