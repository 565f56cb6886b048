"""Each step's numbers, against closed forms and enumerations that know nothing of the room."""

import json
import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from deniable import designs
from deniable.analysis import estimate
from deniable.classroom.class_state import Class, can_be_taught
from deniable.classroom.simulations import TIMES, made_up, true_shares, typical
from deniable.classroom.steps import STEPS
from tests.classroom.classes import FOUR, YES_NO, a_class, notes, scene, survey

pytestmark = pytest.mark.promise("meeting-noise")

TWO = "design: { truth_or_random: { truth: 1/2 } }"
FLIPS = ("1/10", "1/4", "2/5")


def rows(shown: Class, step: str) -> dict[str, dict[str, Any]]:
    """Return the bars of a step, by id."""
    found = scene(shown, step)["picture"]
    found = found.get("bars", found)
    assert found["kind"] == "rows"
    return {row["id"]: row for row in found["rows"]}


@pytest.mark.parametrize("step", [step.slug for step in STEPS])
@pytest.mark.parametrize(
    "shown",
    [
        a_class(0, 0),
        a_class(1, 0),
        a_class(0, 7),
        a_class(18, 12, joined=30, chosen=3, direct=(20, 9)),
        a_class(3, 9, 4, 2, law=TWO, answers=FOUR),
        # A share of Yes far beyond what can be.
        a_class(47, 3),
        a_class(5, 9, law="design: { forced_response: { truth: 3/4, yes: 1/2 } }"),
    ],
    ids=["nobody", "one", "all yes", "class", "four", "beyond", "forced"],
)
def test_every_step_of_every_class_can_be_shown(step: str, shown: Class) -> None:
    found = scene(shown, step)
    json.dumps(found, allow_nan=False)
    assert (found["step"], found["n"], bool(found["said"])) == (step, shown.n, True)
    picture = found["picture"]
    if picture is not None and picture["kind"] == "rows":
        for row in picture["rows"]:
            ends = [row[end] for end in ("value", "low", "high", "before")]
            known = [end for end in ends if end is not None]
            assert picture["low"] <= min(known) <= max(known) <= picture["high"]


@pytest.mark.parametrize("flip", FLIPS)
@pytest.mark.parametrize("counts", [(18, 12), (3, 27), (300, 31)])
def test_two_answers_are_unmixed_as_warner_did(flip: str, counts: tuple[int, int]) -> None:
    shown = a_class(*counts, law=f"flip: {flip}")
    p, n = Fraction(flip), sum(counts)
    a = Fraction(counts[1], n)
    bar = rows(shown, "unmix")["1"]
    share = float((a - p) / (1 - 2 * p))
    # The outline is the share of the reports, and a part of it is by chance.
    found = [bar["value"], bar["before"], bar["noise"]]
    assert found == pytest.approx([share, float(a), float(p)], abs=1e-8)
    # In people it is the same: what came, what chance makes, what is left, and of how many.
    people = rows(shown, "people")
    found = [n * row["value"] for row in people.values()]
    due = [n * (1 - 2 * p), Fraction(counts[1]), n * p, counts[1] - n * p]
    assert found == pytest.approx([float(one) for one in due], abs=1e-6)
    # Each of so many: of all reports, of those that chance makes alone, and those it lets through.
    found = [n * row["before"] for row in people.values()]
    assert found == pytest.approx([float(one) for one in (n, n, 2 * n * p, n * (1 - 2 * p))])
    assert rows(shown, "sure")["1"]["value"] == bar["value"]


@pytest.mark.parametrize("flip", FLIPS)
def test_coins_are_the_table_of_the_channel(flip: str) -> None:
    shown = a_class(18, 12, law=f"flip: {flip}")
    p = float(Fraction(flip))
    sent = [row["value"] for row in rows(shown, "coins").values()]
    assert sent == pytest.approx([p, 1 - p])
    four = a_class(1, 2, 3, 4, law=TWO, answers=FOUR, focus=2)
    sent = [row["value"] for row in rows(four, "coins").values()]
    assert sent == pytest.approx([1 / 8, 1 / 8, 5 / 8, 1 / 8])
    assert "about 62 send “Autumn”. Of 100 others, about 12 do." in scene(four, "coins")["said"][0]


