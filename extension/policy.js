/**
 * Reads a page's content security policy, and says what the browser enforces by it.
 *
 * The adversary wrote the policy. So nothing is believed but what is known to be harmless: a source
 * or a keyword that is not expected here counts against the page, whatever it may mean.
 */

/** @typedef {import("./headers.js").Header} Header */
/** @typedef {{ release: string, hashes: Record<string, string>, any_hashes: string[] }} Pinned */
/** @typedef {{ style: string, script: string }} Part its hash in the script's place */
/** @typedef {{ before: string, parts: Record<string, Part>, between: string, after: string }} Shell */
/** @typedef {"scripts" | "styles" | "fetched" | "connections" | "forms" | "base"} Rule */
/** @typedef {Map<string, string[]>} Policy sources, or other words, by the directive's name */

/** What a directive falls back on where a policy does not name it, in CSP 3: the first one counts. */
const CHAINS = {
  scripts: [
    ["script-src-elem", "script-src", "default-src"],
    ["script-src-attr", "script-src", "default-src"],
    ["script-src", "default-src"],
    ["worker-src", "child-src", "script-src", "default-src"],
  ],
  styles: [
    ["style-src-elem", "style-src", "default-src"],
    ["style-src-attr", "style-src", "default-src"],
    ["style-src", "default-src"],
  ],
  fetched: [
    ["img-src", "default-src"],
    ["font-src", "default-src"],
    ["media-src", "default-src"],
    ["frame-src", "child-src", "default-src"],
    ["fenced-frame-src", "frame-src", "child-src", "default-src"],
    ["object-src", "default-src"],
    ["manifest-src", "default-src"],
  ],
  connections: [["connect-src", "default-src"]],
  forms: [["form-action"]],
  base: [["base-uri"]],
};

/** Where a browser sends what it has refused. */
const REPORTS = ["report-uri", "report-to"];

/**
 * Return what a response's policies say, each of which is enforced by itself.
 * @param {Header[]} headers
 * @returns {Policy[]}
 */
export function policiesOf(headers) {
  const values = headers.filter((one) => one.name.toLowerCase() === "content-security-policy");
  return values.flatMap(({ value = "" }) => value.split(",")).map(policyOf);
}

/**
 * @param {string} text
 * @returns {Policy}
 */
function policyOf(text) {
  const policy = new Map();
  for (const directive of text.split(";")) {
    // The spaces of ASCII alone: others are part of a word, for browsers too.
    const [name, ...words] = directive.split(/[\t\n\f\r ]+/).filter(Boolean);
    const key = name?.toLowerCase();
    if (key !== undefined && !policy.has(key)) policy.set(key, words);
  }
  return policy;
}

/**
 * Say of each rule whether the browser enforces it for a response.
 * @param {Header[]} headers as the browser got them
 * @param {Pinned} pinned
 * @returns {Record<Rule, boolean>}
 */
export function judge(headers, pinned) {
  const policies = policiesOf(headers);
  const scripts = new Set(Object.values(pinned.hashes).map((one) => `'${one}'`));
  const styles = new Set(pinned.any_hashes.map((one) => `'${one}'`));
  /** @type {(rule: Rule, known: Set<string>) => boolean} */
  const allows = (rule, known) =>
    CHAINS[rule].every((chain) => policies.some((policy) => isHeld(policy, chain, known)));
  return {
    scripts: allows("scripts", scripts),
    styles: allows("styles", styles),
    fetched: allows("fetched", new Set(["data:"])),
    connections: allows("connections", new Set(["'self'"])) && !policies.some(reports),
    forms: allows("forms", new Set()),
    base: allows("base", new Set()),
  };
}

/**
 * Whether a policy allows nothing but known sources.
 * @param {Policy} policy
 * @param {string[]} chain
 * @param {Set<string>} known
 */
function isHeld(policy, chain, known) {
  const named = chain.find((name) => policy.has(name));
  const sources = named === undefined ? undefined : policy.get(named);
  return sources?.every((source) => source === "'none'" || known.has(source)) ?? false;
}

/** Whether the browser tells somebody what it refuses: a word of the page could name who is told. */
const reports = (/** @type {Policy} */ policy) => REPORTS.some((name) => policy.has(name));
