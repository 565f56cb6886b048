"""Asked again and again: the best guess by enumerating every sequence of answers, and the sums."""

import math
from fractions import Fraction
from itertools import product

import pytest

from deniable.lab.again import MOST, PAGE, answers
from deniable.lab.pictures import Series
from tests.lab.shown import picture, values


def lines(id: str, **given: str) -> dict[str, Series]:
    return {one.name: one for one in picture(PAGE, id, **given).series}


@pytest.mark.parametrize("prior", ["0.05", "0.5", "0.8"])
@pytest.mark.parametrize("flip", ["0.05", "0.25", "0.45"])
@pytest.mark.parametrize("times", [1, 2, 7])
def test_the_best_guess_over_every_sequence_of_answers(flip: str, prior: str, times: int) -> None:
    p, q = Fraction(flip), Fraction(prior)
    right = Fraction(0)
    for sent in product([0, 1], repeat=times):
        yes = sum(sent)
        if_true = q * (1 - p) ** yes * p ** (times - yes)
        if_false = (1 - q) * p**yes * (1 - p) ** (times - yes)
        right += max(if_true, if_false)
    found = values(PAGE, flip=flip, prior=prior, times=str(times))
    assert found["fresh"] == pytest.approx(float(right), abs=1e-8)
    assert found["without"] == max(float(q), float(1 - q))
    assert found["remembered"] == pytest.approx(
        float(max(q * (1 - p), (1 - q) * p) + max(q * p, (1 - q) * (1 - p))), abs=1e-8
    )


def test_losses_add_up_unless_the_answer_is_remembered() -> None:
    found = values(PAGE, flip="0.25", times="10")
    assert found["epsilon_fresh"] == pytest.approx(10 * math.log(3), abs=1e-5)
    assert found["epsilon_remembered"] == pytest.approx(math.log(3), abs=1e-6)
    ledger = lines("ledger", flip="0.25")
    assert ledger["fresh answers"].y[-1] == pytest.approx(MOST * math.log(3), abs=1e-4)
    assert len(set(ledger["a remembered answer"].y)) == 1


@pytest.mark.parametrize("seed", ["1", "7"])
def test_the_belief_in_one_person_follows_bayes_rule_answer_by_answer(seed: str) -> None:
    sent = answers(Fraction(1, 4), int(seed))[:20]
    odds, believed = Fraction(1), [0.5]
    for one in sent:
        odds *= 3 if one else Fraction(1, 3)
        believed.append(float(odds / (1 + odds)))
    after = lines("belief", seed=seed)
    assert after["fresh answers"].y == pytest.approx(believed, abs=1e-6)
    assert after["a remembered answer"].y == pytest.approx([0.5, believed[1], believed[1]])
    assert values(PAGE, seed=seed)["yes"] == sum(sent)
