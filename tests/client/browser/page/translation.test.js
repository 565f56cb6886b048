/** A survey reads otherwise in another language, and promises the same. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { speak } from "../../../../client/browser/page/say.js";
import { inSpokenLanguage } from "../../../../client/browser/page/translation.js";
import { largerPanel } from "../panel.js";

test("nothing but texts is taken from a translation", () => {
  const survey = largerPanel();
  survey.languages = ["en", "de"];
  const texts = { text: "Alter", hint: "in Jahren", answers: {}, rows: {} };
  const lying = { ...texts, protection: "randomised", ask: 1, ask_if: [], type: "grid" };
  const promises = {
    epsilon: 0.1,
    waves: { count: 2, once: 0, changing: 0 },
    ask: {},
    pages: "one",
  };
  survey.translations = {
    de: { title: "Verlauf", introduction: "", questions: { age: lying }, ...promises },
  };
  survey.about = { purpose: "To know", help: "Talk", help_link: "tel:1", minutes: 1 };
  survey.translations.de.about = { help: "Reden", help_link: "javascript:1", minutes: "0" };
  speak(() => undefined, "de");
  const told = inSpokenLanguage(survey);
  speak(() => undefined, "en");
  const item = { ...survey.items[2], text: "Alter" };
  assert.deepEqual(told, {
    ...survey,
    title: "Verlauf",
    about: { ...survey.about, help: "Reden" },
    questions: survey.questions.map((question) =>
      question.id === "age" ? { ...question, text: "Alter", hint: "in Jahren" } : question,
    ),
    items: survey.items.map((one, place) =>
      place === 2 ? item : { ...one, text: told.items[place].text },
    ),
  });
});
