"""The sentence above a comparison: which group has more, by how much, and whether by chance."""

import math
from dataclasses import replace

import pytest

from deniable.analysis.findings import Contrast, GroupRatio, Interval, Mean, Share
from deniable.results.compared import lead_of, lead_of_others
from deniable.results.headlines import Headline, Move
from deniable.survey.questions import PREFER_NOT_TO_SAY, Answer
from deniable.survey_file import read
from tests.kit.surveys import EXAMPLES

ITEM = read((EXAMPLES / "ward.yaml").read_text()).survey.items[0]
YES, NORTH, SOUTH = Answer("yes", "Yes"), Answer("n", "North"), Answer("s", "South")


def line(estimate: float, *, is_mean: bool) -> Headline:
    if is_mean:
        return Headline(ITEM, None, "Mean", Mean(estimate=estimate, least=0.0, greatest=50.0))
    return Headline(ITEM, YES, "Yes", Share(estimate=estimate, answer=YES))


def move(north: float, south: float, reach: float, *, is_mean: bool = False) -> Move:
    """Compare two groups, with an interval that reaches so far to each side."""
    more = north - south
    change = Contrast(
        estimate=more,
        interval=Interval(more - reach, more + reach),
        first=NORTH,
        second=SOUTH,
        answer=None if is_mean else YES,
    )
    return Move(
        line(north, is_mean=is_mean), line(south, is_mean=is_mean), change, ("North", "South")
    )


SURE = "This is more than chance: the difference lies between"
PERHAPS = "This may be chance: the difference lies between"


@pytest.mark.parametrize(
    ("moves", "estimates", "doubt"),
    [
        (
            [move(0.4, 0.2, 0.1)],
            "Yes: about 40 in 100 of “North” and 20 of “South”.",
            f"{SURE} 10 and 30 in 100.",
        ),
        (
            [move(0.2, 0.4, 0.3)],
            "Yes: about 40 in 100 of “South” and 20 of “North”.",
            f"{PERHAPS} −10 and 50 in 100.",
        ),
        (
            # What is impossible is not written: its difference is told all the same.
            [move(-0.05, 0.25, 0.1)],
            "Yes: more of “South” than of “North”, by about 30 in 100.",
            f"{SURE} 20 and 40 in 100.",
        ),
        (
            [move(-0.3, 0.9, 0.5)],
            "Yes: more of “South” than of “North”.",
            f"{SURE} 70 and 100 in 100.",
        ),
        (
            [move(12.5, 10, 5, is_mean=True)],
            "Mean: about 12.50 of “North” and 10.00 of “South”.",
            f"{PERHAPS} −2.50 and 7.50.",
        ),
        (
            [move(0.4, 0.2, 0.3), move(0.4, 0.3, 0.05), move(0.2, 0.3, 0.2)],
            "Yes: about 40 in 100 of “North” and 30 of “South”.",
            f"{SURE} 5 and 15 in 100. 1 of 3 differences is more than chance.",
        ),
        (
            [move(0.4, 0.2, 0.3), move(0.4, 0.3, 0.2)],
            "Yes: about 40 in 100 of “North” and 20 of “South”.",
            PERHAPS.replace("chance:", "chance, and so may the other difference:")
            + " −10 and 50 in 100.",
        ),
    ],
)
def test_the_group_with_more_comes_first(moves: list[Move], estimates: str, doubt: str) -> None:
    assert lead_of(moves) == f"{estimates} {doubt}"


def test_who_skips_is_no_finding() -> None:
    skip = Answer(PREFER_NOT_TO_SAY, "Skipped")
    kept, skipped = move(0.4, 0.2, 0.3), move(0.3, 0.1, 0.05)
    before, after = (replace(one, answer=skip) for one in (skipped.before, skipped.after))
    skipped = replace(skipped, before=before, after=after)
    assert lead_of([kept, skipped]) == lead_of([kept])
    assert "more than chance" in lead_of([skipped])


NO_DIFFERENCE = "no difference can be seen: the share in “North”"


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        (Interval(1.4, math.inf), "the share in “North” is at least 1.40 times that in “South”."),
        (Interval(0.0, math.inf), f"{NO_DIFFERENCE} may be any number of times that in “South”."),
        (None, f"{NO_DIFFERENCE} may be any number of times that in “South”."),
    ],
)
def test_a_ratio_without_an_end_is_told(ends: Interval | None, said: str) -> None:
    found = GroupRatio(estimate=None, interval=ends, first=NORTH, second=SOUTH, answer=YES)
    assert lead_of_others([found], 1.0) == f"Yes: {said}"
