"""The meaning of each key of a survey file, in a sentence for the schema, editors and forms.

A key of a part has the part's name before it: ``questions.id``. Words are those of the glossary.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import getdoc
from typing import Any, Final

from deniable import designs
from deniable.survey.about import LINKED

KEYS: Final = {
    "version": "The version of this file format: 1.",
    "survey": "The survey's name in commands and at the desk: small letters, digits and hyphens.",
    "title": "What people read first, and how the survey is called at the desk; at most 300 "
    "characters.",
    "introduction": "What else people have to know, in paragraphs.",
    "purpose": "What the survey is for, in a sentence below the title.",
    "minutes": "How long the survey takes, 1 to 600 minutes.",
    "organisation": "Who asks.",
    "contact": "Whom people can ask about the survey: a text, or a text with a link.",
    "help": "Who helps people whom the questions trouble: a text, or a text with a link.",
    "complaints": "Whom people can complain to: a text, or a text with a link.",
    **{f"{key}.text": "What people read." for key in LINKED},
    **{f"{key}.link": "Where it leads: a tel:, mailto: or https: link." for key in LINKED},
    "approval": "Who approved the study, such as an ethics committee, with its number.",
    "results": "What follows “Results will stand here”: an https address, or a few words.",
    "delete_reports": "The day (UTC) on which the server deletes all reports of the survey.",
    "panel": "Where a button on the last screen leads, the same for everybody: https, no ? or #.",
    "logo": "A picture above the institution's name: a small PNG in the file itself.",
    "colour": "The colour of buttons and links, dark enough to be read on white: '#12545c'.",
    "consent": "What people have to agree to before anything is asked.",
    "epsilon": "ε, the bound on what reports reveal: no guess changes its odds by more than e^ε. "
    "Of the survey: all randomised answers of a person share it.",
    "split": "How the questions share ε: equal, by weight, even (the widest interval as narrow as "
    "can be) or optimal (the least total variance).",
    "ask": "How many of the questions that share ε each person is asked; the browser draws which.",
    "together": "Questions that are randomised as one answer, or several lists of them.",
    "same_fact": "Questions that ask about the same fact again, each with chance of its own.",
    "chances": "How often each question is drawn beside 'ask', 1 to 99.",
    "order": "random: each browser draws an order of the questions.",
    "branch": "hidden: people see a follow-up of a randomised answer only if it applies.",
    "exit": "Where “Leave quickly” leads, or none for no such button.",
    "pages": "each: every question on its own page; one: all on one page.",
    "advance": "auto: after a tap on the answer to a question with two, the next one comes.",
    "skip": "true: a protected question whose design has room for one more answer can be skipped; "
    "a skip is the answer “Skipped”, randomised like the others.",
    "waves": "For a survey that is asked several times.",
    "waves.count": "How many times the survey is asked.",
    "waves.people": "Who answers a later wave: same, the people of the first; or others, each of "
    "whom answers one wave.",
    "waves.redraw": "With the same people: the chance that a wave's report differs from the noisy "
    "answer that is kept.",
    "plan": "What the study expects and wants to learn; no respondent gets it.",
    "plan.people": "How many people are expected to answer.",
    "plan.within": "How far an interval should reach at most, in percentage points.",
    "plan.within_of": "The same of single questions; of a mean in the question's own unit.",
    "plan.columns": "Direct columns of files, with their groups: sex,age:18-39+40-80.",
    "plan.hide_below": "Direct answers that fewer people gave are hidden.",
    "plan.applies": "The percent to whom a follow-up applies, or who give a number.",
    "plan.one": "How sure somebody may get of one answer who thought 50, in 100.",
    "plan.all": "The same of all answers of one person together.",
    "plan.groups": "Two shares of yes, in percent, of groups that the study wants to tell apart.",
    "plan.until": "The day by which the study is to have its people.",
    "plan.margins": "Of direct questions, the percent of the population with each answer.",
    "packet": "What the ethics packet needs and nothing else says; no respondent gets it.",
    "packet.people": "Who is asked: how people are found, and who is left out.",
    "packet.consent": "How people consent, where the survey file asks for none.",
    "packet.server": "Where the server stands, and who runs it.",
    "packet.readers": "Who can read the store: names or roles.",
    "packet.kept": "Until when reports are kept, where the survey file names no day.",
    "packet.backups": "Until when backups are kept.",
    "packet.controller": "Who is responsible for the data: name and address.",
    "packet.officer": "The data-protection officer.",
    "packet.basis": "Which legal basis the researchers rely on.",
    "packet.rights": "How people can use their rights.",
    "packet.assessment": "The impact assessment: made when and by whom, or why none.",
    "packet.receivers": "Who else gets data, and in which country.",
    "packet.responsible": "Who looks after the data.",
    "packet.storage": "Where files lie while the study runs.",
    "packet.archive": "Where data are archived, and for how long.",
    "packet.licence": "Under which licence the data are given, and to whom.",
    "packet.costs": "What the data management costs, and who pays.",
    "packet.hypotheses": "The hypotheses, each with the comparison that tests it.",
    "packet.exclusions": "Who is excluded, beyond the rules of the survey.",
    "packet.stopping": "When collection stops.",
    "languages": "The languages in which every text is written, the main one first.",
    "comprehension": "true: two questions let people check whether they understood the protection.",
    "address": "named: the address tells the survey's name; without it, it is seven letters.",
    "batch": "The number of reports that the desk shows at once, 10 unless you choose another.",
    "questions": "What is asked, in this order.",
    "questions.id": "The question's name in tables and files.",
    "questions.text": "What is asked.",
    "questions.hint": "A smaller line below the question.",
    "questions.type": "single (one answer), many (any of them), grid (the same answers for several "
    "rows) or number.",
    "questions.answers": "The answers to choose from: a list, or texts by their codes.",
    "questions.rows": "The rows of a grid: a list, or texts by their codes.",
    "questions.min": "The least number that can be given.",
    "questions.max": "The greatest number that can be given.",
    "questions.step": "What lies between a number and the next.",
    "questions.levels": "On how many levels a number is randomised; those between are rounded.",
    "questions.ask": "How many options or rows each person is asked; the browser draws which.",
    "questions.order": "random: each browser draws an order of answers, options or rows.",
    "questions.prefer_not_to_say": "true: one more answer, randomised like the others.",
    "questions.style": "statement: a spinner shows one of two statements, and people say whether "
    "it is true of them.",
    "questions.statements": "Two statements, in the order of the answers: who each is true of.",
    "questions.known": "The share of yes among all people, as known from elsewhere: a control.",
    "questions.yes": "Which of two answers is the design's yes, where they do not say yes and no.",
    "questions.ask_if": "Earlier questions with the answers that this one needs: {doped: yes}.",
    "questions.protection": "randomised, or direct: sent as it is given.",
    "questions.weight": "How much of ε the question gets beside the others, with 'split: weight'.",
    "questions.flip": "The chance that the report of a two-answer question is not the truth; with "
    "more answers, it is shared among the other ones.",
    "questions.epsilon": "The ε of this whole question, taken from the survey's.",
    "questions.design": "A named way to randomise, with its parameters.",
    "questions.family": "The family of designs from which ε picks one.",
}

FAMILIES: Final = {
    "best": "The least variance; its reports are codes. Of a number it keeps shares and tables.",
    "k_ary": "The truth, or any other answer with the same chance: a report is an answer.",
    "laplace": "A number with noise that falls off evenly to both sides (discrete Laplace).",
    "mean_only": "The most precise mean of a number, without shares, tables or regressions of it.",
    "piecewise": "A number near the truth with a high chance, and any other with a low one.",
    "square_wave": "A number within a fixed distance of the truth with a high chance.",
    "two_point": "One of two reports, high or low: the mean of a number, and no shares.",
}


def explain(schema: dict[str, Any], part: str = "") -> None:
    """Add the meanings of keys, families and designs to a JSON Schema, in place."""
    for key, found in schema.get("properties", {}).items():
        if f"{part}{key}" not in KEYS:
            continue  # min and max of a condition
        found["description"] = KEYS[f"{part}{key}"]
        for inner in (found, found.get("items", {}), *found.get("anyOf", ())):
            explain(inner, f"{key}.")
            if key == "family" and "enum" in inner:
                inner["enumDescriptions"] = [FAMILIES[name] for name in inner["enum"]]
            if key == "design" and "propertyNames" in inner:
                names = inner["propertyNames"]
                found_by = map(designs.BY_NAME.__getitem__, names["enum"])
                names["enumDescriptions"] = [*map(summary, found_by)]


def summary(design: Callable[..., object]) -> str:
    """Return the first paragraph of a design's docstring, on one line."""
    return " ".join((getdoc(design) or "").partition("\n\n")[0].split())
