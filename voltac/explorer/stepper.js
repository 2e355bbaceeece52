// --- the stepper: a call that was recorded, gone through in both directions ---

// `run` is the last answer, with the state behind each step; `at` is the step that is shown.
let run = null, at = 0, calling = 0;
// Words that somebody typed, by function and parameter.
const typed = new Map();
let calledFunction = "";

const arrayWords = "range, zeros, random, as many as it takes; range:32; or 1, 2, 3";

function showForm() {
  const names = checked.functions.map((one) => one.name);
  if (!names.includes(calledFunction)) calledFunction = names[0] ?? "";
  const chosen = checked.functions.find((one) => one.name === calledFunction);
  const choice = make("select", { id: "function", ariaLabel: "function" }, ...names.map((name) => make("option", { value: name, selected: name === calledFunction }, name)));
  choice.onchange = () => {
    calledFunction = choice.value;
    showForm();
    callFunction();
  };
  const fields = (chosen?.parameters ?? []).map(({ name, type, kind, word }) => {
    const key = `${calledFunction} ${name} ${type}`;
    const field = make("input", { value: typed.get(key) ?? word, title: kind === "array" ? `${type}: ${arrayWords}` : type, spellcheck: false, autocomplete: "off", className: kind });
    field.addEventListener("input", () => typed.set(key, field.value));
    if (kind === "array") field.setAttribute("list", "fills");
    return make("label", {}, name, field);
  });
  $("call").replaceChildren(...(names.length ? [choice, ...fields, make("button", { type: "submit" }, "Run"), $("stop")] : []));
}

const texts = () => [...$("call").querySelectorAll("input")].map((field) => field.value);

async function callFunction() {
  if (!calledFunction) return tellRun(checked.assembly.length ? "the program exports no function" : "");
  const number = ++calling;
  $("stop").hidden = false;
  tellRun("running ...");
  const answer = await ask("step", { function: calledFunction, arguments: JSON.stringify(texts()) });
  if (number !== calling) return;
  $("stop").hidden = true;
  if (answer === null) return tellRun("cancelled");
  if (!answer.steps) return tellRun(answer.error ?? "the program has mistakes", true);
  run = { ...answer, version, states: statesOf(answer) };
  $("steps").classList.remove("stale");
  const hadFocus = wantsFocus || $("steps").contains(document.activeElement);
  drawRun();
  goToStep(0);
  if (hadFocus) focusSteps();
}

// Where the keys move through the steps, now or once there are some.
let wantsFocus = false;

function focusSteps() {
  const forward = $("forward");
  wantsFocus = !forward;
  forward?.focus({ preventScroll: true });
}

function tellRun(text, failed = false) {
  $("told").textContent = text;
  $("told").classList.toggle("failed", failed);
}

// Behind each step: what the variables hold, what is in the arrays, what was printed.
function statesOf({ steps, arrays }) {
  const states = [];
  let variables = new Map(), elements = arrays.map((one) => one.elements), output = "";
  for (const one of steps) {
    if (one.set.length) {
      variables = new Map(variables);
      for (const [variable, values] of one.set) variables.set(variable, values);
    }
    if (one.elements.length) {
      const touched = new Set(one.elements.map(([array]) => array));
      elements = elements.map((content, array) => touched.has(array) ? [...content] : content);
      for (const [array, index, text] of one.elements) elements[array][index] = text;
    }
    output += one.output;
    states.push({ variables, elements, output });
  }
  return states;
}

function leaveSteps() {
  step = 0;
  if (!run) return;
  $("steps").classList.add("stale");
  tellRun("the source has changed: run it again");
}

function goToStep(number) {
  if (!run?.steps.length) return;
  at = Math.min(Math.max(number, 0), run.steps.length - 1);
  drawStep();
}

// --- what a step shows ---

const button = (text, label, action, id = "") => make("button", { type: "button", id, title: label, ariaLabel: label, onclick: action }, text);

function drawRun() {
  const last = run.steps.length - 1;
  const place = make("input", { type: "range", id: "place", min: 0, max: Math.max(last, 0), value: 0, ariaLabel: "step" });
  place.addEventListener("input", () => goToStep(Number(place.value)));
  const controls = make("div", { className: "controls", role: "group", ariaLabel: "steps" },
    button("|◀", "first step (Home)", () => goToStep(0)),
    button("◀", "step back (←)", () => goToStep(at - 1)),
    button("▶", "step forward (→)", () => goToStep(at + 1), "forward"),
    button("▶|", "last step (End)", () => goToStep(last)),
    ...(run.calls.length > 1 ? [button("over", "over calls (o)", stepOver)] : []),
    make("button", { type: "button", id: "to-line", title: "the next step at the cursor's line (l)", onclick: stepToLine }, "to line"),
    place, make("output", { id: "count" }));
  const shown = run.steps.length ? [controls, drawTimeline(), timelineLegend(), make("div", { id: "state" })] : [];
  $("steps").replaceChildren(...shown);
  showCursorLine(cursorLine());
  const { stopped, result } = run;
  const end = stopped ? `${stopped.line ? `line ${stopped.line}: ` : ""}${stopped.text}` : "";
  tellRun(end || (run.steps.length ? (result === null ? "" : `returns ${result}`) : "the function has no statement"), Boolean(stopped?.failed));
}

