/**
 * What a person sees on the respondent's page, and where they would press: read in a world of its
 * own, in which nothing of the page's program can be in the way.
 */

(() => {
  const shown = (/** @type {Element} */ one) => one.checkVisibility({ visibilityProperty: true });

  const text = (/** @type {Element | null | undefined} */ one) =>
    (one?.textContent ?? "").replace(/\s+/g, " ").trim();

  /** A row of a grid shows its own once the row before it is answered. @param {Element} field */
  const inputsOf = (field) => [...field.querySelectorAll("input")];

  const fields = () => [...document.querySelectorAll("fieldset.question")].filter(shown);

  /** Of a question its id in the document. @param {any} field */
  const nameOf = (field) => field.dataset.question ?? field.id;

  const button = () => [...document.querySelectorAll("button[type=submit]")].find(shown);

  /** All questions that are shown, with their inputs, and what else there is on the page. */
  function look() {
    return {
      questions: fields().map((field) => ({
        id: nameOf(field),
        text: text(field.querySelector(":scope > legend")),
        statement: text([...field.querySelectorAll(".statement")].find(shown)),
        inputs: inputsOf(field).map((input) => ({
          type: input.type,
          label: text(input.labels?.[0]),
          row: text(input.closest("fieldset.row")?.querySelector("legend")),
          ticked: input.checked,
        })),
      })),
      button: button() !== undefined,
      review: document.querySelector("[data-answers]") !== null,
      outcome: document.querySelector("[data-outcome]")?.getAttribute("data-outcome") ?? null,
      starting: document.querySelector(".starting") !== null,
      warning: text(
        [...document.querySelectorAll(".panel.warning, .starting > :first-child")].find(shown),
      ),
    };
  }

  /**
   * The middle of an input, or of the button that leads on, once it is in sight.
   * @param {string | null} id of a question; null for the button
   * @param {number} place
   */
  function point(id, place) {
    const field = fields().find((one) => nameOf(one) === id);
    const target = id === null ? button() : field && inputsOf(field)[place];
    if (!target || !shown(target)) return null;
    target.scrollIntoView({ block: "center" });
    const { x, y, width, height } = target.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  }

  Object.assign(globalThis, { look, point });
})();
