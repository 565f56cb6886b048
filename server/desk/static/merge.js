/** A list of people becomes a merge file: each line gets a link of its own, in this page alone. */

/**
 * Read the lines of a list, and what separates their cells.
 * @param {string} text
 * @param {boolean} heading whether the first line names the columns
 * @returns {{ head: string, people: string[], comma: string }}
 */
export function readPeople(text, heading) {
  const lines = text
    .replace(/^\ufeff/, "")
    .split(/\r\n|\r|\n/)
    .map((line) => line.trimEnd());
  const places = lines.flatMap((line, place) => (line.trim() === "" ? [] : [place]));
  const comma = separator(lines[places[0] ?? 0]);
  const seen = new Map();
  for (const place of places) {
    const line = lines[place];
    if ((line.split('"').length - 1) % 2 === 1) {
      throw new Error(
        `Expected each person on a line, found an open quotation mark in line ${place + 1}.`,
      );
    }
    if (seen.has(line)) {
      throw new Error(
        `Expected each person once, found line ${seen.get(line)} again in line ${place + 1}.`,
      );
    }
    seen.set(line, place + 1);
  }
  const people = places.map((place) => lines[place]);
  const names = heading ? people.shift() : undefined;
  const columns = (people[0] ?? "").split(comma).length;
  const unnamed =
    columns === 1
      ? "person"
      : Array.from({ length: columns }, (_, n) => `column${n + 1}`).join(comma);
  if (people.length === 0) throw new Error("Expected a line for each person, found none.");
  return { head: names ?? unnamed, people, comma };
}

/** What a first line calls its columns, where no address or number tells it from the others. */
const NAMES =
  /^(full |first |last |given |family |e-?mail )?(name|names|surname|e-?mail|mail|address|person|people|participant|id|code|phone|group|ward|class|language)$/i;

/**
 * Guess whether the first line names the columns: no cell of it has an "@" or a digit where all
 * others of the column have one, or each is a usual name of a column.
 * @param {string} text
 */
export function hasHeading(text) {
  const [first, ...others] = text
    .replace(/^\ufeff/, "")
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== "");
  if (!first || others.length === 0) return false;
  const comma = separator(first);
  const rows = others.map((line) => line.split(comma));
  const cells = first.split(comma).map((cell) => cell.replaceAll('"', "").trim());
  if (cells.some((cell) => /[@\d]/.test(cell))) return false;
  const tells = cells.some((_, n) => rows.every((row) => /[@\d]/.test(row[n] ?? "")));
  return tells || cells.every((cell) => NAMES.test(cell));
}

/** @param {string} line */
function separator(line) {
  return [";", "\t", ","].find((one) => line.includes(one)) ?? ",";
}

/**
 * Say who gets a link, before there is any.
 * @param {ReturnType<typeof readPeople>} list
 * @param {boolean} heading whether the first line named the columns
 */
export function summary({ head, people, comma }, heading) {
  const spoken = (/** @type {string} */ line) => line.split(comma).join(", ");
  const count = people.length === 1 ? "1 person" : `${people.length.toLocaleString("en")} people`;
  const columns = heading ? ` Columns: ${spoken(head)}.` : "";
  return `${count}; first: ${spoken(people[0])}.${columns}`;
}

/**
 * Write the merge file: the list as it was typed, with a link at the end of each line.
 * @param {ReturnType<typeof readPeople>} list
 * @param {string} codes the table that the server made, a code and a link in each row
 */
export function merge({ head, people, comma }, codes) {
  const links = codes
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((row) => row.slice(row.indexOf(",") + 1));
  if (links.length !== people.length) {
    throw new Error(`Expected ${people.length} links, found ${links.length}.`);
  }
  return [
    `${head}${comma}link`,
    ...people.map((line, place) => `${line}${comma}${links[place]}`),
    "",
  ].join("\r\n");
}