@pytest.mark.parametrize(
    ("no", "yes", "is_impossible"),
    [(24, 6, True), (6, 24, True), (22, 8, False), (30, 10, False), (10, 30, False), (9, 3, False)],
)
def test_an_impossible_estimate_has_its_own_sentence(
    no: int, yes: int, is_impossible: bool
) -> None:
    said = " ".join(scene(a_class(no, yes), "unmix")["said"])
    assert ("Below 0 % or above 100 % nothing can be" in said) is is_impossible


@pytest.mark.parametrize("law", ["design: { truth_or_random: { truth: 1/2 } }", "epsilon: 1"])
def test_four_answers_are_unmixed_by_the_inverse(law: str) -> None:
    counts = (9, 3, 4, 8)
    shown = a_class(*counts, law=law, answers=FOUR)
    table = np.array(shown.channel.weights) / 2**32
    shares = np.linalg.solve(table.T, np.array(counts) / 24)
    found = rows(shown, "unmix")
    assert [found[f"{truth}"]["value"] for truth in range(4)] == pytest.approx(shares.tolist())
    if law.startswith("design"):
        # q = 1/2 + 1/8 and p = 1/8.
        assert scene(shown, "unmix")["formula"] == (
            "(ā − p) / (q − p) = (12.5 − 12.5) / (62.5 − 12.5) = 0 %"
        )
        assert scene(shown, "people")["formula"] == "(3 − 3) / 12 = 0 %"


def test_the_interval_is_feldman_and_cousins_s() -> None:
    """The one that `tests/analysis` inverts by enumeration; it holds its estimate."""
    for yes in range(21):
        bar = rows(a_class(20 - yes, yes), "sure")["1"]
        found = estimate([20 - yes, yes], designs.warner("1/4"))
        ends = found.interval(method="feldman-cousins")[1].tolist()
        assert [bar["low"], bar["high"]] == pytest.approx(ends)
        assert bar["low"] - 1e-12 <= bar["value"] <= bar["high"] + 1e-12


def test_each_report_is_in_a_bar_and_a_dot() -> None:
    shown = a_class(18, 13)
    found = scene(shown, "bars")
    assert [row["text"] for row in found["picture"]["rows"]] == [
        "18 of 31 (58.1 %)",
        "13 of 31 (41.9 %)",
    ]
    assert found["n"] == 31
    dots = scene(shown, "point")["picture"]["reports"]
    assert sorted(dots) == [0] * 18 + [1] * 13
    # In no order: not that in which they came, nor sorted. Another seed, other places.
    assert dots != tuple(sorted(dots))
    other = a_class(18, 13, seed=2)
    assert scene(other, "point")["picture"]["reports"] != dots


@pytest.mark.parametrize("flip", FLIPS)
def test_a_dot_tells_no_more_than_epsilon_allows(flip: str) -> None:
    shown = a_class(18, 12, law=f"flip: {flip}", chosen=29)
    found = scene(shown, "point")["picture"]
    p = float(Fraction(flip))
    told = [one["bars"]["rows"][1] for one in found["told"]]
    assert [one["before"] for one in told] == [0.5, 0.5]
    assert [one["value"] for one in told] == pytest.approx([p, 1 - p])
    assert found["chosen"] == 29
    odds = {"1/10": "9", "1/4": "3", "2/5": "1.5"}[flip]
    assert f"at most {odds} times larger or smaller" in scene(shown, "point")["said"][-1]


def test_a_dot_of_four_says_bayes_s() -> None:
    shown = a_class(1, 2, 3, 4, law=TWO, answers=FOUR, focus=2)
    told = scene(shown, "point")["picture"]["told"]
    # The others share one half; a report is 5 times as likely if it is true.
    own = 0.5 * 5 / (0.5 * 5 + 0.5)
    assert told[2]["bars"]["rows"][2]["value"] == pytest.approx(own)
    other = 1 / 6 * 5 / (1 / 6 * 5 + 5 / 6)
    assert told[0]["bars"]["rows"][0]["value"] == pytest.approx(other)


