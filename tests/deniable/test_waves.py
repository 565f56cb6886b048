"""Asking again: what one report, all reports and all that a device keeps reveal, by enumeration."""

import dataclasses
import itertools
import json
from collections.abc import Iterator
from fractions import Fraction

import pytest

from deniable import Survey, designs, exact
from deniable.channel import ROW_SUM, Channel
from deniable.survey.items import remember
from deniable.survey.waves import Memory, redraw_weight
from deniable.survey_file import SurveyFileError, read
from deniable.text.sureness import sureness
from tests.kit import first_of
from tests.kit.surveys import file_of

pytestmark = pytest.mark.promise("waves")

LOPSIDED = Channel.from_probabilities([["3/5", "1/5", "1/5"], ["1/10", "1/2", "2/5"], ["1/3"] * 3])

MEMORIES = [
    Memory(designs.warner(flip="1/4"), 0),
    Memory(designs.warner(flip="1/4"), redraw_weight(Fraction(1, 10), 2)),
    Memory(designs.warner(flip="2/5"), redraw_weight(Fraction(1, 3), 2)),
    Memory(designs.k_ary(3, 1), 0),
    Memory(designs.k_ary(3, 1), redraw_weight(Fraction(1, 5), 3)),
    Memory(LOPSIDED, redraw_weight(Fraction(1, 4), 3)),
]

WAVES = "waves: {count: 4, redraw: 1/10}\n"
SURVEY = file_of(
    "id: doped, text: Doped, type: single, answers: [No, Yes]",
    "id: sleep, text: Slept, type: single, answers: [Badly, So so, Well]",
    "id: age, text: Age, type: single, answers: [Young, Old], protection: direct",
    head=f"epsilon: 3\n{WAVES}".strip(),
    slug="panel",
)

SLEEP = read(SURVEY).survey.document["items"][1]
KEPT = SLEEP["permanent"]
AS_IT_IS = SLEEP | {"permanent": KEPT[:2], "weights": [*KEPT[:2], [0, 0, ROW_SUM]], "redraw": 0}
"""No noise is kept of its last answer, which is sent as it is."""


def within(ratio: Fraction, millionths: int) -> bool:
    """Whether a ratio is at most e^ε, for sure."""
    return ratio <= exact.exp_lower(Fraction(millionths, exact.MILLION))


