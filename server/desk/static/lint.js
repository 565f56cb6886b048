// Shows what the desk has found in a survey file, as templates/desk/lint.html does.

/**
 * @typedef {{line: number, column: number, place: unknown[], where: string,
 *   message: string, said: string}} Remark
 * @typedef {{id: string, named: string, epsilon: string, sure: string, sure_met: string,
 *   colour: string, width: string, width_met: string, too_wide: boolean}} Question
 * @typedef {{title: string, spent: string, direct: number,
 *   respondents: number, missed: boolean, colour: string, told: string[], questions: Question[], warnings: string[]}} Cost
 * @typedef {{failed: string, mistakes: Remark[], notes: Remark[], cost: Cost | null}} Checked
 */

/**
 * Say in a few words what was found.
 * @param {Checked} checked
 */
export function verdict({ failed, mistakes }) {
  if (failed !== "") return failed;
  if (mistakes.length === 0) return "No mistakes";
  return mistakes.length === 1 ? "1 mistake" : `${mistakes.length} mistakes`;
}

/**
 * Write what was found. While there is a mistake nothing can be calculated: what was found before
 * it stays, and says so.
 * @param {Checked} checked
 * @param {Cost | null} before
 * @param {(place: Remark) => void} goTo
 * @returns {HTMLElement[]}
 */
export function written({ mistakes, notes, cost }, before, goTo) {
  return [
    ...remarks("Mistakes", mistakes, goTo),
    ...remarks("Notes", notes, goTo),
    ...(cost === null && before !== null ? [old(before)] : []),
    ...(cost === null && before === null ? later() : []),
    ...(cost === null ? [] : costs(cost)),
  ];
}

function later() {
  const said = "This is calculated as soon as no mistake is left.";
  return [
    element("h2", {}, "What people will read, and what it costs"),
    element("p", { class: "hint" }, said),
  ];
}

/** @param {Cost} before */
function old(before) {
  const shown = element("div", { class: "old", id: "before" });
  const said = "This is as it was before the mistake. It is calculated anew when that is mended.";
  shown.append(element("p", { class: "hint" }, said), ...costs({ ...before, missed: false }));
  return shown;
}

/**
 * @param {string} title
 * @param {Remark[]} found
 * @param {(place: Remark) => void} goTo
 */
function remarks(title, found, goTo) {
  if (found.length === 0) return [];
  const list = element("ol", { class: "mistakes" });
  for (const one of found) {
    const button = element("button", { type: "button", class: "quiet" });
    button.append(
      element(
        "span",
        { class: "in-text" },
        `Line ${one.line}, column ${one.column}: ${one.message}`,
      ),
      element("span", { class: "in-form" }, `${one.where}: ${one.said}`),
    );
    button.addEventListener("click", () => goTo(one));
    const item = element("li", { "data-line": `${one.line}`, "data-column": `${one.column}` });
    item.append(button);
    list.append(item);
  }
  return [element("h2", {}, title), list];
}

/** @param {Cost} cost */
function costs(cost) {
  const table = element("table", { class: "blocks costs" });
  const people = cost.respondents.toLocaleString("en");
  const direct = cost.direct ? ` Asked directly, without ε: ${cost.direct}.` : "";
  const caption = `${cost.spent}.${direct} How far 95 % intervals reach at most, with ${people} people.`;
  const head = element("thead", {});
  const titles = element("tr", {});
  for (const title of ["Question", "ε", "One answer by itself", "Interval"]) {
    titles.append(element("th", { scope: "col" }, title));
  }
  head.append(titles);
  const body = element("tbody", {});
  body.append(...cost.questions.map(row));
  table.append(element("caption", {}, caption), head, body);
  const told = element("div", { class: `told ${cost.colour}` });
  told.append(...cost.told.map((one) => element("p", {}, one)));
  return [
    element("h2", {}, "What people will read"),
    told,
    element("h2", {}, "What it costs"),
    table,
    ...(cost.missed ? [ways()] : []),
    ...cost.warnings.map((one) => element("p", { class: "warning" }, one)),
  ];
}

function ways() {
  const line = element("p", {});
  const press = { name: "then", value: "ways", class: "quiet" };
  line.append(element("button", press, "Show the ways to what is wanted"));
  return line;
}

/** @param {Question} question */
function row(question) {
  const line = element("tr", { "data-question": question.id });
  const { width, width_met: widthMet, sure, sure_met: sureMet } = question;
  const interval = element("td", { "data-label": "Interval" }, `${width}${behind(widthMet)}`);
  if (question.too_wide) interval.append(element("span", { class: "warning" }, ": of no use"));
  const told = { "data-label": "One answer by itself", class: `told ${question.colour}` };
  line.append(
    element("th", { scope: "row" }, question.named),
    element("td", { "data-label": "ε" }, question.epsilon),
    element("td", told, `${sure}${behind(sureMet)}`),
    interval,
  );
  return line;
}

/** @param {string} met */
function behind(met) {
  return met && ` (${met})`;
}

/**
 * @param {string} name
 * @param {Record<string, string>} attributes
 * @param {string} text
 */
function element(name, attributes, text = "") {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}