def test_two_coins_are_shown_as_they_fall() -> None:
    ways = scene(a_class(18, 12), "coins")["picture"]["ways"]
    # Each way sends what two coins, drawn by hand, send; heads of the first is every second one.
    assert [(way["coins"], way["sends"]) for way in ways] == [
        (("heads",), "your answer is sent"),
        (("tails", "heads"), "“Yes” is sent"),
        (("tails", "tails"), "“No” is sent"),
    ]
    for other in (a_class(18, 12, law="flip: 1/10"), a_class(1, 2, 3, 4, law=TWO, answers=FOUR)):
        assert scene(other, "coins")["picture"]["kind"] == "rows"


def test_a_known_share_is_a_line_across_the_bars() -> None:
    for step in ("unmix", "direct"):
        for direct in ((24, 6), (29, 1)):
            known = scene(a_class(18, 12, expected=0.25, direct=direct), step)["picture"]
            assert (known["mark"], known["mark_text"]) == (0.25, "expected: 25 %")
            assert scene(a_class(18, 12, direct=direct), step)["picture"]["mark"] is None


def test_the_direct_question_says_by_itself_what_it_shows() -> None:
    asking = scene(a_class(18, 12), "direct")
    assert asking["formula"] == "Without coins, do as many say “Yes”?"
    # The two shares side by side, and why they may differ where a question is no harmless one.
    closed = scene(a_class(18, 12, direct=(27, 6)), "direct")
    assert closed["formula"] == "Asked directly, 18.2 % say “Yes”. With coins, we estimate 30 %."
    assert any("fewer admit it when they are asked directly" in one for one in closed["said"])
    # Nothing of the kind where the direct share is hidden.
    hidden = scene(a_class(18, 12, direct=(29, 1)), "direct")
    assert "directly" not in " ".join([*hidden["said"], hidden["formula"]])


def farther(n: int, moved: Fraction, expected: Fraction) -> float:
    """Return how often the estimate of n people is as far from what is expected: all ways added."""
    rate = Fraction(1, 4) + expected / 2
    ways = [math.comb(n, x) * rate**x * (1 - rate) ** (n - x) for x in range(n + 1)]
    far = [abs(Fraction(2 * x, n) - Fraction(1, 2) - expected) >= abs(moved) for x in range(n + 1)]
    return float(sum(way for way, is_far in zip(ways, far, strict=True) if is_far))


@pytest.mark.parametrize("yes", [4, 8, 9, 12, 18, 21, 22, 30])
def test_an_unlucky_class_hears_how_often_chance_does_that(yes: int) -> None:
    known = a_class(40 - yes, yes, expected=0.25)
    said = " ".join(scene(known, "unmix")["said"])
    moved = Fraction(2 * yes, 40) - Fraction(1, 2) - Fraction(1, 4)
    # One standard error: sqrt(3/8 · 5/8 / 40) · 2.
    is_far = abs(moved) > math.sqrt(15 / 64 / 40) * 2
    assert ("chance alone often moves the result by ±15 points" in said) is is_far
    if is_far:
        (often,) = re.findall(r"in (\d+) of 100 classes", said)
        # The sentence takes the curve of Gauss.
        assert abs(int(often) - max(1, 100 * farther(40, moved, Fraction(1, 4)))) < 1.5
        by = f"{'+' if moved > 0 else '−'}{abs(round(100 * moved))} points"
        assert f"moved by {by} from the expected 25 %: in" in said
    # Where nobody knows the share, nobody knows how far it is.
    assert "chance alone" not in " ".join(scene(a_class(40 - yes, yes), "unmix")["said"][2:])