def maps_of(memory: Memory) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield everything that a device can keep, with its weight."""
    rows = memory.permanent.weights
    for kept in itertools.product(range(memory.permanent.reports), repeat=len(rows)):
        weight = 1
        for row, answer in zip(rows, kept, strict=True):
            weight *= row[answer]
        yield kept, weight


def law(
    memory: Memory, kept: tuple[int, ...], truths: tuple[int, ...]
) -> dict[tuple[int, ...], int]:
    """Return the weight of every sequence of reports, given what is kept and what is true."""
    again = memory.instantaneous.weights
    weights: dict[tuple[int, ...], int] = {}
    for sent in itertools.product(range(memory.permanent.reports), repeat=len(truths)):
        weight = 1
        for truth, report in zip(truths, sent, strict=True):
            weight *= again[kept[truth]][report]
        weights[sent] = weight
    return weights


def mixed(memory: Memory, truths: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """Return the weight of every sequence of reports to who does not know what is kept."""
    total: dict[tuple[int, ...], int] = {}
    for kept, weight in maps_of(memory):
        for sent, given in law(memory, kept, truths).items():
            total[sent] = total.get(sent, 0) + weight * given
    return total


def largest_ratio(laws: list[dict[tuple[int, ...], int]]) -> Fraction | None:
    """Return the largest ratio of two laws at one outcome; None where it is not bounded."""
    largest = Fraction(1)
    for sent in laws[0]:
        weights = [one[sent] for one in laws]
        if min(weights) == 0 < max(weights):
            return None
        if max(weights):
            largest = max(largest, Fraction(max(weights), min(weights)))
    return largest


@pytest.mark.parametrize("memory", MEMORIES)
def test_one_report_reveals_what_is_said_of_one(memory: Memory) -> None:
    truths = range(memory.permanent.truths)
    ratio = largest_ratio([mixed(memory, (truth,)) for truth in truths])
    assert ratio is not None
    assert memory.one_report_millionths == exact.log_millionths(ratio)
    assert memory.one_report_millionths <= (memory.permanent.epsilon_millionths or 0)
    # The law that is shown is that of the two draws, to the rounding of its weights.
    rows = [list(mixed(memory, (truth,)).values()) for truth in truths]
    for row, shown in zip(rows, memory.compose().weights, strict=True):
        for weight, rounded in zip(row, shown, strict=True):
            off = abs(Fraction(weight * ROW_SUM, sum(row)) - rounded)
            assert off <= memory.permanent.reports


@pytest.mark.parametrize("waves", [1, 2, 3, 4])
@pytest.mark.parametrize("memory", MEMORIES)
def test_all_reports_tell_only_the_kept_answer(memory: Memory, waves: int) -> None:
    promised = memory.permanent.epsilon_millionths
    assert promised is not None
    laws = [mixed(memory, (truth,) * waves) for truth in range(memory.permanent.truths)]
    ratio = largest_ratio(laws)
    # Without a redraw reports that differ never come, whichever truth stays.
    assert ratio is not None
    assert within(ratio, promised)


@pytest.mark.parametrize("waves", first_of([2, 3, 1, 4], 2))
@pytest.mark.parametrize("memory", MEMORIES)
def test_any_changes_reveal_what_is_said(memory: Memory, waves: int) -> None:
    histories = list(itertools.product(range(memory.permanent.truths), repeat=waves))
    once = memory.any_history_millionths
    promised = None if once is None else waves * once
    seized = [
        largest_ratio([law(memory, kept, truths) for truths in histories])
        for kept, _ in maps_of(memory)
    ]
    if promised is None:
        assert memory.redraw == 0
        assert None in seized
        return
    assert all(ratio is not None and within(ratio, promised) for ratio in seized)
    # And so to who does not have the device: the same mixture of the maps, whatever is true.
    ratio = largest_ratio([mixed(memory, truths) for truths in histories])
    assert ratio is not None
    assert within(ratio, promised)
    # It is no looser than it must be: some map and history reach it, to the rounding.
    assert any(ratio is not None and not within(ratio, promised - waves) for ratio in seized)


@pytest.mark.parametrize("memory", MEMORIES)
def test_rounding_keeps_equal_chances_equal(memory: Memory) -> None:
    for row, shown in zip(memory.permanent.weights, memory.compose().weights, strict=True):
        pairs = list(zip(row, shown, strict=True))
        pairs.remove(max(pairs))
        for (weight, made), (other, other_made) in itertools.combinations(pairs, 2):
            assert (weight == other) <= (made == other_made)


@pytest.mark.parametrize("reports", [2, 3, 10, 255])
def test_the_weight_of_redrawing(reports: int) -> None:
    flip = Fraction(1, 10)
    weight = redraw_weight(flip, reports)
    assert abs(Fraction(weight * (reports - 1), ROW_SUM) - flip) < Fraction(reports, ROW_SUM)
    assert redraw_weight(Fraction(0), reports) == 0
    assert redraw_weight(Fraction(1, 10**15), reports) == 1
    almost = Fraction(reports - 1, reports) - Fraction(1, 10**15)
    kept = Memory(designs.k_ary(reports, 1), redraw_weight(almost, reports))
    assert kept.instantaneous.weights[0][0] > kept.redraw
    for flip in (Fraction(reports - 1, reports), Fraction(-1, 10)):
        with pytest.raises(ValueError, match="nothing to learn"):
            redraw_weight(flip, reports)


def panel() -> Survey:
    return read(SURVEY).survey


def test_the_three_statements_of_a_survey_add_up() -> None:
    survey = panel()
    memories = [item.memory for item in survey.randomised]
    assert len(memories) == 2
    once = sum(one.one_report_millionths or 0 for one in memories if one)
    changing = sum(one.any_history_millionths or 0 for one in memories if one)
    assert survey.one_report_millionths == once < survey.spent_millionths <= 3_000_000
    assert survey.any_history_millionths == 4 * changing
    assert survey.document["waves"] == {
        "count": 4,
        "once": once / exact.MILLION,
        "changing": 4 * changing / exact.MILLION,
    }
    assert survey.kept_words == 5
    assert read(SURVEY.replace("1/10", "0")).survey.any_history_millionths is None


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("items", 0, "redraw"), 5, "not what its redraw makes"),
        (("items", 0, "permanent"), [[2**31, 2**31]] * 2, "not what its redraw makes"),
        (("items", 0, "weights"), [[2**31, 2**31]] * 2, "not what its redraw makes"),
        (("items", 1, "permanent"), [*KEPT, KEPT[0]], "not what its redraw makes"),
        (("items", 1, "permanent", 1), [*KEPT[1], 0], "row 1: expected 3 reports"),
        (("items", 1), AS_IT_IS, "not what its redraw makes"),
        (("items", 1, "redraw"), None, "expected a redraw of 0 to"),
        (("items", 0, "once"), 0.5, "does not agree with itself"),
        (("waves", "once"), 0.5, "does not agree with itself"),
        (("waves", "changing"), None, "does not agree with itself"),
        (("waves", "count"), 1, "none in a survey that is asked once"),
    ],
)
def test_a_false_label_is_refused(path: tuple[str | int, ...], value: object, message: str) -> None:
    document = json.loads(json.dumps(panel().document))
    part = document
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    with pytest.raises(ValueError, match=message):
        Survey.from_document(document)


def test_waves_and_memory_go_together() -> None:
    survey = panel()
    with pytest.raises(ValueError, match="none in a survey that is asked once"):
        dataclasses.replace(survey, waves=1)
    once = [dataclasses.replace(one, memory=None) for one in survey.items]
    with pytest.raises(ValueError, match="every randomised item to be remembered"):
        dataclasses.replace(survey, items=tuple(once))
    direct = survey.items[2]
    assert remember(direct, Fraction(1, 10)) == direct


@pytest.mark.parametrize(
    ("waves", "message"),
    [
        ("waves: 3", "expected keys and values"),
        ("waves: {redraw: 0}", "expected the key 'count'"),
        ("waves: {count: 3}", "A device keeps one noisy answer for each possible"),
        ("waves: {count: 1, redraw: 0}", "expected 2 to 254 waves, found 1"),
        ("waves: {count: 255, redraw: 0}", "expected 2 to 254 waves, found 255"),
        ("waves: {count: 3, redraw: -1}", "expected a probability of at least 0, below 1"),
        ("waves: {count: 3, redraw: 1/2}", "question 'doped': expected a redraw.*below 1/2"),
        ("waves: {count: 3, redraw: 2/3}", "question 'sleep': expected a redraw.*below 2/3"),
    ],
)
def test_mistakes_are_located(waves: str, message: str) -> None:
    text = SURVEY.replace(WAVES.strip(), waves)
    with pytest.raises(SurveyFileError, match=f"survey:5:.*{message}"):
        read(text)


def test_no_question_is_called_wave_in_waves() -> None:
    more = "\n  - {id: wave, text: W, type: single, answers: [A, B]}"
    with pytest.raises(SurveyFileError, match=r"survey:10:.*the id 'wave' is taken by the"):
        read(SURVEY + more)
    assert len(read(SURVEY.replace(WAVES, "") + more).survey.questions) == 4


def test_a_redraw_of_0_is_noted() -> None:
    (note,) = read(SURVEY.replace("1/10", "0")).notes
    assert (note.line, "there is no bound on what a change reveals" in note.message) == (5, True)
    assert read(SURVEY).notes == ()


OTHERS = SURVEY.replace("redraw: 1/10", "people: others")


def test_other_people_reveal_as_much_as_asked_once() -> None:
    survey, once = read(OTHERS).survey, read(SURVEY.replace(WAVES, "")).survey
    assert (survey.waves, survey.keeps_noise) == (4, False)
    assert survey.items == once.items
    assert survey.document["waves"] == {"count": 4, "people": "others"}
    assert Survey.from_json(survey.to_json()) == survey
    assert sureness(survey) == sureness(once)
    assert read(SURVEY.replace("redraw", "people: same, redraw")).survey == read(SURVEY).survey


@pytest.mark.parametrize(
    ("waves", "said"),
    [
        ("count: 4, people: others, redraw: 0", "leave 'redraw' or 'people' out"),
        ("count: 4", "write 'people: others' instead"),
        ("count: 4, people: some", "expected same or others, found 'some'"),
        ("people: others", "expected the key 'count'"),
    ],
)
def test_a_mistake_in_who_answers_is_told(waves: str, said: str) -> None:
    with pytest.raises(SurveyFileError, match=said) as told:
        read(SURVEY.replace("count: 4, redraw: 1/10", waves))
    assert len(told.value.mistakes) == 1


def test_only_waves_of_the_same_people_have_a_memory() -> None:
    survey, once = read(SURVEY).survey, read(SURVEY.replace(WAVES, "")).survey
    with pytest.raises(ValueError, match="other people each time"):
        dataclasses.replace(survey, same_people=False)
    with pytest.raises(ValueError, match="expected waves for other people"):
        dataclasses.replace(once, same_people=False)
