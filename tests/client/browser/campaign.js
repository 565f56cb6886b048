/**
 * Many mutants of honest documents: `node campaign.js FOLDER SEED COUNT`, the documents as JSON on
 * standard input. A line of JSON for each mutant, and one with what was tried at the end. Texts
 * instead of documents are structures with their wordings, and mutants of these are bytes.
 */

import { readFileSync } from "node:fs";

import { judge, programIn, refusalOf } from "./laws.js";
import { chanceFrom, linesOf, mutantOf } from "./mutants.js";

// Whoever reads may have enough.
process.stdout.on("error", () => process.exit());

const [folder, seed, count] = process.argv.slice(2);
const program = await programIn(folder);
const documents = JSON.parse(readFileSync(0, "utf8"));
const chance = chanceFrom(Number(seed));
/** @type {Map<string, number>} */
const mutated = new Map();
let whole = 0;

/** @param {object} line */
const print = (line) =>
  new Promise((written) => {
    if (process.stdout.write(`${JSON.stringify(line)}\n`)) written(undefined);
    else process.stdout.once("drain", () => written(undefined));
  });

/** @param {string} written */
function readAs(written) {
  let survey;
  try {
    survey = program.readDocument(new TextEncoder().encode(written));
  } catch (error) {
    return { refusal: String(error) };
  }
  const document = { ...survey, checkNumbers: undefined, earlier: undefined, revision: undefined };
  const refusal = refusalOf(program, survey);
  const broken = refusal === undefined ? judge(program, survey).broken : undefined;
  return { document, numbers: survey.checkNumbers, refusal, broken };
}

for (let tried = 0; tried < Number(count); tried += 1) {
  if (typeof documents[0] === "string") {
    const written = linesOf(documents, chance, mutated).join("\n");
    await print({ written, ...readAs(written) });
    continue;
  }
  const document = mutantOf(documents, chance, mutated);
  // As it comes over the wire.
  const survey = JSON.parse(JSON.stringify(document));
  const refusal = refusalOf(program, survey);
  const verdict = refusal === undefined ? judge(program, survey) : undefined;
  if (verdict?.whole) whole += 1;
  await print({ document: survey, refusal, broken: verdict?.broken });
}
await print({ mutated: Object.fromEntries(mutated), whole });
