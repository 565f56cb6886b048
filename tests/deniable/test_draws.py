"""What chance asks, and what is randomised as one answer: their laws, and who refuses what."""

import math
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from deniable import exact
from deniable.channel import ROW_SUM, Channel, identity
from deniable.client.asking import choose, choose_again, draw_asked
from deniable.client.memory import Kept
from deniable.client.panel import simulate_panel
from deniable.client.population import read_population
from deniable.client.randomness import seeded_words
from deniable.client.respondent import draw_report
from deniable.estimator import least_variance
from deniable.exact import MILLION
from deniable.report import NOT_ASKED, NOT_DRAWN, Report, ValueMistake
from deniable.survey import Draw, Survey, fair_draws
from deniable.survey.fair_draws import even_chances
from deniable.survey.together import Cells, Group
from deniable.survey_file import SurveyFileError, read
from tests import vectors
from tests.kit.surveys import DRAWN, TOGETHER, file_of, together

HEAD = "version: 1\nsurvey: some\ntitle: Some\nepsilon: {epsilon}\nask: {ask}\n{more}questions:\n"
STOLE = "  - {id: stole, text: Stole, type: single, answers: [No, Yes]}\n"
AGAIN = "  - {id: again, text: Again, type: single, answers: [No, Yes], ask_if: {stole: yes}}\n"
TOOK = "  - {id: took, text: Took, type: many, answers: [Iron, Gold]}\n"
WHO = "  - {id: who, text: Who, type: single, answers: [A, B, C], protection: direct}\n"
CHANCES = "chances: {stole: 3, took.gold: 2}\n"


def mixed(ask: int, more: str = CHANCES, epsilon: str = "2") -> Survey:
    text = HEAD.format(epsilon=epsilon, ask=ask, more=more) + STOLE + AGAIN + TOOK + WHO
    return read(text).survey


@pytest.mark.parametrize("case", vectors.asking()["draws"])
def test_one_word_draws_as_in_the_browser(case: dict[str, Any]) -> None:
    names = tuple(f"c{at}" for at in range(len(case["chances"])))
    count = case["count"]
    draw = Draw(count, names, tuple((at,) for at in range(len(names))), tuple(case["chances"]))
    for word, chosen in zip(case["words"], case["chosen"], strict=True):
        kept = [names[at] for at in case["before"]]
        assert choose_again(draw, [word], kept) == [names[at] for at in chosen]
    if not case["before"]:
        drawn, _ = choose(draw, np.array(case["words"], dtype=np.uint32)[:, np.newaxis])
        found = [np.flatnonzero(row).tolist() for row in drawn]
        assert found == case["chosen"]


def test_a_unit_is_a_question_with_follow_ups() -> None:
    survey = mixed(2)
    (draw,) = survey.draws
    assert draw.choices == ("stole", "took.iron", "took.gold")
    assert draw.places == ((0, 1), (2,), (3,))
    assert draw.chances == (3, 1, 2)
    # Of the three sets, by the products of their chances: 3, 6 and 2.
    assert [float(one) for one in survey.asked_shares] == pytest.approx(
        [9 / 11, 9 / 11, 5 / 11, 8 / 11, 1], abs=1e-9
    )
    assert float(survey.share_asked((0, 3))) == pytest.approx(6 / 11, abs=1e-9)
    assert Survey.from_json(survey.to_json()) == survey
    assert mixed(1, "").share_asked((2, 3)) == 0
    drawn = draw_asked(survey, 100_000, seeded_words(5)).mean(axis=0)
    assert drawn == pytest.approx([float(one) for one in survey.asked_shares], abs=0.01)


def group(more: str) -> Survey:
    """Ask two questions as one answer, and a follow-up to these, or an option."""
    more = f"together: [stole, again]\n{more}"
    late = "  - {id: late, text: Late, type: single, answers: [No, Yes], ask_if: {stole: yes}}\n"
    head = HEAD.format(epsilon="3", ask=1, more=more)
    return read(head + STOLE + AGAIN + late + TOOK).survey


