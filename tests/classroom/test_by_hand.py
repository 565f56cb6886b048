"""Chance made by hand: enumerated, it has the law of the question."""

import itertools
import re
from collections import Counter
from fractions import Fraction

import pytest

from deniable.classroom.by_hand import by_hand
from tests.classroom.classes import FOUR, YES_NO, survey

COINS = "design: { truth_or_random: { truth: 1/2 } }"


def test_two_coins_have_the_law_of_four_answers() -> None:
    item = survey(FOUR, COINS).items[0]
    cases = dict(re.findall(r"((?:heads|tails) then (?:heads|tails)): (\w+)", by_hand(item)))
    names = [one.text for one in item.truths]
    for truth, name in enumerate(names):
        sent: Counter[str] = Counter()
        for first, second, third in itertools.product(("heads", "tails"), repeat=3):
            sent[name if first == "heads" else cases[f"{second} then {third}"]] += 1
        law = [Fraction(weight, 2**32) for weight in item.channel.weights[truth]]
        assert [Fraction(sent[one], 8) for one in names] == law


@pytest.mark.parametrize("answers", ["A, B, C", "A, B, C, D, E, F"])
def test_coin_and_die_have_the_question_s_law(answers: str) -> None:
    item = survey(answers, COINS).items[0]
    pips = {
        int(pip): name
        for some, name in re.findall(r"; ([\d or]+): (\w)", by_hand(item))
        for pip in some.split(" or ")
    }
    names = [one.text for one in item.truths]
    sent = Counter(["A"] * 6 + [pips[pip] for pip in range(1, 7)])
    law = [float(Fraction(weight, 2**32)) for weight in item.channel.weights[0]]
    # Thirds are rounded to multiples of 2^-32.
    assert [sent[one] / 12 for one in names] == pytest.approx(law, abs=1e-9)


def test_a_question_s_own_answers_are_named() -> None:
    said = by_hand(survey("Cats, Dogs", "flip: 1/4").items[0])
    assert (
        said
        == "toss a coin twice; tails then tails: Cats; tails then heads: Dogs; otherwise the truth"
    )


@pytest.mark.parametrize(
    ("answers", "law"),
    [(YES_NO, "flip: 0.123"), (FOUR, "epsilon: 1"), ("A, B, C, D, E", COINS)],
)
def test_what_no_hand_can_make_is_left_out(answers: str, law: str) -> None:
    assert by_hand(survey(answers, law).items[0]) == ""
