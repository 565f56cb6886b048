"""The rows that are taken are the rows that a device can send: all of them, and no others."""

from collections.abc import Iterator
from itertools import product

import pytest

from deniable.client.asking import draw_asked
from deniable.client.branching import complete
from deniable.client.randomness import seeded_words
from deniable.report import NOT_ASKED, NOT_DRAWN, Report, ValueMistake
from deniable.survey import Survey
from deniable.survey_file import read
from tests import vectors
from tests.kit.surveys import file_of

pytestmark = pytest.mark.promise("counted-once")

_DIRECT = "protection: direct"
_YEAR = f"id: year, text: Y, type: single, answers: [A, B, C], {_DIRECT}"
_OLD = f"id: old, text: O, type: single, answers: [No, Yes], ask_if: {{year: [b, c]}}, {_DIRECT}"
_MANY = f"id: where, text: W, type: many, answers: [X, Y], ask_if: {{old: yes}}, {_DIRECT}"
_OWN = (
    "id: own, text: W, type: single, answers: [Does not apply, N], "
    f"ask_if: {{old: [yes, no]}}, {_DIRECT}"
)
_AFTER = (
    f"id: after, text: A, type: single, answers: [N, J], ask_if: {{own: does_not_apply}}, {_DIRECT}"
)
_DOPED = "id: doped, text: D, type: single, answers: [No, Yes], flip: 1/4"
_TAKEN = "id: taken, text: T, type: single, answers: [E, F], flip: 1/4, ask_if: {doped: yes}"
_LATE = "id: late, text: L, type: single, answers: [N, J], flip: 1/4, ask_if: {year: c}"

FILES = {
    "one after another": file_of(_YEAR, _OLD, _MANY),
    "offers to say that it does not apply": file_of(_YEAR, _OLD, _OWN, _AFTER),
    "two conditions": file_of(
        _YEAR,
        f"id: two, text: Z, type: single, answers: [N, J], {_DIRECT}, prefer_not_to_say: true",
        "id: both, text: B, type: single, answers: [N, J], "
        f"ask_if: {{year: a, two: [n, prefer_not_to_say]}}, {_DIRECT}",
    ),
    "beside chance": file_of(_YEAR, _OLD, _DOPED, _TAKEN, _LATE),
    "as one answer": file_of(
        _YEAR,
        _OLD,
        _DOPED.removesuffix(", flip: 1/4"),
        _TAKEN.replace(", flip: 1/4", ""),
        head="epsilon: 2\ntogether: [doped, taken]",
    ),
    "drawn": file_of(
        _YEAR,
        _OLD,
        "id: doped, text: D, type: single, answers: [No, Yes]",
        "id: knew, text: K, type: single, answers: [No, Yes]",
        "id: many, text: M, type: many, answers: [P, Q, R], ask: 2",
        head="epsilon: 2\nask: 2",
    ),
    "waves": file_of(_YEAR, _OLD, _DOPED, head="waves: {count: 2, redraw: 1/5}"),
}


def sent(survey: Survey) -> set[bytes]:
    """Return all answers that a device can send to a survey, whatever is true and chance draws."""
    drawn = {bytes(mask) for mask in draw_asked(survey, 500, seeded_words(1))}
    found = set()
    truths = [range(item.channel.truths) for item in survey.items]
    for given in product(*([None, *each] for each in truths)):
        try:
            true = complete(survey, given)
        except ValueError:
            continue
        reports: list[list[tuple[int, ...]]] = []
        for place, item in enumerate(survey.items):
            if item.group is None:
                weights = item.channel.weights[true[place]]
                reports.append([(at,) for at, weight in enumerate(weights) if weight])
            elif item.question == item.group.questions[0]:
                reports.append([*item.group.cells])
        for parts in product(*reports):
            row = [report for part in parts for report in part]
            for asked in drawn:
                found.add(bytes(r if a else NOT_DRAWN for r, a in zip(row, asked, strict=True)))
    return found


def taken(survey: Survey, missing: tuple[int, ...] = ()) -> Iterator[bytes]:
    """Yield all answers that are taken, among all bytes that anybody may try."""
    tried = [[*range(count + 1), NOT_DRAWN, *missing] for count in survey.report_counts]
    for answers in product(*tried):
        if is_taken(survey, bytes(answers)):
            yield bytes(answers)


def is_taken(survey: Survey, answers: bytes) -> bool:
    wave = survey.on_wire(1)
    try:
        Report(survey.slug, survey.revision, bytes(16), answers, wave).check(survey)
    except ValueMistake:
        return False
    return True


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_what_is_taken_is_what_a_device_can_send(text: str) -> None:
    survey = read(text).survey
    assert {*taken(survey)} == sent(survey)


@pytest.mark.parametrize("text", [*FILES.values()][:3], ids=[*FILES][:3])
def test_with_gaps_what_is_taken_goes_on_to_what_a_device_can_send(text: str) -> None:
    """Each report to a further revision: what is missing was answered, and could be true."""
    survey = read(text).survey
    whole = sent(survey)
    places = range(len(survey.items))
    possible = {
        bytes(NOT_ASKED if place in gaps else row[place] for place in places)
        for row in whole
        for gaps in ({p for p in places if bits >> p & 1} for bits in range(2 ** len(places) - 1))
    }
    assert possible <= {*taken(survey, (NOT_ASKED,))}


def test_a_first_year_who_repeated_one_is_refused() -> None:
    survey = read(vectors.branching_file()).survey
    rest = bytes(len(survey.items) - 2)
    direct = [
        [*answers]
        for answers in product(*map(range, survey.report_counts[:2]))
        if is_taken(survey, bytes(answers) + rest)
    ]
    assert direct == vectors.branching()["direct"]
    with pytest.raises(ValueMistake, match="an answer to repeated where it applies"):
        Report("exams", survey.revision, bytes(16), bytes([0, 1]) + rest).check(survey)
