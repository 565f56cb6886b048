/**
 * Documents with odd JSON, as the page reads them: `node oddities.js FOLDER DRAWS`, the documents as a
 * list of texts on standard input. Of each that is accepted and new it prints what is not as promised:
 * by the exact law, and by drawing, of each truth, whether a report comes and how often it is the truth.
 */

import { readFileSync } from "node:fs";

import { judge, programIn, refusalOf } from "./laws.js";

const [folder, draws] = process.argv.slice(2);
const program = await programIn(folder);
const seen = new Set();
let [refused, accepted] = [0, 0];

/** How far a count may be off: by 6 standard deviations, once in 5 · 10^8 times. @param {number} chance */
const slack = (chance) => 6 * Math.sqrt(Number(draws) * chance * (1 - chance)) + 1;

/**
 * Draw what is sent of each truth of each item by itself, as often as it is said.
 * @param {SurveyDocument} survey
 */
function drawn(survey) {
  /** @type {string[]} */
  const broken = [];
  survey.items.forEach(({ id, weights, epsilon }, place) => {
    if (survey.waves?.count && survey.waves.people !== "others" && epsilon !== null) return;
    if (survey.together?.some(({ questions }) => questions.includes(survey.items[place].question)))
      return;
    if (survey.questions.some((one) => one.statements && one.id === survey.items[place].question))
      return;
    const words = crypto.getRandomValues(new Uint32Array(Number(draws)));
    weights.forEach((row, truth) => {
      const only = { ...survey, items: [survey.items[place]] };
      const sent = Array.from(words, (word) =>
        Number(program.randomise(only, [truth], Uint32Array.of(word))[0]),
      );
      if (sent.some((byte) => !(byte >= 0 && byte < row.length))) broken.push(`${id}: no report`);
      row.forEach((weight, report) => {
        const count = sent.filter((byte) => byte === report).length;
        const said = weight / 2 ** 32;
        if (!(Math.abs(count - said * Number(draws)) <= slack(said)))
          broken.push(`${id}: ${report} comes ${count} times`);
      });
      const others = weights.map((other) => other[truth] ?? 0);
      const law = Math.log((row[truth] ?? 1) / Math.min(...others));
      if (epsilon !== null && row.length === weights.length && !(law <= epsilon + 1e-6))
        broken.push(`${id}: the truth goes out more often than is said`);
    });
  });
  return broken;
}

for (const written of JSON.parse(readFileSync(0, "utf8"))) {
  let survey;
  try {
    survey = program.readDocument(new TextEncoder().encode(written));
    if (refusalOf(program, survey) !== undefined) throw new Error("refused");
  } catch {
    refused += 1;
    continue;
  }
  accepted += 1;
  const read = JSON.stringify({ ...survey, revision: "", checkNumbers: [] });
  if (seen.has(read)) continue;
  seen.add(read);
  const broken = [...judge(program, survey).broken, ...drawn(survey)];
  if (broken.length > 0) console.log(JSON.stringify({ written, broken }));
}
console.log(JSON.stringify({ refused, accepted, read: seen.size }));