MIXED = [
    (mixed(1), [[a, b if a else 2, c, d, 0] for a, b, c, d in product(range(2), repeat=4)]),
    (mixed(2), [[a, b if a else 2, c, d, 0] for a, b, c, d in product(range(2), repeat=4)]),
    *(
        (
            group(more),
            [[a, b if a else 2, e if a else 2, *c] for a, b, e, *c in product(range(2), repeat=5)],
        )
        for more in ("", "waves: {count: 2, redraw: 1/8}\n")
    ),
]
"""Surveys, and the truths of everybody who can answer them."""


def parts(survey: Survey) -> Iterator[tuple[tuple[int, ...], Cells, Channel, Channel]]:
    """Yield what has one draw: its places and cells, what is kept of it, and what is drawn anew."""
    always = dict(zip(survey.places_together, survey.groups, strict=True))
    places = [(place,) for place, item in enumerate(survey.items) if item.group is None]
    for own in [*always, *places]:
        item = survey.items[own[0]]
        cells = always[own].cells if own in always else tuple((t,) for t in range(len(item.truths)))
        again = identity(len(cells)) if item.memory is None else item.memory.instantaneous
        yield own, cells, item.longitudinal, again


def laws(
    survey: Survey, pattern: tuple[bool, ...], truths: list[int], waves: int
) -> dict[tuple[bytes, ...], Fraction]:
    """Return how likely all reports of some waves are, given what is drawn."""
    found = {(bytes([NOT_DRAWN]) * len(survey.items),) * waves: Fraction(1)}
    for places, cells, kept, again in parts(survey):
        if not pattern[places[0]]:
            continue
        row = kept.weights[cells.index(tuple(truths[place] for place in places))]
        own: dict[tuple[int, ...], int] = {
            sent: sum(
                weight * prod(again.weights[noisy][one] for one in sent)
                for noisy, weight in enumerate(row)
            )
            for sent in product(range(again.reports), repeat=waves)
        }
        found = {
            tuple(
                put(report, places, cells[one]) for report, one in zip(reports, sent, strict=True)
            ): share * Fraction(weight, ROW_SUM ** (waves + 1))
            for reports, share in found.items()
            for sent, weight in own.items()
        }
    return found


def put(report: bytes, places: tuple[int, ...], cell: tuple[int, ...]) -> bytes:
    return bytes(cell[places.index(at)] if at in places else one for at, one in enumerate(report))


def worst(crowd: list[dict[Any, Fraction]]) -> float:
    """Return ε by brute force: of each report, and every two people who can send it."""
    columns = ([law[report] for law in crowd] for report in crowd[0])
    return math.log(max(max(column) / min(column) for column in columns if any(column)))


@pytest.mark.parametrize(("survey", "everybody"), MIXED)
def test_whole_reports_reveal_what_is_promised(survey: Survey, everybody: list[list[int]]) -> None:
    (draw,) = survey.draws
    starts = (0, *draw.ends) if draw.chances else range(len(draw.sets) + 1)
    ends = draw.ends if draw.chances else range(1, len(draw.sets) + 1)
    whole = ends[-1]
    patterns = {
        tuple(
            all(at in some for at, own in enumerate(draw.places) if place in own)
            for place in range(len(survey.items))
        ): Fraction(end - start, whole)
        for some, start, end in zip(draw.sets, starts, ends, strict=False)
    }
    assert sum(patterns.values()) == 1
    for waves, promised in [(1, survey.one_report_millionths), (2, survey.spent_millionths)]:
        if waves > (survey.waves):
            continue
        found = max(
            worst([laws(survey, one, all_, waves) for all_ in everybody]) for one in patterns
        )
        assert promised / MILLION - 1e-5 < found <= promised / MILLION or waves == 2
        assert found <= survey.spent_millionths / MILLION <= survey.epsilon
    for places, cells, kept, again in parts(survey):
        asked = sum((one for pattern, one in patterns.items() if pattern[places[0]]), Fraction())
        assert {asked} == {survey.asked_shares[place] for place in places}
        # What everybody of one cell sends, report by report, is the channel of each item: the
        # estimator that undoes it finds that all are of that truth.
        sent = kept.probabilities @ again.probabilities
        for at, place in enumerate(places):
            table = least_variance(survey.items[place].channel)
            for cell, law in zip(cells, sent, strict=True):
                own = np.bincount([one[at] for one in cells], law, table.shape[1])
                assert table @ own == pytest.approx(np.eye(len(table))[cell[at]], abs=1e-8)


