"""How sure somebody can get, worked out by hand and by enumeration."""

import itertools
import math
import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from deniable import Survey, designs
from deniable.channel import ROW_SUM, Channel
from deniable.survey.questions import Ask
from deniable.survey_file import read
from tests.kit import surveys
from tests.kit.surveys import together

COINS = (3 * 2**30, 2**30)
"""Of 2^32, how often a yes comes from yes and from no: 3 to 1, two coins."""

NINE = (9 * 2**28, 2**28)

NINETEEN = (19 * 2**27, 2**27)

NINETY_NINE = (99 * 2**25, 2**25)

MORE = 2**14
"""So much weight is more than rounding: some millionths of a row's largest weight."""

WAVES = """\
version: 1
survey: s
title: T
waves: {{count: 2, redraw: {redraw}}}
questions: [{{id: a, text: A, type: single, answers: [No, Yes], flip: 1/4}}]
"""

WAVES_OTHER = "{id: b, text: B, type: single, answers: [No, Yes], flip: 1/4}"

KINDS = """\
version: 1
survey: s
title: T
questions: [{{id: a, text: A, type: single, {asked}}}]
"""


def asked(*chances: tuple[int, int], more: int = 0) -> Survey:
    """Ask a yes-or-no question for each pair; the first yes of the last has so much more weight."""
    last = (chances[-1][0] + more, chances[-1][1])
    return surveys.survey(
        *(
            surveys.single(f"q{place}", channel=Channel([2**32 - one, one] for one in (other, own)))
            for place, (own, other) in enumerate([*chances[:-1], last])
        )
    )


Bounds = tuple[int, int, int, int | None, int | None]


