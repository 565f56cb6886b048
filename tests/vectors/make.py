"""Write the test vectors that the samplers in Python and in JavaScript must both reproduce.

Run ``python -m tests.vectors.make`` after a change of the protocol. The expected reports come from
a third, naive sampler: subtract weights from the word until it would fall below zero.
"""

import itertools
import json
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

from deniable import Survey, designs
from deniable.channel import ROW_SUM, Channel
from deniable.survey_file import read
from deniable.text.sureness import implication, sureness, told
from tests.kit.surveys import DRAWN, IN_WAVES, TOGETHER, together
from tests.vectors.bounds import ONE_FACT, enumerated, surenesses
from tests.vectors.corrections import corrected_cases

FOLDER = Path(__file__).parent

GIVEN_IN_EXAMS: list[list[int | None]] = [
    # year, repeated, helped, help.notes, help.phone, assistant, exams: what is left out is skipped
    [0, None, 0, None, None, None, None],
    [0, None, 2, None, None, None, None],
    [0, None, 1, 1, 0, None, 4],
    [1, 0, 1, 1, 1, 1, 0],
    [2, 1, 1, 0, 1, 0, 2],
    [2, 0, 0, None, None, None, None],
    [1, 0, 0, 2, 2, 1, 2],
]
"""Answers to the survey with branches, skipping by hand what does not apply after the others.

The last of them are impossible, and sent as they are said."""


def naive_sample(row: tuple[int, ...], word: int) -> int:
    """Find the report that a word stands for, by subtraction."""
    for report, weight in enumerate(row):
        word -= weight
        if word < 0:
            return report
    raise AssertionError("the weights sum to less than the word")


def words_for(channel: Channel, generator: random.Random) -> list[int]:
    """Words at both sides of every threshold, and some others."""
    edges = {0, 2**32 - 1}
    for sums in channel.cumulative:
        edges |= {word for sum_ in sums for word in (sum_ - 1, sum_) if 0 <= word < 2**32}
    return [*sorted(edges)[:40], *(generator.getrandbits(32) for _ in range(40))]


def naive_asked(survey: Survey, words: list[int]) -> list[bool] | None:
    """Say which items are asked, draw by draw; None if two words of a draw are alike."""
    left = list(words)
    asked = [True] * len(survey.items)
    of_question = {one.id: [i.id for i in survey.items_of(one)] for one in survey.questions}
    groups = [
        (one.ask, [[id] for id in of_question[one.id]]) for one in survey.questions if one.ask
    ]
    if survey.ask:
        groups.insert(0, (survey.ask.count, [of_question[id] for id in survey.ask.units]))
    for count, choices in groups:
        own = [left.pop(0) for _ in choices]
        if len(set(own)) < len(own):
            return None
        for word, ids in zip(own, choices, strict=True):
            if sum(other < word for other in own) >= count:
                asked = [
                    a and item.id not in ids for a, item in zip(asked, survey.items, strict=True)
                ]
    assert not left
    return asked


def naive_chosen(
    count: int, chances: list[int], word: int, before: list[int]
) -> tuple[list[int], Fraction]:
    """Draw a set by its chance among those with all that was drawn before; and how likely it is."""
    kept = before[:count]
    sets = [
        some for some in itertools.combinations(range(len(chances)), count) if {*kept} <= {*some}
    ]
    likely = [Fraction(math.prod(chances[one] for one in some)) for some in sets]
    below = Fraction(0)
    for some, one in zip(sets, likely, strict=True):
        below += one / sum(likely)
        if word < below * ROW_SUM:
            return [*kept, *(each for each in some if each not in kept)], one / sum(likely)
    raise AssertionError


