"""Changes between waves hold together, and those of a follow-up are of whom it applies to."""

from functools import cache
from typing import Final

import numpy as np
import pytest

import deniable
from deniable.analysis.counts.tally import Tally
from deniable.analysis.findings import Change
from deniable.analysis.means import applicable_shares
from deniable.analysis.waves import (
    CountedReports,
    Waves,
    changes_of,
    summarise_waves,
    told_together,
)
from deniable.results.changes import change_notes, moves, only_changes
from deniable.results.compared import lead_of
from deniable.study import Study
from deniable.survey import Survey
from deniable.survey_file import read

HEAD: Final = "version: 1\nsurvey: s\ntitle: T\nwaves: {count: 2, redraw: 0}\n"
MANY: Final = 10

FOLLOWED: Final = (
    HEAD
    + """\
epsilon: 6
questions:
  - {id: error, text: E?, type: single, answers: [No, Yes]}
  - {id: why, text: Why?, type: single, answers: [A, B, C], ask_if: {error: yes}}
  - {id: hours, text: H?, type: number, min: 0, max: 4, ask_if: {error: yes}}
  - {id: ward, text: W?, type: single, answers: [A, B, C], protection: direct}
  - {id: bed, text: B?, type: single, answers: [A, B], protection: direct, ask_if: {ward: a}}
"""
)


def many() -> Survey:
    questions = "".join(
        f"  - {{id: q{place}, text: T, type: single, answers: [No, Yes]}}\n"
        for place in range(MANY)
    )
    return read(f"{HEAD}epsilon: 20\nquestions:\n{questions}").survey


@pytest.fixture(scope="module")
def followed() -> Study:
    """Draw reports of 300 people in each of two waves; in the second most have the first reason."""
    survey, random = read(FOLLOWED).survey, np.random.default_rng(1)
    rows = []
    for wave in (0, 1):
        yes, why, hours = random.integers(0, [[2], [3], [5]], (3, 300))
        why[random.random(300) < 0.9 * wave] = 0
        ward, bed = random.integers(0, [[3], [2]], (2, 300))
        truths = [yes, np.where(yes, why, 3), np.where(yes, hours, 5), ward, np.where(ward, 2, bed)]
        sent = [
            (random.random((300, 1)) > item.channel.probabilities[own].cumsum(axis=1)).sum(axis=1)
            for item, own in zip(survey.items, truths, strict=True)
        ]
        rows.append(np.column_stack([*sent, np.full(300, wave)]))
    made: Study = deniable.open(survey, np.concatenate(rows).astype(np.uint8))
    return made


@pytest.fixture(scope="module")
def waves(followed: Study) -> Waves:
    return followed.estimates()


def leaves_0_out(one: Change) -> bool:
    assert one.low is not None
    assert one.high is not None
    return one.low > 0 or one.high < 0


@pytest.mark.slow
def test_all_changes_together_rarely_show_nothing_as_something() -> None:
    """By 2,000 surveys in which nothing changes: more than 150 show a change once in a million."""
    item, n = many().items[0], 40
    random = np.random.default_rng(5)
    said = random.binomial(
        n, np.array([0.6, 0.4]) @ item.channel.probabilities[:, 1], (2000, MANY, 2)
    )

    @cache
    def is_beyond(before: int, after: int, comparisons: int) -> bool:
        pair = [CountedReports(item.channel, np.array([n - one, one])) for one in (before, after)]
        (_, yes) = changes_of((1, 2), item, (pair[0], pair[1]), comparisons=(comparisons, 0))
        return leaves_0_out(yes)

    alarms = [
        sum(any(is_beyond(*pair, comparisons) for pair in one) for one in said.tolist())
        for comparisons in (MANY, 1)
    ]
    assert told_together(many(), 1) == (MANY, 0)
    assert alarms[0] <= 150
    assert alarms[1] > 300


def test_one_small_p_of_many_is_no_change() -> None:
    survey = many()
    channel = survey.items[0].channel
    # The only question of a survey tells the same change by itself.
    alone = read(
        f"{HEAD}epsilon: 2\nquestions:\n  - {{id: q, text: T, type: single, answers: [No, Yes]}}\n"
    ).survey
    assert alone.items[0].channel == channel
    pair = [np.array([180, 120]), np.array([154, 146])]
    quiet = np.array([150, 150])
    of_one, of_many = (
        summarise_waves(
            one,
            {
                wave: Tally(one.revision, 300, (counts, *[quiet] * (len(one.items) - 1)))
                for wave, counts in zip((1, 2), pair, strict=True)
            },
        )
        for one in (alone, survey)
    )
    first, same = of_one.changes[1], of_many.changes[1]
    assert (first.comparisons, same.comparisons) == (1, MANY)
    assert first.p_value is not None
    assert 0.01 < first.p_value < 0.05
    assert same.p_value == pytest.approx(min(1, MANY * first.p_value))
    assert "This is more than chance: the change lies" in lead_of(moves(of_one)["q"])
    assert "This may be chance: the change lies" in lead_of(moves(of_many)["q0"])
    assert "Chance has 10 tries" in " ".join(change_notes(of_many))
    assert "tries" not in " ".join(change_notes(of_one))


