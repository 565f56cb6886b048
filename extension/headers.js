/**
 * Judges the headers of an answer by the list of the release.
 *
 * The adversary wrote the headers. A header can have the browser tell, keep or fetch something that
 * no script does and no policy forbids. So nothing is harmless but what the list says is.
 */

/** @typedef {{ name: string, value?: string }} Header */
/**
 * @typedef {{ harmless: Record<string, string>, always: string[], telling: string[],
 *   tags: Record<string, string> }} Known
 */
/**
 * Names of headers, each once, and of which kind a tag was: weak or strong.
 * @typedef {{ telling: string[], unknown: string[], tags: string[] }} Judged
 */

/**
 * Name the headers that are not as the release has them, and those that nobody has judged.
 * @param {Header[]} headers as the browser got them
 * @param {Known} known
 * @param {string} path of the address: a browser brings the tag of a file back, so each has its own
 * @returns {Judged}
 */
export function judgeHeaders(headers, known, path) {
  /** @type {Judged} */
  const found = { telling: [], unknown: [], tags: [] };
  for (const { name, value = "" } of headers) {
    const key = name.toLowerCase();
    const isKnown = Object.hasOwn(known.harmless, key);
    // In any case, as the browser reads most of them; the list itself is written with care.
    if (key === "etag") found.tags.push(value.startsWith("W/") ? "weak" : "strong");
    const isOwn = key !== "etag" || value.replace(/^W\//, "") === `"${known.tags[path]}"`;
    if (isOwn && isKnown && new RegExp(`^(?:${known.harmless[key]})$`, "i").test(value)) continue;
    const names = isKnown || known.telling.includes(key) ? found.telling : found.unknown;
    if (!names.includes(key)) names.push(key);
  }
  return found;
}

/**
 * Name the headers that every page of the release has, and this one has not.
 * @param {Header[]} headers
 * @param {Known} known
 */
export function missingHeaders(headers, known) {
  const found = new Set(headers.map(({ name }) => name.toLowerCase()));
  return known.always.filter((name) => !found.has(name)).map((name) => `${name} (missing)`);
}