def test_wave_reports_reveal_what_is_promised() -> None:
    survey = mixed(1, "waves: {count: 2, redraw: 1/8}\n")
    assert survey.spent_millionths <= 2_000_000
    # The costliest unit is one question with its follow-up: both are asked in one report.
    pair = [item.one_report_millionths or 0 for item in survey.items[:2]]
    assert survey.one_report_millionths == max(
        sum(pair), *(item.one_report_millionths or 0 for item in survey.items[2:4])
    )
    kept = Kept()
    first, second = (
        draw_report(survey, [0, 2, 0, 1, 0], seeded_words(wave), kept, wave) for wave in (1, 2)
    )
    for one in (first, second):
        one.check(survey)
    both = [[byte == NOT_DRAWN for byte in one.answers] for one in (first, second)]
    assert both[0] == both[1]
    waves = [one.answers for one in simulate_panel(read_population(survey), 50)]
    assert ((waves[0] == NOT_DRAWN) == (waves[1] == NOT_DRAWN)).all()
    assert (waves[0] == NOT_DRAWN).sum() > 50


def test_a_later_revision_draws_only_what_is_lacking() -> None:
    survey = mixed(1)
    more = HEAD.format(epsilon="2", ask=1, more="chances: {late: 99}\n")
    late = "  - {id: late, text: Late, type: single, answers: [No, Yes]}\n"
    revised = read(more + STOLE + AGAIN + TOOK + WHO + late).survey
    kept = Kept()
    draw_report(survey, [0, 2, 0, 1, 0], seeded_words(1), kept)
    before = list(kept.drawn)
    kept.reported.clear()
    report = draw_report(revised, [0, 2, 0, 1, 0, 0], seeded_words(2), kept)
    assert kept.drawn == before
    assert report.answers[5] == NOT_DRAWN
    report.check(revised)


@pytest.mark.parametrize(
    ("answers", "taken"),
    [
        ("00 02 fe fe 01", True),
        ("fe fe 01 fe ff", True),
        ("00 ff fe fe 01", True),
        ("00 fe fe fe 01", False),
        ("00 02 01 fe 01", False),
    ],
)
def test_a_unit_is_taken_whole(answers: str, taken: bool) -> None:
    survey = mixed(1)
    report = Report("some", survey.revision, bytes(16), bytes.fromhex(answers))
    if taken:
        report.check(survey)
    else:
        with pytest.raises(ValueMistake, match="chance can draw together"):
            report.check(survey)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("chances: {again: 2}\n", "expected one of stole, took.iron, took.gold, found 'again'"),
        ("chances: {stole: 100}\n", "expected a chance of 1 to 99"),
        ("chances: {stole: 0}\n", "expected a whole number above 0"),
    ],
)
def test_chances_that_cannot_be_are_located(more: str, message: str) -> None:
    with pytest.raises(SurveyFileError, match=message):
        mixed(1, more)


def test_chances_left_out_make_all_equally_precise() -> None:
    assert even_chances([1, 1, 1], 2) == ()
    assert even_chances([2, 1, 1], 1) == (2, 1, 1)
    assert even_chances([1] + [2] * 300, 1) == ()
    found = Draw(2, tuple("abcd"), ((0,), (1,), (2,), (3,)), even_chances([3, 2, 2, 1], 2))
    shares = [float(found.share((place,))) for place in range(4)]
    assert shares == pytest.approx([6 / 8, 4 / 8, 4 / 8, 2 / 8], abs=0.02)