def surenesses() -> list[tuple[str, Survey, Bounds, str]]:
    """How sure somebody can get, worked out by hand; and the tier of one answer.

    From one answer, from all, by the best guess; of all waves from one and from all.
    """
    nineteen_ninths = (19 * 2**27, 9 * 2**27)
    four = asked(COINS, COINS, NINE)
    drawn = replace(four, ask=Ask(1, ("q1", "q2")), epsilon_millionths=3_295_838)
    two_options = surveys.many("q", ["A", "B"])
    one_option = (replace(two_options[0], ask=1), two_options[1])
    with_direct = surveys.survey(surveys.single(direct=True, id="age"), surveys.single("q"))
    fifth, tenth, never, codes = (
        surveys.survey(surveys.single(channel=channel))
        for channel in (
            designs.warner(flip="1/5"),
            designs.warner(flip="1/10"),
            designs.custom([["3/4", "1/4", 0], ["1/4", "3/4", 0]]),
            designs.custom([["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"]]),
        )
    )
    waves = {redraw: read(WAVES.format(redraw=redraw)).survey for redraw in ("1/4", "1/5", "0")}
    panel = read(WAVES.format(redraw="1/4").replace("]\n", f", {WAVES_OTHER}]\n")).survey
    spun = read(
        KINDS.format(
            asked="answers: [No, Yes], style: statement, flip: 1/4, "
            "statements: {no: I did not, yes: I did}"
        )
    ).survey
    three = read(KINDS.format(asked="answers: [A, B, C], epsilon: 1.098612")).survey
    number = KINDS.replace("type: single", "type: number, min: 0, max: 4")
    numbers = read(number.format(asked="family: k_ary, epsilon: 1.098612")).survey
    again = replace(asked(NINE, NINE), same_fact=("q0", "q1"))
    beside = replace(asked(COINS, COINS, COINS), same_fact=("q0", "q2"))
    once = replace(beside, ask=Ask(1, ("q0", "q2")))
    as_one = read(together(2, 2, epsilon="1.098612").replace("title: T", "title: As one")).survey
    hint, strong, close = "hint", "strong hint", "close to proof"
    none = (None, None)
    return [
        ("two coins", asked(COINS), (75, 75, 75, *none), hint),
        ("two coins and one weight more", asked(COINS, more=1), (75, 75, 75, *none), hint),
        ("a flip of 1/5", fifth, (80, 80, 80, *none), strong),
        ("a flip of 1/10", tenth, (90, 90, 90, *none), strong),
        ("two coins and a bit more", asked(COINS, more=MORE), (76, 76, 76, *none), strong),
        # 9 in 16 and 1 in 16 of yes: half of 1 and their distance of a half.
        ("nine", asked(NINE), (90, 90, 75, *none), strong),
        ("nine and a bit more", asked(NINE, more=MORE), (91, 91, 76, *none), close),
        # 19 and 1 of 32: half of 1 and 18/32 is 78.1.
        ("nineteen", asked(NINETEEN), (95, 95, 79, *none), close),
        ("nineteen and a bit more", asked(NINETEEN, more=MORE), (96, 96, 79, *none), close),
        # 99 and 1 of 128: half of 1 and 98/128 is 88.3.
        ("ninety-nine", asked(NINETY_NINE), (99, 99, 89, *none), close),
        ("ninety-nine and more", asked(NINETY_NINE, more=MORE), (100, 100, 89, *none), close),
        ("two coins twice", asked(COINS, COINS), (75, 90, 75, *none), hint),
        ("19/9 times 9", asked(NINE, nineteen_ninths), (90, 95, 75, *none), strong),
        # 19 to 9 of 32 are 10/32, and 9 to 1 of 16 a half.
        ("and more", asked(NINE, nineteen_ninths, more=MORE), (90, 96, 75, *none), strong),
        ("all less than a coin", asked((2**31 + MORE, 2**31)), (51, 51, 51, *none), hint),
        # q0 always at 3, and q1 at 3 or q2 at 9: 27 at most, and not 81.
        ("the dearest that is drawn", drawn, (90, 97, 75, *none), strong),
        # An option is an answer.
        ("two options, both", surveys.survey(two_options), (75, 90, 75, *none), hint),
        ("two options, one drawn", surveys.survey(one_option), (75, 75, 75, *none), hint),
        ("a report that nobody sends", never, (75, 75, 75, *none), hint),
        # e to 1, 2.72 of 3.72.
        ("beside a direct question", with_direct, (74, 74, 74, *none), hint),
        # In each of two waves 3 to 1 or 4 to 1, whatever is true.
        ("waves", waves["1/4"], (75, 75, 75, 90, 90), hint),
        ("waves with less chance", waves["1/5"], (75, 75, 75, 95, 95), hint),
        ("waves without a limit", waves["0"], (75, 75, 75, 100, 100), hint),
        # 9 to 1 twice.
        ("waves of two questions", panel, (75, 90, 75, 90, 99), hint),
        # 9 to 1 twice is 81 to 1.
        ("one fact twice", again, (90, 99, 75, *none), strong),
        # 3 to 1 twice is 9 to 1, and 27 to 1 with the third.
        ("one fact twice, and another", beside, (75, 97, 75, *none), hint),
        # One of the two that ask about it, and the third: 3 to 1 twice.
        ("one fact, of which chance draws one question", once, (75, 90, 75, *none), hint),
        ("a spinner", spun, (75, 75, 75, *none), hint),
        # 3 to 1 to 1: half of 1 and 2/5.
        ("three answers", three, (75, 75, 70, *none), hint),
        # 3 to 1 to 1 to 1 to 1: half of 1 and 2/7 is 64.3.
        ("a number", numbers, (75, 75, 65, *none), hint),
        # Twice as likely at both ends: half of 1 and a quarter.
        ("codes", codes, (67, 67, 63, *none), hint),
        # Four cells, 3 to 1 to 1 to 1: half of 1 and a third.
        ("two questions as one", as_one, (75, 75, 67, *none), hint),
    ]


ONE_FACT = {"one fact twice": (99, 2), "one fact twice, and another": (90, 2)}
"""How sure somebody can get of a fact that is asked again, and how often it is, by hand."""


