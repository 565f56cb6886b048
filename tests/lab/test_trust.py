"""Trust, but test: the page accuses whom the product's audit accuses, as often as drawn."""

import math

import numpy as np
import pytest
from scipy import stats

from deniable import designs
from deniable.analysis.audit import Samples, plan
from deniable.lab.trust import PAGE, TAIL, alarm, caught
from tests import surveys
from tests.lab.shown import values
from tests.surveys import single


@pytest.mark.parametrize("n", [300, 1000])
@pytest.mark.parametrize("flip", ["0.05", "0.25", "0.45"])
def test_the_alarm_is_where_the_audit_begins_to_accuse(n: int, flip: str) -> None:
    channel = designs.warner(flip=flip)
    survey = surveys.survey(single(channel=channel))
    first = int(alarm(np.array(n), 1 - float(flip)))
    found = []
    for hits in (first - 1, first):
        samples = Samples(survey, [plan(channel)])
        honest = round(n * (1 - float(flip)))
        for truth, same in ((0, honest), (1, hits)):
            answers = np.where(np.arange(n) < same, truth, 1 - truth).astype(np.uint8)
            samples.add(np.full((n, 1), truth, np.uint8), answers[:, np.newaxis])
        (verdict,) = samples.items()
        assert verdict
        found.append([one for one in verdict.failures if "is sent by" in one])
    assert [bool(one) for one in found] == [False, first <= n]


def test_it_is_seen_as_often_as_in_drawn_audits() -> None:
    # 20,000 audits: six standard errors, which one run in a billion exceeds.
    drawn = np.random.default_rng(5).binomial(3000, 0.8, (20_000, 2)).max(axis=1)
    chance = float(caught(np.array(3000), 0.75, 0.8))
    share = (drawn >= alarm(np.array(3000), 0.75)).mean()
    assert abs(share - chance) < 6 * math.sqrt(chance * (1 - chance) / 20_000)
    assert values(PAGE, n="3000", cheat="0.2")["chance"] == pytest.approx(chance)


def test_the_least_that_is_seen_is_seen_surely_and_what_is_needed_is_enough() -> None:
    found = values(PAGE, n="10000")
    first = alarm(np.array(10_000), 0.75)
    assert stats.binom.sf(first - 1, 10_000, 0.75 + found["least"]) == pytest.approx(0.99)
    assert stats.binom.sf(first - 1, 10_000, 0.75) <= TAIL < stats.binom.sf(first - 2, 10_000, 0.75)
    needed = np.array([found["needed"], 0.97 * found["needed"] // 1])
    enough, few = caught(needed, 0.75, 0.8)
    assert enough >= 0.99 > few
    assert values(PAGE, cheat="0.1")["needed"] / found["needed"] == pytest.approx(4, abs=0.5)