def test_one_belief_begins_each_step() -> None:
    """What people guessed of the class changes none: the phone counted from 50:50 before."""
    for shown in (a_class(18, 12, guesses=(10, 30)), a_class(18, 12, expected=0.1)):
        assert "Your phone counts from 50:50, too." in scene(shown, "point")["said"]
        told = scene(shown, "point")["picture"]["told"]
        assert {row["before"] for one in told for row in one["bars"]["rows"]} == {0.5}
        assert scene(shown, "again")["picture"]["mark"] == 0.5


def test_pointing_ends_with_the_report() -> None:
    assert scene(a_class(3, 2, chosen=5), "point")["picture"]["chosen"] is None
    assert scene(a_class(3, 2), "point")["picture"]["chosen"] is None


def test_made_up_classes_have_this_truth_and_coins() -> None:
    shown = a_class(180, 120, seed=5, expected=0.3)
    found = scene(shown, "sure")
    assert true_shares(shown) == (0.7, 0.3)
    assert found["picture"]["mark"] == 0.3
    # Where nobody knows a share it is a round one, and not what this class seems to have.
    assert true_shares(a_class(180, 120)) == (0.8, 0.2)
    drawn = made_up(shown.channel, (0.7, 0.3), 3000, 5)
    # Reports of yes: 0.3 · 3/4 + 0.7 · 1/4 = 0.4. Six standard errors: wrong once in 5e8 seeds.
    assert abs(drawn[1] / 3000 - 0.4) < 6 * math.sqrt(0.4 * 0.6 / 3000)
    assert sum(drawn) == 3000
    bars = rows(shown, "sure")
    again = scene(shown, "sure")["picture"]
    assert again == found["picture"]
    large = made_up(shown.channel, true_shares(shown), 3000, 5)
    assert bars["made-up-3000"]["value"] == pytest.approx(2 * large[1] / 3000 - 0.5)
    made = ["made-up-30", "made-up-300", "made-up-3000"]
    assert list(bars) == ["1", *made]
    # Before the first report there is none of one's own.
    assert list(rows(a_class(0, 0), "sure")) == made


def test_new_tosses_find_two_people_out_and_copies_do_not() -> None:
    bars = rows(a_class(18, 12), "again")
    texts = {id: row["text"] for id, row in bars.items()}
    assert texts == {
        "new-1": "over 99.9 %",
        "new-0": "under 0.1 %",
        "kept-1": "75 %",
        "kept-0": "75 %",
    }
    for truth in (0, 1):
        # Each yes multiplies the odds by 3, each no divides by it; three of four are true.
        sent = bars[f"new-{truth}"]["reports"]
        odds = Fraction(3) ** (2 * sum(sent) - TIMES)
        assert len(sent) == TIMES
        assert bars[f"new-{truth}"]["value"] == pytest.approx(float(odds / (1 + odds)))
        assert abs(sent.count(bool(truth)) - 3 * TIMES / 4) <= 0.5
    # All that is drawn of the copies is the same, but for the name.
    one, other = (bars[f"kept-{truth}"] | {"id": "", "name": ""} for truth in (1, 0))
    assert one == other
    assert (one["reports"], one["copies"]) == ((True,) * TIMES, True)
    assert not bars["new-1"]["copies"]
    picture = scene(a_class(18, 12), "again")["picture"]
    assert (picture["mark"], picture["mark_text"]) == (0.5, "before any report: 50 %")


@pytest.mark.parametrize("law", [TWO, "epsilon: 1"])
def test_a_pile_has_each_report_as_often_as_chance_makes_it(law: str) -> None:
    channel = a_class(1, 2, 3, 4, law=law, answers=FOUR).channel
    counts = np.bincount(typical(channel, 2, 50), minlength=4)
    assert abs(counts - 50 * channel.probabilities[2]).max() < 1


