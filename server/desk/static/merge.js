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
  const comma = [";", "\t", ","].find((one) => lines[places[0] ?? 0].includes(one)) ?? ",";
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
