/** The rule of the coins, large: what is sent however they fall. Below it, what comes of it. */

import { make } from "../../lab/static/elements.js";
import { showRows } from "./rows.js";

/** @param {StageWay} way */
const drawn = ({ coins, sends }) =>
  make(
    "li",
    {},
    make(
      "div",
      {},
      ...coins.map((side) => make("span", { class: "dot" }, side)),
      ` 1/${2 ** coins.length}`,
    ),
    make("strong", {}, sends),
  );

/** @param {StageCoins} picture @param {Element} within */
export function showCoins({ ways, bars }, within) {
  const rows = make("div", {});
  within.replaceChildren(make("ul", { class: "ways" }, ...ways.map(drawn)), rows);
  showRows(bars, rows);
}