function showCursorLine(line) {
  if ($("to-line")) $("to-line").textContent = `to line ${line}`;
}

// A column a step, a row a lane: where lanes are on.
function drawTimeline() {
  const canvas = make("canvas", { id: "timeline", title: "lanes that are on, step by step" });
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "lanes that are on, step by step");
  canvas.addEventListener("pointerdown", (event) => {
    const { left, width } = canvas.getBoundingClientRect();
    goToStep(Math.floor((event.clientX - left) / width * run.steps.length));
  });
  return canvas;
}

function timelineLegend() {
  const items = [["fast", "lane on"], ["off", "lane off"], ["here", "this step"]].map(([kind, text]) => make("span", {}, make("i", { className: kind }), text));
  return make("div", { id: "timeline-legend", className: "legend" }, ...items);
}

function paintTimeline() {
  const canvas = $("timeline");
  if (!canvas?.clientWidth) return;
  const scale = devicePixelRatio, context = canvas.getContext("2d");
  const width = (canvas.width = canvas.clientWidth * scale), height = (canvas.height = canvas.clientHeight * scale);
  // The colours of the theme, from the legend.
  const [on, off, here] = [...$("timeline-legend").querySelectorAll("i")].map((one) => getComputedStyle(one).backgroundColor);
  const column = width / run.steps.length, row = height / run.lanes, gap = (size) => (size >= 4 * scale ? scale : 0);
  for (const [number, one] of run.steps.entries()) {
    for (let lane = 0; lane < run.lanes; lane++) {
      context.fillStyle = one.mask[lane] === "0" ? off : number === at ? here : on;
      context.fillRect(number * column, lane * row, Math.max(column - gap(column), scale / 2), row - gap(row));
    }
  }
  // A step is narrower than a pixel where there are many.
  context.fillStyle = here;
  context.fillRect(at * column, 0, Math.max(column - gap(column), 2 * scale), column < 2 * scale ? height : 0);
}

function drawStep() {
  const now = run.steps[at], statement = run.statements[now.at];
  const isHere = statement.file === checked.file;
  step = isHere && run.version === version ? statement.line : 0;
  paint();
  if (step) show(step);
  $("place").value = at;
  $("count").textContent = `${at + 1} of ${run.steps.length}`;
  const again = { iteration: "next iteration", return: "back from the call", "": "" }[now.again];
  const head = make("p", { className: "statement", ariaLive: "polite" },
    make("span", { className: "line" }, `${isHere ? "line" : statement.file} ${statement.line}`), " ", make("code", {}, statement.text),
    ...(again ? [make("span", { className: "badge" }, again)] : []), ...callers(now.call));
  const { output } = run.states[at];
  $("state").replaceChildren(head, lanesTable(now), ...arraysOf(now),
    ...(output ? [make("h3", {}, "printed"), make("pre", { className: "output" }, output)] : []));
  paintTimeline();
}

function callers(call) {
  const names = [];
  for (let one = call; one >= 0; one = run.calls[one].caller) names.push(`${run.calls[one].function}()`);
  return names.length > 1 ? [make("span", { className: "badge" }, `in ${names.join(" ← ")}`)] : [];
}

function isInScope(variable, now) {
  if (variable.call !== -1 && variable.call !== now.call) return false;
  if (!variable.scope) return true;
  const { line, column } = run.statements[now.at], [line0, column0, line1, column1] = variable.scope;
  const behind = line > line0 || (line === line0 && column >= column0);
  return behind && (line < line1 || (line === line1 && column < column1));
}

// Of two variables in scope with one name the one that was declared later hides the other.
function shownVariables(now, state) {
  const shown = new Map();
  for (const number of [...state.variables.keys()].sort((one, other) => one - other)) {
    const variable = run.variables[number];
    if (!isInScope(variable, now)) continue;
    const other = shown.get(variable.name), start = ({ call, scope }) => (call === -1 ? -1 : scope ? scope[0] * 1e6 + scope[1] : 0);
    if (other === undefined || start(run.variables[other]) <= start(variable)) shown.set(variable.name, number);
  }
  return [...shown.values()];
}