FORGOT = {
    # One of both is 5 to 3 twice, so less than the 3 to 1 that all ever tell.
    "waves": (75, 75),
    # 13 to 7 twice, and 3 to 1 twice.
    "waves with less chance": (78, 78),
    "waves without a limit": (90, 90),
    # 25 to 9 twice is less than the 9 to 1.
    "waves of two questions": (75, 90),
}
"""How sure somebody can get of one answer and of all, if browsers forget, by hand."""


def forgetful(generator: random.Random) -> list[dict[str, Any]]:
    """Make 40 questions that are asked in waves, and forget at all times what is kept of them.

    By Bayes, from the joint law of what is kept and of all reports, of whichever truth
    is the worst each time that the device begins anew.
    """
    return [_forgetful_one(generator) for _ in range(40)]


def _forgetful_one(generator: random.Random) -> dict[str, Any]:
    table = _random_table(generator)
    redraw = generator.choice([0, *(generator.randint(1, 2**29) for _ in range(5))])
    waves = generator.randint(2, 4)
    most = max(
        _posterior([_reports_of(table, redraw, count) for count in counts])
        for counts in _divided(waves)
    )
    number = math.ceil(100 * most - Fraction(1, 10_000))
    return {"table": table, "redraw": redraw, "waves": waves, "number": number}


def _divided(waves: int) -> list[tuple[int, ...]]:
    """Return all ways in which a device may keep noise for some waves, and forget it after them."""
    if waves == 0:
        return [()]
    return [(n, *rest) for n in range(1, waves + 1) for rest in _divided(waves - n)]


def _reports_of(table: list[list[int]], redraw: int, count: int) -> list[list[int]]:
    """Return how likely each row of reports by one noisy answer is, for each truth."""
    reports = range(len(table[0]))
    own = ROW_SUM - (len(reports) - 1) * redraw
    return [
        [
            sum(
                weight * math.prod(own if sent == kept else redraw for sent in row)
                for kept, weight in enumerate(weights)
            )
            for row in itertools.product(reports, repeat=count)
        ]
        for weights in table
    ]


def enumerated(generator: random.Random) -> list[dict[str, Any]]:
    """Make 200 surveys by chance, and look at every report of every person of each.

    Of one answer, of all, and by the best guess; by Bayes, and not by ratios.
    """
    return [_enumerated_one(generator, drawn=number % 4 == 3) for number in range(200)]


def _enumerated_one(generator: random.Random, *, drawn: bool) -> dict[str, Any]:
    tables = [_random_table(generator) for _ in range(generator.randint(1 + drawn, 4))]
    count = generator.randint(1, len(tables) - 1) if drawn else len(tables)
    one = max(_posterior([table]) for table in tables)
    together = max(_posterior(asked) for asked in itertools.combinations(tables, count))
    guess = max(
        Fraction(sum(map(max, zip(a, b, strict=True))), 2 * ROW_SUM)
        for table in tables
        for a, b in itertools.combinations(table, 2)
    )
    numbers = [math.ceil(100 * share - Fraction(1, 10_000)) for share in (one, together, guess)]
    return {"tables": tables, "ask": count if drawn else 0, "numbers": numbers}


def _random_table(generator: random.Random) -> list[list[int]]:
    truths, reports = generator.choice([(2, 2), (2, 2), (2, 3), (3, 3)])
    rows = [[generator.randint(1, 8) for _ in range(reports)] for _ in range(truths)]
    weights = [[one * ROW_SUM // sum(row) for one in row] for row in rows]
    return [[*row[:-1], ROW_SUM - sum(row[:-1])] for row in weights]


def _posterior(tables: Sequence[list[list[int]]]) -> Fraction:
    """Return the most that 1 in 2 becomes, of any two truths and by any reports of all of them."""
    most = Fraction(1, 2)
    for reports in itertools.product(*(range(len(table[0])) for table in tables)):
        chances = [
            math.prod(row[report] for row, report in zip(rows, reports, strict=True))
            for rows in itertools.product(*tables)
        ]
        if max(chances) > 0:
            most = max(most, Fraction(max(chances), max(chances) + min(chances)))
    return most
