// What can stand at a place of a survey file, from its JSON Schema. It reads the file line by line
// and not as YAML, for while somebody types it is no YAML most of the time.

/**
 * A JSON Schema, as far as it is read here.
 * @typedef {{
 *   properties?: Record<string, Schema>,
 *   propertyNames?: Schema,
 *   items?: Schema,
 *   anyOf?: Schema[],
 *   oneOf?: Schema[],
 *   enum?: unknown[],
 *   const?: unknown,
 *   type?: unknown,
 *   title?: string,
 *   description?: string,
 *   enumDescriptions?: string[],
 * }} Schema
 */

/** The step from a list to one of its items; other steps are keys. */
const ITEM = "-";

const KEY_LINE = /^( *)((?:- +)*)(?:["']?([\w-]+)["']?:(?= |$)|(?=\S))/;

/**
 * Find what can stand at a place.
 * @param {Schema} schema
 * @param {string} text
 * @param {number} position
 * @returns {{from: number, options: {label: string, apply?: string, info?: string}[]} | null}
 */
export function complete(schema, text, position) {
  const lines = text.slice(0, position).split("\n");
  const line = lines.pop() ?? "";
  const after = text.slice(position).split("\n").slice(1);
  const place = inBraces(line, lines) ?? inBlock(line, lines, after);
  if (place === null) return null;
  const { path, key, typed, taken } = place;
  const nodes = at(schema, key === null ? path : [...path, key]);
  const options = key === null ? keys(nodes, taken) : values(nodes);
  return options.length > 0 ? { from: position - typed.length, options } : null;
}

/**
 * @param {string} line up to the place
 * @param {string[]} above
 */
function inBraces(line, above) {
  const open = lastOpen(line);
  if (open === null) return null;
  const found = /^( *)((?:- +)*)(?:([\w-]+): +)?$/.exec(line.slice(0, open));
  if (found === null) return null;
  const [, spaces, dashes, outer] = found;
  const { path } = around(above, spaces.length, dashes);
  if (outer !== undefined) path.push(outer);
  const entries = line.slice(open + 1).split(",");
  const last = (entries.pop() ?? "").trimStart();
  const taken = new Set(entries.map((entry) => entry.split(":")[0].trim()));
  return { path, taken, ...split(last) };
}

/**
 * The last brace that is open at the end of a line; of texts between quotes none counts.
 * @param {string} line
 */
function lastOpen(line) {
  const open = [];
  const bare = line.replace(/"[^"]*"|'[^']*'/g, (quoted) => "x".repeat(quoted.length));
  for (const [place, letter] of [...bare].entries()) {
    if (letter === "{") open.push(place);
    if (letter === "}") open.pop();
  }
  return open.at(-1) ?? null;
}

/**
 * @param {string} line up to the place
 * @param {string[]} above
 * @param {string[]} below
 */
function inBlock(line, above, below) {
  const found = /^( *)((?:- +)*)(.*)$/.exec(line);
  if (found === null) return null;
  const [, spaces, dashes, rest] = found;
  const { path, taken } = around(above, spaces.length, dashes);
  const indent = spaces.length + dashes.length;
  for (const { indent: there, dash, key } of below.flatMap(read)) {
    if (there < indent || (dash !== null && dash < indent)) break;
    if (there === indent && key !== undefined) taken.add(key);
  }
  if (/^[\w-]*$/.test(rest) || /^[\w-]+: +\S*$/.test(rest)) return { path, taken, ...split(rest) };
  return null;
}

/**
 * Tell a key that is being typed from a value.
 * @param {string} entry
 * @returns {{key: string | null, typed: string}}
 */
function split(entry) {
  const found = /^([\w-]+): *(.*)$/.exec(entry);
  return found === null ? { key: null, typed: entry } : { key: found[1], typed: found[2] };
}

/**
 * Read how far a line is indented, and its key.
 * @param {string} line
 */
function read(line) {
  const found = KEY_LINE.exec(line);
  if (found === null || line.trimStart().startsWith("#")) return [];
  const [, spaces, dashes, key] = found;
  const indent = spaces.length + dashes.length;
  return [{ indent, dash: dashes === "" ? null : spaces.length, key }];
}

/**
 * Find the way to the mapping that a line belongs to, and its keys above that line.
 * @param {string[]} above
 * @param {number} spaces before the line's dashes
 * @param {string} dashes
 */
function around(above, spaces, dashes) {
  /** @type {string[]} */
  const path = dashes === "" ? [] : [ITEM];
  const taken = new Set();
  let indent = spaces;
  let inList = dashes !== "";
  let own = dashes === "";
  for (const one of above.flatMap(read).reverse()) {
    if (own && one.indent === indent && one.key !== undefined) taken.add(one.key);
    // A list may be indented as far as the key that it belongs to.
    const isParent = one.indent < indent || (inList && one.indent === indent && one.dash === null);
    if (isParent && one.key !== undefined) {
      path.unshift(one.key);
      indent = one.indent;
      inList = false;
      own = false;
    }
    if (one.dash !== null && one.dash < indent && one.indent <= indent) {
      path.unshift(ITEM);
      indent = one.dash;
      inList = true;
      own = false;
    }
  }
  return { path, taken };
}

/**
 * Follow a way into a schema: all that may be there.
 * @param {Schema} schema
 * @param {string[]} path
 */
function at(schema, path) {
  let nodes = branches(schema);
  for (const step of path) {
    nodes = nodes.flatMap((node) => {
      const next = step === ITEM ? node.items : node.properties?.[step];
      return next === undefined ? [] : branches(next);
    });
  }
  return nodes;
}

/**
 * @param {Schema} schema
 * @returns {Schema[]}
 */
function branches(schema) {
  return [schema, ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(branches)];
}

/**
 * @param {Schema[]} nodes
 * @param {Set<string>} taken
 */
function keys(nodes, taken) {
  /** @type {Map<string, string | undefined>} */
  const found = new Map();
  for (const { properties = {}, propertyNames: named } of nodes) {
    for (const [name, one] of Object.entries(properties)) found.set(name, one.description);
    for (const [name, info] of listed(named)) found.set(name, info);
  }
  return [...found]
    .filter(([name]) => !taken.has(name))
    .map(([label, info]) => ({ label, apply: `${label}: `, ...(info && { info }) }));
}

/**
 * What a schema lists, each with what is said of it.
 * @param {Schema | undefined} schema
 * @returns {[string, string | undefined][]}
 */
function listed({ enum: names = [], enumDescriptions = [] } = {}) {
  return names.map((name, place) => [String(name), enumDescriptions[place]]);
}

/** @param {Schema[]} nodes */
function values(nodes) {
  /** @type {Map<string, string | undefined>} */
  const found = new Map(
    nodes.flatMap((node) => [
      ...listed(node),
      ...listed({ enum: node.const === undefined ? [] : [node.const] }),
      ...listed({ enum: node.type === "boolean" ? [true, false] : [] }),
    ]),
  );
  return [...found].map(([label, info]) => ({ label, ...(info && { info }) }));
}
