/** The merge file is made here: no name leaves this page. */

import { ask } from "./ask.js";
import { hasHeading, merge, readPeople, summary } from "./merge.js";

const form = /** @type {HTMLFormElement} */ (document.getElementById("merging"));
const file = /** @type {HTMLInputElement} */ (document.getElementById("people-file"));
const list = /** @type {HTMLTextAreaElement} */ (document.getElementById("people"));
const heading = /** @type {HTMLInputElement} */ (document.getElementById("heading"));
const found = /** @type {HTMLElement} */ (document.getElementById("people-found"));
const told = /** @type {HTMLElement} */ (document.getElementById("merged"));
const button = /** @type {HTMLButtonElement} */ (form.querySelector("button:not([type])"));

/** Say who gets a link. Codes are made once: a list that is changed can have new ones. */
function look() {
  button.disabled = false;
  told.textContent = "";
  try {
    found.textContent = list.value.trim()
      ? summary(readPeople(list.value, heading.checked), heading.checked)
      : "";
  } catch (error) {
    found.textContent = error instanceof Error ? error.message : String(error);
  }
}

/** Read a list anew: whether its first line names the columns is guessed, and can be changed. */
function lookAnew() {
  heading.checked = hasHeading(list.value);
  look();
}

form.hidden = false;
file.addEventListener("change", async () => {
  if (!file.files?.[0]) return;
  list.value = await file.files[0].text();
  lookAnew();
});
list.addEventListener("input", lookAnew);
heading.addEventListener("change", look);
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  button.disabled = true;
  try {
    const people = readPeople(list.value, heading.checked);
    told.textContent = `Making ${people.people.length} codes …`;
    // Of the whole form the server gets the token and the number: what is typed has no name.
    const body = new FormData(form);
    body.set("number", String(people.people.length));
    const headers = { Accept: "text/csv" };
    const answer = await fetch(form.action, { method: "POST", body, headers });
    if (!answer.ok) throw new Error(await whyNot(answer));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(
      new Blob([merge(people, await answer.text())], { type: "text/csv" }),
    );
    link.download = form.dataset.file ?? "";
    link.textContent = `Save the merge file again (${people.people.length} links)`;
    told.replaceChildren(link);
    link.click();
    await showHowMany();
  } catch (error) {
    button.disabled = false;
    told.textContent = error instanceof Error ? error.message : String(error);
  }
});

/** @param {Response} answer */
async function whyNot(answer) {
  const isSaid = answer.headers.get("Content-Type")?.startsWith("text/plain");
  return isSaid ? answer.text() : "The server made no codes. Perhaps you are signed out: reload.";
}

/** Show what the page says of the codes now that there are some. */
async function showHowMany() {
  const page = await ask(location.pathname);
  const now = page?.getElementById("invited");
  if (!now) return;
  document.getElementById("invited")?.replaceWith(document.importNode(now, true));
  for (const tick of document.querySelectorAll("[name=confirmed]")) tick.closest("label")?.remove();
}