@pytest.mark.parametrize(
    ("widths", "count", "price"),
    # What the floor costs the widest interval, beside chances of which none is held back.
    [([5, 1, 1, 1], 3, 0.005), ([50, 1], 1, 0.01), ([9, 3, 1, 1, 1, 1], 3, 0.04)],
)
def test_fitted_chances_make_no_set_rare(
    widths: list[int], count: int, price: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def widest(chances: tuple[int, ...]) -> tuple[float, Draw]:
        names = "abcdef"[: len(widths)]
        draw = Draw(count, tuple(names), tuple((at,) for at in range(len(names))), chances)
        each = (width / float(draw.share((at,))) for at, width in enumerate(widths))
        return math.sqrt(max(each)), draw

    now, draw = widest(even_chances(widths, count))
    assert min(map(draw.share, draw.sets)) * len(draw.sets) > 0.9 * fair_draws.RAREST
    monkeypatch.setattr(fair_draws, "RAREST", 0)
    free, _ = widest(even_chances(widths, count))
    assert now / free - 1 < price + 0.001


def of(*sizes: int, epsilon: object = 2) -> Survey:
    return read(together(*sizes, epsilon=epsilon)).survey


@pytest.mark.promise("noise")
@pytest.mark.parametrize("text", [together(2, 2), together(2, 3, 2), TOGETHER, DRAWN])
def test_a_group_costs_its_epsilon_once(text: str) -> None:
    survey = read(text).survey
    (group,) = survey.groups
    laws = {
        cell: {group.cells[at]: Fraction(w, ROW_SUM) for at, w in enumerate(row)}
        for cell, row in zip(group.cells, group.channel.weights, strict=True)
    }
    worst = max(
        laws[one][sent] / laws[other][sent] for one, other, sent in product(laws, laws, laws)
    )
    assert exact.log_millionths(worst) == group.channel.epsilon_millionths
    # Whoever knows all other answers learns as much of one alone.
    millionths = {survey.items[place].epsilon_millionths for place in survey.places_together[0]}
    assert millionths == {group.channel.epsilon_millionths}
    others = [one for one in survey.items if one.group is None]
    costs = [group.channel.epsilon_millionths, *(one.epsilon_millionths for one in others)]
    everything = max(costs) if survey.ask else sum(costs)
    assert survey.spent_millionths == everything <= survey.epsilon_millionths
    # The law of each question is what its own part of the cells says, to the integer.
    for at, place in enumerate(survey.places_together[0]):
        for cell, law in laws.items():
            sent = Counter[int]()
            for to, chance in law.items():
                sent[to[at]] += int(chance * ROW_SUM)
            row = survey.items[place].channel.weights[cell[at]]
            assert [sent[report] for report in range(len(row))] == list(row)
    assert Survey.from_json(survey.to_json()) == survey


def test_cells_that_cannot_be_are_none() -> None:
    survey = read(TOGETHER).survey
    (group,) = survey.groups
    codes = [[t.code for t in survey.items[place].truths] for place in survey.places_together[0]]
    cells = [
        tuple(own[truth] for own, truth in zip(codes, cell, strict=True)) for cell in group.cells
    ]
    declines, skipped = "prefer_not_to_say", "does_not_apply"
    assert cells == [
        ("no", skipped),
        ("yes", "no"),
        ("yes", "yes"),
        *((declines, one) for one in ("no", "yes", skipped)),
    ]


def test_the_impossible_is_neither_drawn_nor_taken() -> None:
    survey = read(TOGETHER).survey

    def words(count: int) -> npt.NDArray[np.uint32]:
        return np.arange(1, count + 1, dtype=np.uint32)

    # In the order of the survey: doped, slept, knew.
    with pytest.raises(ValueError, match="doped and knew: expected answers that can all be true"):
        draw_report(survey, [0, 0, 1], words)
    report = draw_report(survey, [0, 0, 2], words)
    report.check(survey)
    for answers in (bytes([0, 0, 1]), bytes([0, 0, NOT_ASKED])):
        with pytest.raises(ValueMistake, match="doped and knew that can all be true"):
            report._replace(answers=answers).check(survey)
    report._replace(answers=bytes([NOT_ASKED, 0, NOT_ASKED])).check(survey)


def test_the_shared_cases_give_the_shared_bytes() -> None:
    for case in vectors.together():
        survey = Survey.from_document(case["document"])
        assert [list(cell) for cell in survey.groups[0].cells] == case["cells"]
        for one in case["cases"]:
            words = vectors.source_of([0, 0, 0, 1, *one["words"]])
            report = draw_report(survey, one["truths"], words, wave=1)
            assert report.answers.hex() == one["answers"]


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ("00 fe 02", ""),
        ("fe 01 fe", ""),
        ("00 fe fe", "chance can draw together"),
        ("00 01 02", "chance can draw together"),
        ("00 fe ff", "doped and knew that can all be true"),
    ],
)
def test_a_group_is_drawn_whole_or_not(answers: str, said: str) -> None:
    survey = read(DRAWN).survey
    (draw,) = survey.draws
    assert (draw.choices, draw.places) == (("doped", "slept"), ((0, 2), (1,)))
    # The six cells need more people than two answers do.
    assert 0.75 < survey.share_asked((0, 2)) < 1
    report = Report("pair", survey.revision, bytes(16), bytes.fromhex(answers))
    with pytest.raises(ValueMistake, match=said) if said else nullcontext():
        report.check(survey)