def shown(waves: Waves, level: float) -> set[bool]:
    """Return which there are: changes beyond chance and others, alike by p-value and interval."""
    for one in waves.changes:
        assert one.p_value is not None
        assert (one.p_value < 1 - level) == leaves_0_out(one)
    return {leaves_0_out(one) for one in waves.changes}


def test_p_values_and_intervals_agree(followed: Study, waves: Waves) -> None:
    assert shown(waves, 0.95) == {True, False}
    assert shown(followed.estimates(0.01, only="why"), 0.01)
    weighed = followed.weights(margins={"ward": {"a": 0.5, "b": 0.3, "c": 0.2}})
    assert shown(weighed.estimates(0.95, only="why"), 0.95) == {True, False}
    assert shown(weighed.estimates(0.01, only="why"), 0.01)


def test_what_is_told_first_is_corrected_apart(waves: Waves) -> None:
    survey = read(FOLLOWED).survey
    # Error, three of why, the mean of hours, three of ward, and one of bed.
    assert told_together(survey, 1) == (9, 4 + 6 + 5 + 3)
    assert told_together(survey, 2) == (18, 36)
    first = {
        (one.item.id, one.if_applies, one.answer is None)
        for one in waves.changes
        if one.comparisons == 9
    }
    assert first == {
        ("error", False, False),
        ("why", True, False),
        ("hours", False, True),
        ("ward", False, False),
        ("bed", True, False),
    }
    assert {one.comparisons for one in waves.changes} == {9, 18}


def test_shares_that_weights_fix_are_no_tries(followed: Study) -> None:
    weighed = followed.weights(margins={"ward": {"a": 0.5, "b": 0.3, "c": 0.2}}).estimates(0.95)
    assert weighed.comparisons == (9 - 3, 18)
    assert {one.comparisons for one in weighed.changes} == {6, 18}
    said = " ".join(change_notes(weighed))
    assert "Chance has 6 tries" in said
    assert "ward: no change, because the weights set these shares in each wave." in said


def test_no_share_is_said_to_be_fixed_without_weights(followed: Study, waves: Waves) -> None:
    assert "no change, because" not in " ".join(change_notes(waves))
    weighed = followed.weights(margins={"ward": {"a": 0.5, "b": 0.3, "c": 0.2}})
    assert "ward: no change, because" in repr(weighed.changes())
    assert "ward: no change, because" not in repr(weighed.changes("error"))


def test_a_follow_up_s_change_is_among_those_concerned(followed: Study, waves: Waves) -> None:
    before, after = (
        applicable_shares(followed.tallies[wave].counts[1], followed.survey.items[1].channel, 3)
        for wave in (1, 2)
    )
    told = [one for one in waves.changes if one.item.id == "why" and one.if_applies]
    assert [one.answer and one.answer.code for one in told] == ["a", "b", "c"]
    assert [one.estimate for one in told] == pytest.approx(list(after.theta - before.theta))
    assert [one.standard_error for one in told] == pytest.approx(
        list(np.hypot(before.standard_error, after.standard_error))
    )
    asked = [followed.tallies[wave].counts[4][:2] for wave in (1, 2)]
    (_, second) = (one for one in waves.changes if one.item.id == "bed" and one.if_applies)
    assert second.estimate == pytest.approx(
        asked[1][1] / asked[1].sum() - asked[0][1] / asked[0].sum()
    )
    among = ", among those to whom it applies"
    said = {id: {one.of for one in some} for id, some in moves(waves).items()}
    assert said == {"error": {""}, "why": {among}, "hours": {among}, "ward": {""}, "bed": {among}}
    kinds = {row["statistic"] for row in only_changes(waves, "", None).export.rows}
    assert kinds == {"change_of_share", "change_of_share_if_applies", "change_of_mean"}


def test_hidden_answers_have_no_change_among_those_concerned() -> None:
    survey = read(FOLLOWED).survey
    tallies = {
        wave: Tally(
            survey.revision,
            300,
            tuple(
                np.array([2, 98, 200])
                if item.id == "bed"
                else np.full(item.channel.reports, 300 // item.channel.reports)
                for item in survey.items
            ),
        )
        for wave in (1, 2)
    }
    waves = summarise_waves(survey, tallies, min_cell_size=5)
    bed = [one for one in waves.changes if one.item.id == "bed" and one.if_applies]
    assert len(bed) == 2
    assert {one.estimate for one in bed} == {None}
    assert {one.interval for one in bed} == {None}
