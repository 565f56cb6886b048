/** Making elements: no text ever becomes markup. */

const numbers = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });

/** A number as the page writes it. @param {string | number} number */
export const written = (number) => numbers.format(Number(number)).replace("-", "−");

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {Element} element
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} children
 */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, `${value}`);
  element.append(...children);
  return element;
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function make(tag, attributes = {}, ...children) {
  return /** @type {HTMLElement} */ (filled(document.createElement(tag), attributes, children));
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 */
export function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** @template {Element} T @param {string} id @param {new () => T} type @returns {T} */
export function found(id, type) {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`no #${id}`);
  return element;
}

/**
 * Where a slider stands; beside a file it goes through the places that the file knows.
 * @param {HTMLInputElement} slider
 */
export const valueOf = ({ value, dataset }) => dataset.places?.split(" ")[Number(value)] ?? value;
