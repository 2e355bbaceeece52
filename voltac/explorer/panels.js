// --- what the source became ---

function showExplanation() {
  const legend = [["fast", "whole vectors"], ["masked", "under a mask"], ["slow", "lane by lane"]].map(([kind, text]) =>
    make("span", {}, make("i", { className: kind }), text));
  const lines = source.value.split("\n");
  const facts = checked.facts.map((fact) => {
    const text = [...(lines[fact.line - 1] ?? "")].slice(fact.column - 1, fact.end_column - 1).join("");
    const remark = fact.remark ? `: ${fact.remark}` : "";
    const made = make("div", { className: `fact ${rank(fact)}`, data: { line: fact.line } },
      make("span", { className: "line" }, String(fact.line)), make("code", {}, text), ` ${fact.text}${remark}`);
    made.onclick = () => goTo(fact.line, fact.column);
    return made;
  });
  $("explanation").replaceChildren(make("p", { className: "quiet" }, checked.heading), make("div", { className: "legend" }, ...legend), ...facts);
}

function listingRow(line, className, ...content) {
  const made = make("div", { className, data: line ? { line } : {} }, make("span", { className: "line" }, line ? String(line) : ""),
    make("span", {}, ...content));
  if (line) made.onclick = (event) => event.target.tagName === "A" || goTo(line);
  return made;
}

const listingOf = (label, rows) => make("div", { className: "listing", tabIndex: 0, role: "group", ariaLabel: label }, ...rows);

let shownFunction = "";

function showAssembly() {
  const names = checked.assembly.map((one) => one.function);
  if (!names.includes(shownFunction)) shownFunction = names[0] ?? "";
  const choice = make("select", { ariaLabel: "function" }, ...names.map((name) => make("option", { value: name, selected: name === shownFunction }, name)));
  choice.onchange = () => {
    shownFunction = choice.value;
    showAssembly();
    cursorMoved();
  };
  const one = checked.assembly.find((each) => each.function === shownFunction);
  const isLabel = ({ text }) => text.endsWith(":") && !text.includes(" ");
  const rows = one?.lines.map((row) => listingRow(row.line, isLabel(row) ? "label" : "", row.text)) ?? [];
  const head = make("div", { className: "controls" }, ...(names.length > 1 ? [choice] : [make("code", {}, shownFunction)]),
    `${one?.lines.filter((row) => !isLabel(row)).length ?? 0} instructions`);
  $("assembly").replaceChildren(head, one ? listingOf(`assembly of ${shownFunction}`, rows) : make("p", { className: "quiet" }, "the program has no function"));
}

// --- both paths of statements ---

let pathsVersion = -1;

async function askPaths() {
  if (pathsVersion === version) return;
  const asked = (pathsVersion = version), panel = $("paths");
  panel.classList.add("stale");
  if (!panel.childElementCount) panel.append(make("p", { className: "quiet", role: "status" }, "compiling both paths ..."));
  const answer = await ask("paths");
  if (asked !== version) return;
  if (answer === null) {
    pathsVersion = -1;
  } else if (answer.functions) {
    panel.classList.remove("stale");
    showPaths(answer);
    cursorMoved();
  } else {
    // What the messages say need not be said again.
    pathsVersion = -1;
    if (answer.error) panel.replaceChildren(make("p", { className: "failed" }, answer.error));
  }
}

function showPaths({ legend, functions }) {
  const colours = legend.map(([colour, text]) => make("span", {}, make("i", { className: `is-${colour}` }), text));
  const shown = functions.flatMap(({ function: name, statements }, number) => [
    ...(functions.length > 1 ? [make("h2", {}, make("code", {}, name))] : []),
    ...statements.flatMap((one, index) => statementOf(one, `path-${number}-${index}`)),
    ...(statements.length ? [] : [make("p", { className: "quiet" }, "no foreach and no coherent statement: there is one path only")]),
  ]);
  $("paths").replaceChildren(make("div", { className: "legend" }, ...colours), ...shown);
}

function statementOf(statement, anchor) {
  const title = make("h3", { data: { line: statement.line } }, `${statement.kind} in line ${statement.line}: `, make("code", {}, statement.source));
  title.onclick = () => goTo(statement.line);
  const columns = statement.paths.map(({ name, rows }, side) => {
    const labels = new Map(rows.filter((row) => row.label).map((row, number) => [row.label, `${anchor}-${side}-${number}`]));
    const shown = rows.map((row) => row.label ? labelRow(row.label, labels) : instructionRow(row, labels));
    const count = make("span", { className: "quiet" }, ` ${rows.length - labels.size} instructions`);
    const listing = rows.length ? listingOf(name, shown) : make("p", { className: "quiet" }, "the optimiser has removed this path");
    return make("div", {}, make("b", {}, name), count, listing);
  });
  const counted = statement.counts.map(({ kind, colour, counts }) => make("tr", {},
    make("td", {}, make("i", { className: `swatch is-${colour}` }), kind), ...counts.map((count) => make("td", {}, String(count)))));
  const head = make("tr", {}, ...["instructions", "all on", "masked"].map((text) => make("th", {}, text)));
  return [title, make("div", { className: "pair" }, ...columns), make("table", {}, head, ...counted)];
}

function labelRow(label, labels) {
  const made = listingRow(0, "label", `${label}:`);
  made.id = labels.get(label);
  return made;
}

function instructionRow({ text, line, kind, colour, target, leaves }, labels) {
  const [mnemonic] = text.split(" ", 1);
  const operands = text.slice(mnemonic.length, text.length - target.length);
  const shown = labels.has(target) ? make("a", { href: `#${labels.get(target)}` }, target) : target;
  const row = listingRow(line, "", make("span", { className: `as-${colour}` }, mnemonic), operands, shown,
    ...(leaves ? [make("span", { className: "leaves" }, ` → ${leaves}`)] : []));
  row.title = kind;
  return row;
}

// --- tabs ---

const tabs = [...document.querySelectorAll("[role=tab]")];
const selected = () => tabs.find((tab) => tab.getAttribute("aria-selected") === "true").dataset.panel;

function select(chosen) {
  for (const tab of tabs) {
    tab.setAttribute("aria-selected", String(tab === chosen));
    tab.tabIndex = tab === chosen ? 0 : -1;
    $(tab.dataset.panel).hidden = tab !== chosen;
  }
  openPanel();
  cursorMoved();
}

// What takes longer is only asked for where somebody looks at it.
function openPanel() {
  if (selected() === "paths") askPaths();
  if (selected() === "stepper" && !run) callFunction();
}

for (const [number, tab] of tabs.entries()) {
  tab.addEventListener("click", (event) => {
    select(tab);
    // By the pointer: the arrow keys are for the steps then.
    if (event.detail && tab.dataset.panel === "stepper") focusSteps();
  });
  tab.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = tabs.at((number + by) % tabs.length);
    next.focus();
    select(next);
  });
}

$("explanation").addEventListener("keydown", (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const lines = [...new Set(checked.facts.map((fact) => fact.line))].sort((one, other) => by * (one - other));
  const next = lines.find((line) => by * (line - cursorLine()) > 0);
  if (next) goTo(next, 1, false);
  $("explanation").querySelector(".here")?.scrollIntoView({ block: "nearest" });
});