function lanesTable(now) {
  const state = run.states[at], changed = new Set(now.set.map(([variable]) => variable)), before = run.states[at - 1]?.variables;
  const lanes = [...Array(run.lanes).keys()], on = [...now.mask].map((bit) => bit === "1");
  const head = make("tr", {}, make("th", { scope: "col" }, "lane"), ...lanes.map((lane) => make("th", { scope: "col" }, String(lane))));
  const mask = make("tr", { className: "mask" }, make("th", { scope: "row" }, "mask"),
    ...on.map((isOn) => make("td", { className: isOn ? "on" : "off", title: isOn ? "on" : "off" }, isOn ? "●" : "○")));
  const rows = shownVariables(now, state).map((number) => {
    const { name, type } = run.variables[number], values = state.variables.get(number), old = before?.get(number);
    const cells = values.map((text, lane) => {
      const isNew = changed.has(number) && text !== null && old?.[lane] !== text;
      const isShared = values.length === 1 && run.lanes > 1;
      const kind = text === null ? "unwritten" : !isShared && !on[lane] ? "off" : "";
      const cell = make("td", { className: `${kind} ${isNew ? "changed" : ""}`, title: text ?? "never written" }, short(text ?? "–"));
      if (isShared) cell.colSpan = run.lanes;
      return cell;
    });
    return make("tr", {}, make("th", { scope: "row", title: type }, name), ...cells);
  });
  return make("div", { className: "wide", tabIndex: 0, role: "group", ariaLabel: "variables by lane" },
    make("table", { className: "lanes", style: `--lanes: ${run.lanes}` }, make("thead", {}, head), make("tbody", {}, mask, ...rows)));
}

// Six digits are enough to look at; the title has all.
const short = (text) => (/^-?\d+\.\d{5,}(e[-+]\d+)?$/.test(text) ? String(Number(Number(text).toPrecision(6))) : text);

const mostElements = 128;

function arraysOf(now) {
  return run.arrays.flatMap(({ name }, array) => {
    const content = run.states[at].elements[array];
    const changed = new Set(now.elements.filter(([which]) => which === array).map(([, index]) => index));
    const first = Math.min(...changed), begin = first >= mostElements && first < Infinity ? first - first % 64 : 0;
    const cells = content.slice(begin, begin + mostElements).map((text, index) =>
      make("div", { className: changed.has(begin + index) ? "changed" : "", title: text }, make("i", {}, String(begin + index)), short(text)));
    const rest = content.length > cells.length ? `, ${begin} to ${begin + cells.length - 1} of ${content.length}` : "";
    return [make("h3", {}, make("code", {}, name), rest), make("div", { className: "cells" }, ...cells)];
  });
}

// --- moving ---

function stepOver() {
  const open = new Set();
  for (let one = run.steps[at].call; one >= 0; one = run.calls[one].caller) open.add(one);
  const next = run.steps.findIndex((one, number) => number > at && open.has(one.call) && one.again !== "return");
  goToStep(next < 0 ? run.steps.length - 1 : next);
}

function stepToLine() {
  const line = cursorLine();
  const isThere = ({ at: number }) => run.statements[number].file === checked.file && run.statements[number].line === line;
  const next = run.steps.findIndex((one, number) => number > at && isThere(one));
  const found = next < 0 ? run.steps.findIndex(isThere) : next;
  if (found < 0) tellRun(`no step is at line ${line}`);
  else goToStep(found);
}

const moves = {
  ArrowRight: () => goToStep(at + 1),
  ArrowLeft: () => goToStep(at - 1),
  Home: () => goToStep(0),
  End: () => goToStep(run.steps.length - 1),
  o: stepOver,
  l: stepToLine,
};

$("call").addEventListener("submit", (event) => {
  event.preventDefault();
  callFunction();
});
$("stop").addEventListener("click", () => ask("cancel", { question: "step" }));
addEventListener("pagehide", () => ask("cancel", { question: "step" }));
addEventListener("resize", () => run && paintTimeline());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => run && paintTimeline());

document.addEventListener("keydown", (event) => {
  if (event.key === "F8") {
    event.preventDefault();
    goToMessage(event.shiftKey ? -1 : 1);
  } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    run = null;
    wantsFocus = true;
    select(tabs.find((tab) => tab.dataset.panel === "stepper"));
  } else if (run?.steps.length && selected() === "stepper" && !event.ctrlKey && !event.altKey && !event.metaKey) {
    const isTyping = event.target.matches("textarea, select, input, [role=tab]");
    if (isTyping || !Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    moves[event.key]();
  }
});
