/**
 * What the page asks of the server, or of the file in it, and the answers so far: none is asked
 * for twice.
 */

import { valueOf } from "./elements.js";

/** @type {Map<string, Document>} */
const answers = new Map();

export const form = /** @type {HTMLFormElement} */ (document.querySelector("form[data-lab]"));

/** The form, and its settings that stand above the numbers that they move. */
export const settings = document.querySelectorAll(".settings");

/** What is set; the cells of a table together, as one word. */
export function query() {
  const together = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    const input = form.elements.namedItem(name);
    const said = input instanceof HTMLInputElement ? valueOf(input) : value;
    together.set(name, `${together.get(name) ?? ""}${said}`);
  }
  return together.toString();
}

/** Set what the address says, where no server has done it, and open the fold in which that stands. */
export function setAsAddressed() {
  for (const [name, value] of new URLSearchParams(location.search)) {
    const inputs = document.querySelectorAll(`.settings [name="${CSS.escape(name)}"]`);
    inputs[0]?.closest("details")?.setAttribute("open", "");
    if (form.dataset.file === undefined) continue;
    inputs.forEach((input, place) => {
      if (input instanceof HTMLSelectElement)
        input.value = inputs.length > 1 ? value[place] : value;
      if (!(input instanceof HTMLInputElement)) return;
      const places = input.dataset.places?.split(" ").map(Number);
      input.value = places ? `${places.indexOf(Number(value))}` : value;
    });
  }
}

/** The file's answers. @type {Promise<LabFile> | undefined} */
let file;

/** @param {string} name @returns {Promise<LabFile>} */
async function read(name) {
  const { body } = await fetch(name);
  if (body === null) throw new Error(name);
  return new Response(body.pipeThrough(new DecompressionStream("gzip"))).json();
}

/** @param {string} name @param {string} asked */
async function askFile(name, asked) {
  file ??= read(name);
  const known = await file;
  // Nothing depends on what is hidden.
  const key = [...new URLSearchParams(asked)]
    .filter(([one]) => !document.querySelector(`[data-only][hidden] [name=${one}]`))
    .map(([one, value]) => `${one}=${value}`)
    .join("&");
  if (!(key in known.answers)) throw new Error("not in the file");
  const page = document.implementation.createHTMLDocument();
  page.body.innerHTML = known.answers[key].map((at) => known.parts[at]).join("");
  return page;
}

/**
 * Ask the server for a document: the policy of the page lets no text become markup.
 * @param {string} address @returns {Promise<XMLHttpRequest>}
 */
const sent = (address) =>
  new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.addEventListener("load", () => done(request));
    request.addEventListener("error", failed);
    request.responseType = "document";
    request.open("GET", address);
    request.send();
  });

/** @param {string} asked @returns {Promise<Document>} what `lab/answer.html` makes */
export async function ask(asked) {
  const known = answers.get(asked);
  if (known) return known;
  const { file: name } = form.dataset;
  if (name !== undefined) return askFile(name, asked);
  const address = `/lab/${form.dataset.lab}/answer?${asked}`;
  let { status, response } = await sent(address);
  // Others are first: again soon, a few times.
  for (let pause = 250; status === 503 && pause < 5000; pause *= 2) {
    await new Promise((done) => setTimeout(done, pause));
    ({ status, response } = await sent(address));
  }
  if (status !== 200) throw new Error(`${status}`);
  answers.set(asked, response);
  return response;
}