def draw_cases() -> list[dict[str, Any]]:
    """Draw by words around the ends of each set, and beside what was drawn before."""
    cases = []
    for count, chances in [(1, [1, 2]), (2, [3, 1, 1, 2]), (3, [99, 1, 50, 7]), (1, [5] * 9 + [4])]:
        edges = [one * ROW_SUM // 12 for one in range(12)]
        words = sorted({0, ROW_SUM - 1, *edges, *(one + 1 for one in edges)})
        for before in [[], [1], [1, 0, 1]]:
            kept = list(dict.fromkeys(before))
            chosen = [naive_chosen(count, chances, word, kept)[0] for word in words]
            cases.append(
                {
                    "count": count,
                    "chances": chances,
                    "before": kept,
                    "words": words,
                    "chosen": chosen,
                }
            )
    return cases


def asking_case(survey: Survey, generator: random.Random, *, alike: bool) -> dict[str, Any]:
    """Draw what one respondent is asked and answers; with two words alike if that is wanted."""
    choices = sum(len(draw.choices) for draw in survey.draws)
    words = [generator.getrandbits(32) for _ in range(len(survey.items) + choices)]
    if alike:
        words[-1] = words[-2]
    truths = [generator.randrange(item.channel.truths) for item in survey.items]
    asked = naive_asked(survey, words[len(survey.items) :])
    answers = None
    if asked is not None:
        answers = bytes(
            naive_sample(item.channel.weights[truth], word) if is_asked else 254
            for item, truth, word, is_asked in zip(
                survey.items, truths, words[: len(survey.items)], asked, strict=True
            )
        ).hex()
    return {"words": words, "truths": truths, "answers": answers}


def branching_case(
    survey: Survey, given: list[int | None], generator: random.Random
) -> dict[str, Any]:
    """Randomise one respondent's answers, each that is left out as the last of its truths."""
    words = [generator.getrandbits(32) for _ in survey.items]
    truths = [
        item.channel.truths - 1 if truth is None else truth
        for item, truth in zip(survey.items, given, strict=True)
    ]
    answers = bytes(
        naive_sample(item.channel.weights[truth], word)
        for item, truth, word in zip(survey.items, truths, words, strict=True)
    )
    return {"given": given, "words": words, "truths": truths, "answers": answers.hex()}


DIRECT_IN_EXAMS = [[0, 2], [1, 0], [1, 1], [2, 0], [2, 1]]
"""What can be true of the year and of repeating one: first-years are not asked the second."""


def read_survey(text: str) -> Survey:
    return read(text).survey


def together_case(survey: Survey, generator: random.Random) -> dict[str, Any]:
    """Randomise one respondent's answers, of the group by the word of its first question."""
    (group,), (places,) = survey.groups, survey.places_together
    kept = [0 if one.memory is None else one.kept_words for one in survey.items]
    size = len(survey.items) + sum(kept) + len(survey.draws)
    words = [generator.getrandbits(32) for _ in range(size)]
    truths = [generator.randrange(item.channel.truths) for item in survey.items]
    cell = generator.randrange(len(group.cells))

    def drawn(place: int, channel: Channel, truth: int) -> int:
        item, start = survey.items[place], len(survey.items) + sum(kept[:place])
        if item.memory is not None:
            word = words[start + truth]
            truth = naive_sample(item.memory.permanent.weights[truth], word)
            channel = item.memory.instantaneous
        return naive_sample(channel.weights[truth], words[place])

    answers = [
        0 if item.group else drawn(place, item.channel, truths[place])
        for place, item in enumerate(survey.items)
    ]
    sent = group.cells[drawn(places[0], group.channel, cell)]
    for at, place in enumerate(places):
        truths[place], answers[place] = group.cells[cell][at], sent[at]
    for draw in survey.draws:
        chosen, _ = naive_chosen(draw.count, [*draw.chances], words[-1], [])
        for unit in {*range(len(draw.choices))} - {*chosen}:
            for place in draw.places[unit]:
                answers[place] = 254
    return {"words": words, "truths": truths, "answers": bytes(answers).hex()}


def main() -> None:
    """Write the vectors, each into a file of its own beside this one."""
    generator = random.Random("deniable")  # fixed, so that the file is repeatable
    channels = {
        "two coins": designs.truth_or_random(),
        "Warner, flip 3/10": designs.warner(flip="3/10"),
        "forced response, 2/3 and 1/2": designs.forced_response(truth="2/3", yes="1/2"),
        "5 answers at epsilon 1": designs.k_ary(5, 1),
        "255 answers at epsilon 2": designs.k_ary(255, 2),
        "three reports of two truths": designs.custom([["1/2", "1/3", "1/6"], [0, "1/4", "3/4"]]),
        "epsilon 20": designs.k_ary(2, 20),
    }
    cases = []
    for name, channel in channels.items():
        truths = [0, 127, 254] if channel.truths > 10 else range(channel.truths)
        words = words_for(channel, generator)
        cases.append(
            {
                "name": name,
                "weights": channel.weights if channel.truths < 10 else None,
                "k_ary": None if channel.truths < 10 else [channel.truths, *channel.weights[0][:2]],
                "epsilon": None if channel.revealing_reports else channel.epsilon,
                "words": words,
                "reports": {
                    truth: [naive_sample(channel.weights[truth], word) for word in words]
                    for truth in truths
                },
            }
        )
    (FOLDER / "samplers.json").write_text(json.dumps(cases, indent=None) + "\n")

    (FOLDER / "wordings.json").write_text(json.dumps(corrected_cases(), ensure_ascii=False) + "\n")

    survey = read((FOLDER / "survey.yaml").read_text()).survey
    tape = [generator.getrandbits(32) for _ in survey.items]
    answered = [generator.randrange(item.channel.truths) for item in survey.items]
    answers = bytes(
        naive_sample(item.channel.weights[truth], word)
        for item, truth, word in zip(survey.items, answered, tape, strict=True)
    )
    case = {
        "document": survey.document,
        "written": survey.to_json().decode(),
        "revision": survey.revision,
        "words": tape,
        "truths": answered,
        "answers": answers.hex(),
        "epsilon_spent": str(
            sum(Fraction(item.epsilon_millionths, 10**6) for item in survey.items)
        ),
    }
    (FOLDER / "survey.json").write_text(json.dumps(case, ensure_ascii=False) + "\n")

    survey = read((FOLDER / "asking.yaml").read_text()).survey
    case = {
        "document": survey.document,
        "revision": survey.revision,
        "cases": [asking_case(survey, generator, alike=number == 0) for number in range(12)],
        "draws": draw_cases(),
    }
    (FOLDER / "asking.json").write_text(json.dumps(case, ensure_ascii=False) + "\n")

    survey = read((FOLDER / "branching.yaml").read_text()).survey
    case = {
        "document": survey.document,
        "revision": survey.revision,
        "cases": [branching_case(survey, given, generator) for given in GIVEN_IN_EXAMS],
        "direct": DIRECT_IN_EXAMS,
    }
    (FOLDER / "branching.json").write_text(json.dumps(case, ensure_ascii=False) + "\n")

    case = {
        "surveys": [
            {
                "document": survey.document,
                "revision": survey.revision,
                "cells": survey.groups[0].cells,
                "cases": [together_case(survey, generator) for _ in range(30)],
            }
            for survey in map(read_survey, (together(2, 2), TOGETHER, DRAWN, IN_WAVES))
        ]
    }
    (FOLDER / "together.json").write_text(json.dumps(case) + "\n")

    sure = []
    for name, survey, (one, all_, guess, changed, changing), tier in surenesses():
        found = sureness(survey)
        fact, times = ONE_FACT.get(name, (None, 0))
        sure.append(
            {
                "name": name,
                "document": survey.document,
                "one": one,
                "all": all_,
                "guess": guess,
                "fact": fact,
                "times": times,
                "changed": changed,
                "changing": changing,
                "tier": tier,
                "answers": 0 if found is None else found.answers,
                "colours": [line.colour.value for line in told(survey)],
                "sentences": implication(survey),
            }
        )
    (FOLDER / "enumerated.json").write_text(json.dumps(enumerated(random.Random("bounds"))) + "\n")
    (FOLDER / "sureness.json").write_text(json.dumps(sure, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