def test_of_a_group_all_is_due_or_nothing() -> None:
    survey = read(TOGETHER).survey
    kept = Kept()
    kept.note(survey, np.array([True, False, False]))
    assert kept.due(survey).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("group", "keys", "said"),
    [
        ("[doped, knwe]", {}, "there is no question 'knwe': did you mean 'knew'?"),
        ("[doped]", {}, "expected the ids of two questions or more"),
        ("doped", {}, "expected ids of questions, such as [doped, knew]"),
        ("[[doped, knew], [age, knew]]", {}, "'knew' stands here twice"),
        ("[doped, knew]", {"knew": ", protection: direct"}, "'knew' is direct"),
        ("[doped, many]", {}, "'many' has several items"),
        ("[doped, knew]", {"knew": ", style: statement, statements: [I, He]"}, "by a spinner"),
        ("[doped, knew]", {"knew": ", flip: 1/4"}, "leave 'flip' of 'knew' out"),
        ("[age, big]", {}, "expected at most 254 combinations of answers, found 400"),
    ],
)
def test_conflicts_say_their_place(group: str, keys: dict[str, str], said: str) -> None:
    text = file_of(
        "id: doped, text: Doped, type: single, answers: [No, Yes]",
        f"id: knew, text: Knew, type: single, answers: [No, Yes]{keys.get('knew', '')}",
        "id: many, text: Took, type: many, answers: [Iron, Gold]",
        *(f"id: {id}, text: T, type: number, min: 1, max: 20" for id in ("age", "big")),
        head=f"epsilon: 4\ntogether: {group}",
    )
    with pytest.raises(SurveyFileError) as found:
        read(text)
    first = min(one for one in found.value.mistakes if said in one.message)
    assert first.line == 5


def test_a_group_that_lies_is_refused() -> None:
    survey = of(2, 2)
    (group,) = survey.groups
    for other in (0, ROW_SUM // 4, 1.5, True):
        with pytest.raises(ValueError, match="weight of each other cell"):
            Group(group.questions, group.cells, other)  # type: ignore[arg-type]  # what a server may send
    less = replace(group, other=group.other - 1)
    with pytest.raises(ValueError, match="its part of what is drawn together"):
        replace(survey.items[0], group=less)
    with pytest.raises(ValueError, match="answers that can all be true, found none"):
        Group(group.questions, (), group.other)
    fewer = Group(group.questions, group.cells[:3], group.other)
    items = [
        replace(one, group=fewer, channel=fewer.marginal(one.question)[1]) for one in survey.items
    ]
    with pytest.raises(ValueError, match="randomised together"):
        replace(survey, items=tuple(items), epsilon_millionths=5_000_000)
