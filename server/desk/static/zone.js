/** Times are typed and shown by the clock of this computer, wherever the server is. */

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

for (const id of ["opens", "closes"]) {
  const input = document.getElementById(id);
  if (input instanceof HTMLInputElement) sendAsMoment(input);
}
const clock = document.getElementById("clock");
if (clock) {
  const server = clock.dataset.zone ?? "";
  clock.textContent = `Type times by your computer’s clock (${timeZone}). Sentences on this page give them by the server’s clock (${server}).`;
}

/** @param {HTMLInputElement} input What is sent in its place says its zone. */
function sendAsMoment(input) {
  const sent = document.createElement("input");
  Object.assign(sent, { type: "hidden", name: input.name });
  input.removeAttribute("name");
  input.after(sent);
  const moment = new Date(input.dataset.moment ?? "");
  if (!Number.isNaN(moment.getTime())) {
    const local = new Date(moment.getTime() - 60_000 * moment.getTimezoneOffset());
    input.value = local.toISOString().slice(0, 16);
  }
  input.form?.addEventListener("submit", () => {
    sent.value = input.value && new Date(input.value).toISOString();
  });
}