def test_guesses_stand_beside_the_estimate() -> None:
    four = {"law": "epsilon: 1", "answers": FOUR}
    for shown in (a_class(18, 12, guesses=(5, 30, 30)), a_class(1, 2, 3, 4, guesses=(7,), **four)):
        for row in rows(shown, "unmix").values():
            is_guessed = row["id"] == "1"
            assert row["guesses"] == (tuple(one / 100 for one in shown.guesses) * is_guessed)
    said = scene(a_class(18, 12, guesses=(5, 30, 30)), "unmix")["said"]
    assert said[-1] == "The dots: what 3 of you guessed, 21.7 % on average."
    # Nobody is helped to a guess by those of others.
    for step in STEPS:
        if step.slug != "unmix":
            asked = a_class(18, 12, guesses=(5, 30, 30))
            assert scene(asked, step.slug) == scene(a_class(18, 12), step.slug)


def test_a_crowd_has_a_dot_for_each_phone() -> None:
    for step, came in (("question", 30), ("sent", 30), ("direct", 7)):
        found = scene(a_class(18, 12, joined=40, came=7), step)
        assert found["picture"] == {"came": came, "joined": 40, "kind": "crowd"}


def test_direct_totals_need_ten() -> None:
    for direct in ((0, 0), (3, 6)):
        assert list(rows(a_class(18, 12, direct=direct), "direct")) == ["received-1", "1"]
    bars = rows(a_class(18, 12, direct=(14, 6)), "direct")
    assert bars["direct-1"]["value"] == pytest.approx(0.3)
    assert bars["1"]["value"] == pytest.approx(0.3)
    # Three bars: 12 of 30 as received, un-mixed with its interval, and the truth.
    assert [(one["id"], one["tone"]) for one in bars.values()] == [
        ("received-1", "noisy"),
        ("1", "found"),
        ("direct-1", "direct"),
    ]
    assert bars["received-1"]["value"] == pytest.approx(0.4)
    assert [bar["low"] is not None for bar in bars.values()] == [False, True, False]
    # Nowhere else are they shown.
    shown = a_class(18, 12, direct=(14, 6))
    for step in STEPS[:-1]:
        assert scene(shown, step.slug) == scene(a_class(18, 12), step.slug)


def test_a_lesson_can_end_without_the_direct_question() -> None:
    skipped = a_class(18, 12, direct=())
    assert list(rows(skipped, "direct")) == ["received-1", "1"]
    assert scene(skipped, "direct")["said"] == ("Nobody is asked directly.",)
    assert not any("answers" in one for one in notes(skipped, "direct"))


def test_no_few_people_s_answers_are_shown_or_follow() -> None:
    # Of two answers each tells the other.
    for few in (1, 2, 3, 4):
        one, other = (
            scene(a_class(18, 12, direct=direct), "direct")
            for direct in ((29 - few, few), (few, 29 - few))
        )
        assert one == other
        assert [row["id"] for row in one["picture"]["rows"]] == ["received-1", "1"]
    nothing = scene(a_class(0, 0, direct=(28, 1)), "direct")
    assert nothing["picture"] is None
    assert nothing["said"]
    # An answer that nobody gave is nobody's.
    assert "direct-1" in rows(a_class(18, 12, direct=(29, 0)), "direct")
    # Of four, a second one goes with it: which one, the order tells and not the numbers.
    four = a_class(9, 9, 9, 9, law=TWO, answers=FOUR, direct=(9, 20, 2, 11))
    bars = rows(four, "direct")
    assert {id for id in bars if "direct" in id} == {"direct-1", "direct-3"}
    # As received: 9 of 36, as an outline. A third bar for each answer would not fit the wall.
    assert [bars[f"{truth}"]["before"] for truth in range(4)] == pytest.approx([0.25] * 4)


def test_a_step_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a step"):
        scene(a_class(1, 2), "truth")


@pytest.mark.parametrize(
    ("answers", "law"),
    [
        (YES_NO, "protection: direct"),
        # Blocks: a report speaks for several answers.
        (FOUR, "design: { block_design: { epsilon: 1, blocks: subsets-4-2 } }"),
    ],
)
def test_not_every_question_can_be_shown(answers: str, law: str) -> None:
    assert can_be_taught(survey(YES_NO).items[0])
    assert not can_be_taught(survey(answers, law).items[0])
