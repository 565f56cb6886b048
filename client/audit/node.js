/** The driver in Node: a line of JSON in, a line of JSON out, until the input ends. */

import { createInterface } from "node:readline";

// First of all, so that no module can take a hold of what it replaces.
await import("./driver.js");

/** @type {Record<string, (job: unknown) => Promise<object>>} */
const operations = Reflect.get(globalThis, "deniableAudit");

for await (const line of createInterface({ input: process.stdin })) {
  const { operation, job } = JSON.parse(line);
  let answer;
  try {
    answer = await operations[operation](job);
  } catch (error) {
    answer = { error: error instanceof Error ? error.message : String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
