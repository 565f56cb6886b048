/** The merge file is made here: no name leaves this page. */

import { merge, readPeople } from "./merge.js";

const form = /** @type {HTMLFormElement} */ (document.getElementById("merging"));
const file = /** @type {HTMLInputElement} */ (document.getElementById("people-file"));
const list = /** @type {HTMLTextAreaElement} */ (document.getElementById("people"));
const heading = /** @type {HTMLInputElement} */ (document.getElementById("heading"));
const told = /** @type {HTMLElement} */ (document.getElementById("merged"));

form.hidden = false;
file.addEventListener("change", async () => {
  if (file.files?.[0]) list.value = await file.files[0].text();
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const people = readPeople(list.value, heading.checked);
    told.textContent = `Making ${people.people.length} codes …`;
    // Of the whole form the server gets the token and the number: what is typed has no name.
    const body = new FormData(form);
    body.set("number", String(people.people.length));
    const answer = await fetch(form.action, { method: "POST", body });
    if (!answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      throw new Error(page.getElementById("mistake")?.textContent ?? "The server made no codes.");
    }
    const link = document.createElement("a");
    link.href = URL.createObjectURL(
      new Blob([merge(people, await answer.text())], { type: "text/csv" }),
    );
    link.download = form.dataset.file ?? "";
    link.textContent = `Save the merge file again (${people.people.length} links)`;
    told.replaceChildren(link);
    link.click();
  } catch (error) {
    told.textContent = error instanceof Error ? error.message : String(error);
  }
});
