"""Direct answers of few people are not read off a table, nor worked out from the rest of it."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy

from deniable.analysis.counts.pooling import pool_rows, rows_of_reports
from deniable.analysis.counts.rows import Rows, patterns_of
from deniable.analysis.counts.tally import count_reports, count_waves
from deniable.analysis.privacy import columns
from deniable.analysis.privacy.disclosure import (
    LEAST,
    TooFewError,
    hidden_cells,
    hidden_in_groups,
    keeps_cells,
    shown_answers,
)
from deniable.analysis.privacy.same_mean import mean_tells_cells
from deniable.analysis.results import ItemResults, Results, summarise
from deniable.analysis.waves import summarise_waves
from deniable.report import NOT_ASKED
from deniable.results.rows import lay_out
from deniable.survey import Survey
from deniable.survey.grouped import (
    read_columns,
    wanted_columns,
    write_columns,
)
from deniable.survey_file import read
from tests.kit import PANEL_TEXT
from tests.kit.surveys import file_of

pytestmark = pytest.mark.promise("few", "rows")

FILE = file_of(
    "id: doped, text: Doped, type: single, answers: [No, Yes], flip: 1/4",
    "id: role, text: Role, type: single, answers: [Player, Coach, Doctor, Other], "
    "protection: direct",
    "id: age, text: Age, type: number, min: 10, max: 40, step: 10, protection: direct",
    "id: licence, text: Licence, type: single, answers: [No, Yes], protection: direct, "
    "ask_if: {role: player}",
)


@pytest.fixture(scope="module")
def club() -> Survey:
    return read(FILE).survey


def item(results: Results, id: str) -> ItemResults:
    (found,) = (
        one for question in results.questions for one in question.items if one.item.id == id
    )
    return found


def members(*groups: tuple[int, bytes]) -> bytes:
    return b"".join(row * count for count, row in groups)


@pytest.mark.parametrize(
    ("cells", "total"), [*((4, total) for total in range(1, 15)), (2, 20), (3, 20), (3, 21)]
)
def test_no_small_cell_follows_from_what_is_shown(cells: int, total: int) -> None:
    """Not even by those who know by which rule cells are hidden."""
    tables = [
        table for table in itertools.product(range(total + 1), repeat=cells) if sum(table) == total
    ]
    seen: dict[tuple[int | None, ...], list[tuple[int, ...]]] = {}
    for table in tables:
        hidden = hidden_cells(table)
        shown = tuple(None if hide else n for n, hide in zip(table, hidden, strict=True))
        seen.setdefault(shown, []).append(table)
    for shown, possible in seen.items():
        for cell, value in enumerate(shown):
            if value is not None:
                assert value == 0 or value >= LEAST
                continue
            assert len({table[cell] for table in possible}) > 1, (shown, possible)


@pytest.mark.parametrize(
    ("counts", "is_number", "hidden"),
    [
        ([[5, 1, 20, 20, 20]], False, [1, 1, 1, 0, 0]),  # of two, the table would tell both
        ([[5, 1, 20, 20, 20]], True, [1, 1, 1, 1, 1]),
        ([[20, 20, 20, 20, 20], [20, 20, 2, 20, 20]], False, [1, 0, 1, 0, 0]),
        ([[20, 20, 20, 20, 20], [20, 20, 2, 20, 20]], True, [1, 1, 1, 1, 0]),  # sum, squares
        ([[20, 20, 20, 20, 20], [20, 20, 20, 20, LEAST]], False, [0, 0, 0, 0, 0]),
    ],
)
def test_an_answer_is_hidden_with_enough_others(
    counts: list[list[int]], is_number: bool, hidden: list[int]
) -> None:
    """`counts`: the people of each pattern who gave each answer."""
    kind = "number, min: 0, max: 4" if is_number else "single, answers: [A, B, C, D, E]"
    one = read(file_of(f"id: one, text: One, type: {kind}, protection: direct")).survey
    patterns, answers = np.indices(np.shape(counts)).reshape(2, -1)
    rows = replace(
        rows_of_reports(one, [answers.astype(np.uint8).tobytes()]),
        patterns=patterns,
        times=np.ravel(counts),
    )
    assert hidden_in_groups(rows, 0)[0, :5].tolist() == [bool(hide) for hide in hidden]


UNIT = file_of(
    "id: unit, text: Unit, type: single, answers: [Alpha, Beta, Gamma, Delta], protection: direct",
    "id: age, text: Age, type: number, min: 1, max: 4, protection: direct",
    "id: shift, text: Shift, type: single, answers: [Day, Night], protection: direct, "
    "ask_if: {unit: FITTING}",
    "id: years, text: Years, type: number, min: 0, max: 1, protection: direct, "
    "ask_if: {age: [1, 2]}",
)


def test_a_follow_up_counts_no_answers_before_it() -> None:
    """Three in alpha beside 50 in beta: how many are in beta is to whom the follow-up applies."""
    unit = read(UNIT.replace("FITTING", "beta")).survey
    rows = [(3, b"\0\2\2\2"), (30, b"\1\2\0\2"), (20, b"\1\3\1\2"), (47, b"\2\0\2\0")]
    results = summarise(unit, count_reports([members(*rows)], unit), min_cell_size=LEAST)
    assert {share.estimate for share in item(results, "shift").shares} == {None}
    assert {share.estimate for share in item(results, "shift").applicable} == {None}
    assert [share.estimate for share in item(results, "unit").shares][2] == 0.47
    # It could as well be alpha or beta, so nothing follows if both are asked.
    both = read(UNIT.replace("FITTING", "[alpha, beta]")).survey
    rows[0] = (3, b"\0\2\0\2")
    results = summarise(both, count_reports([members(*rows)], both), min_cell_size=LEAST)
    assert [share.estimate for share in item(results, "shift").shares] == [0.33, 0.2, 0.47]


@pytest.mark.parametrize(
    ("needs", "role", "age", "licence", "untold"),
    [
        # So many players and others were asked their role alone.
        ("role: player", [30 + 6, 20 + 4], [60], [30, 20], True),
        ("role: player", [30 + 1, 20 + 9], [60], [30, 20], True),
        ("role: player", [30 + 5, 20 + 5], [60], [30, 20], False),
        # So many are neither players nor ten years old.
        ("role: player, age: 10", [50, 20], [46, 24], [30, 40], True),
        ("role: player, age: 10", [50, 20], [45, 25], [30, 40], False),
    ],
)
def test_those_left_out_are_not_few(
    needs: str, role: list[int], age: list[int], licence: list[int], *, untold: bool
) -> None:
    survey = read(FILE.replace("role: player", needs)).survey
    counts = [[0, 0], [*role, 0, 0], [*age, *[0] * (4 - len(age))], [licence[0], 0, licence[1]]]
    assert shown_answers(survey, [*map(np.array, counts)])[3].untold is untold


def test_no_small_cell_follows_from_a_follow_up() -> None:
    """Not even by those who know the rules, of cells below three: all tables of nine people.

    They do not know why a follow-up is shown: tables are possible for which it would not be.
    """
    survey = read(UNIT.replace("FITTING", "[alpha, beta]")).survey
    seen: dict[object, list[tuple[int, ...]]] = {}
    are_told = set()
    for unit in itertools.product(range(10), repeat=4):
        applies = unit[0] + unit[1]
        for day in range(applies + 1) if sum(unit) == 9 else ():
            shift = np.array([day, applies - day, 9 - applies])
            told = shown_answers(survey, [np.array(unit), np.zeros(4, int), shift, shift * 0], 3)
            is_told, told[2].untold = not told[2].untold, False
            key = tuple(n for one in told for n in np.where(one.hidden, -1, one.counts).tolist())
            seen.setdefault(key, []).append((*unit, day, applies - day))
            are_told |= {key} if is_told else set()
    assert len(are_told) == 146
    for key in are_told:
        for values in zip(*seen[key], strict=True):
            assert len({*values}) > 1 or values[0] == 0 or values[0] >= 3, seen[key]


def test_a_mean_beside_counted_answers_is_hidden() -> None:
    """With the mean alone the two who said 4 could be others, but not if 1 and 2 have 18 people."""
    counts = [9, 9, 9, 2]
    assert not mean_tells_cells(range(1, 5), counts)
    assert mean_tells_cells(range(1, 5), counts, told=[np.arange(4) < 2])
    survey = read(UNIT.replace("FITTING", "beta")).survey
    rows = members(*((n, bytes([2, age, 2, 0 if age < 2 else 2])) for age, n in enumerate(counts)))
    results = summarise(survey, count_reports([rows], survey), min_cell_size=LEAST)
    assert item(results, "years").shares[2].estimate == 11 / 29
    found = item(results, "age").mean
    assert found is not None
    assert found.estimate is None


def test_no_cell_is_hidden_without_need() -> None:
    assert not hidden_cells([1, 2, 3, 0], 1).any()
    assert hidden_cells([6, 30, 1]).tolist() == [True, False, True]
    assert hidden_cells([5, 30, 1]).tolist() == [True, True, True]


def test_only_shares_of_few_people_are_unknown(club: Survey) -> None:
    rows = members((30, b"\0\0\1\0"), (20, b"\1\1\1\2"), (3, b"\1\2\2\2"), (4, b"\0\3\0\2"))
    tally = count_reports([rows], club)
    results = summarise(club, tally, min_cell_size=LEAST)
    role = item(results, "role")
    # Two are small. The first of the others hides them, or their sum would be known.
    assert [share.estimate for share in role.shares] == [None, 20 / 57, None, None]
    assert [share.observed for share in role.shares] == [None, 20 / 57, None, None]
    assert role.has_hidden
    # What is randomised is shown as ever.
    assert item(results, "doped") == item(summarise(club, tally), "doped")
    age = item(results, "age")
    assert age.mean is not None
    assert age.mean.estimate is None  # of four answers it tells too much
    assert {share.estimate for share in age.shares} == {None}
    # All others said that it does not apply to them, so nothing is to be hidden.
    licence = item(results, "licence")
    assert not licence.has_hidden
    assert licence.applicable[0].estimate == 1.0


def test_shares_of_whom_it_concerns_hide_together(club: Survey) -> None:
    rows = members((30, b"\0\0\1\0"), (2, b"\0\0\1\1"), (20, b"\1\1\1\2"))
    licence = item(summarise(club, count_reports([rows], club), min_cell_size=LEAST), "licence")
    assert [share.estimate for share in licence.shares] == [None, None, 20 / 52]
    assert [share.estimate for share in licence.applicable] == [None, None]


def test_too_few_people_are_not_shown(club: Survey) -> None:
    results = summarise(club, count_reports([b"\0\0\1\0" * 4], club), min_cell_size=LEAST)
    for id in ("role", "age", "licence"):
        assert {share.estimate for share in item(results, id).shares} == {None}
    mean = item(results, "age").mean
    assert mean is not None
    assert (mean.estimate, mean.standard_error, mean.low) == (None, None, None)
    assert item(results, "doped").shares[0].estimate is not None


@pytest.mark.parametrize(
    ("counts", "is_known"), [((30, 3), False), ((30, 3, 0, 0), False), ((9, 9, 9, 2), True)]
)
def test_a_mean_that_tells_rare_answers_is_hidden(counts: tuple[int, ...], is_known: bool) -> None:
    text = FILE.replace("min: 10, max: 40, step: 10", f"min: 0, max: {len(counts) - 1}")
    small = read(text).survey
    rows = members(*((n, bytes([0, 0, age, 0])) for age, n in enumerate(counts)))
    found = item(summarise(small, count_reports([rows], small), min_cell_size=LEAST), "age")
    assert found.mean is not None
    known = {found.mean.estimate is not None, found.mean.standard_error is not None}
    assert known == {is_known}
    # Where no cell is small, the mean of any number is shown.
    rows = members((30, b"\0\0\0\0"), (20, b"\0\0\1\0"))
    found = item(summarise(small, count_reports([rows], small), min_cell_size=LEAST), "age")
    assert found.mean is not None
    assert found.mean.estimate == 0.4


def test_equal_tables_are_found_as_by_trying_all() -> None:
    people = 8
    tables = [
        (*head, people - sum(head))
        for head in itertools.product(range(people + 1), repeat=3)
        if sum(head) <= people
    ]
    like: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for table in tables:
        sums = tuple(sum(n * value**power for value, n in enumerate(table)) for power in (1, 2))
        like.setdefault(sums, []).append(table)
    found = set()
    for same in like.values():
        for table in same:
            told = any(
                0 < n < 3 and (min(cell) > 0 or max(cell) < 3)
                for n, cell in zip(table, zip(*same, strict=True), strict=True)
            )
            assert mean_tells_cells(range(4), table, 3) == told, table
            found.add(told)
    assert found == {True, False}


def test_no_mean_tells_one_of_many_answers() -> None:
    """By all tables of so few people. That 23 people with a sum of 3 all said 0 or 1 is one."""
    assert mean_tells_cells(range(101), [20, 3, *[0] * 99])
    assert not mean_tells_cells(range(101), np.arange(101) % 7)
    cells = [*itertools.combinations_with_replacement(range(24), 4)]
    people = np.stack([(np.array(cells) == value).sum(axis=1) for value in range(24)], axis=1)
    sums = people @ np.array([[value, value**2] for value in range(24)])
    _, like = np.unique(sums, axis=0, return_inverse=True)
    for seed in range(6):
        place = int(np.random.default_rng(seed).integers(len(cells)))
        same = people[like.reshape(-1) == like.reshape(-1)[place]]
        rare = people[place] == 1
        if rare.any() and ((same.min(axis=0) > 0) | (same.max(axis=0) < 2))[rare].any():
            assert mean_tells_cells(range(24), people[place], 2), cells[place]


def test_a_table_of_the_solver_is_believed_only_if_it_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """In all tables with these sums at most four said 6; scipy 1.16 finds one with other sums."""
    counts = [3, 6, 3, 4, 3, 2, 2]
    assert mean_tells_cells(range(7), counts)
    solve = scipy.optimize.milp

    def with_two_more(*given: Any, **named: Any) -> Any:
        found = solve(*given, **named)
        if found.x is not None:
            found.x[-1] += 2
        return found

    assert not mean_tells_cells(range(10, 14), [9, 9, 9, 2])
    monkeypatch.setattr(scipy.optimize, "milp", with_two_more)
    assert mean_tells_cells(range(20, 24), [9, 9, 9, 2])


def test_changes_of_hidden_shares_are_hidden() -> None:
    panel = read(PANEL_TEXT).survey
    rows = members(
        (20, b"\0\0\0\0\0"), (20, b"\0\0\0\1\0"), (28, b"\0\0\0\0\1"), (3, b"\0\0\0\1\1")
    )
    waves = summarise_waves(panel, count_waves([rows], panel), min_cell_size=LEAST)
    changes = [one for one in waves.changes if one.item.id == "age"]
    assert [(one.estimate, one.low, one.standard_error) for one in changes] == [(None,) * 3] * 2
    assert any(one.estimate is not None for one in waves.changes if one.item.id == "doped")
    ages = [row for row in lay_out(waves).rows if row["item"] == "age"]
    assert [row["observed"] is None for row in ages] == [False, False, True, True, True, True]


STAFF = file_of(
    "id: took, text: Took it, type: single, answers: [No, Yes], flip: 1/4",
    "id: sex, text: Sex, type: single, answers: [F, M], protection: direct",
    "id: age, text: Age, type: number, min: 18, max: 80, protection: direct",
    "id: ward, text: Ward, type: single, answers: [A, B, C, D], protection: direct",
)


def staff(*groups: tuple[int, int, int, int], waves: int = 1) -> Rows:
    """Return the reports of groups of people: how many, their sex, age and ward."""
    head = f"waves: {{count: {waves}, redraw: 1/10}}" if waves > 1 else ""
    survey = read(
        STAFF.replace("questions:", f"{head}\nquestions:" if head else "questions:")
    ).survey
    of_one_wave = [
        bytes([0, sex, age - 18, ward]) for n, sex, age, ward in groups for _ in range(n)
    ]
    sent = [row + bytes([wave]) for wave in range(waves) for row in of_one_wave]
    return rows_of_reports(survey, sent if waves > 1 else of_one_wave)


TEAM = (
    *((8, 0, 30, 0), (9, 1, 30, 0), (7, 0, 45, 1), (3, 1, 46, 1)),
    *((6, 1, 46, 2), (2, 0, 60, 3), (3, 0, 61, 3)),
)


def held(rows: Rows, *texts: str) -> str:
    """Return the columns that leave together; those of `texts` come first."""
    wanted = wanted_columns(rows.survey, *texts)
    return write_columns(columns.holding(rows, wanted), rows.survey)


def test_columns_leave_in_their_turn_with_five_people_in_each_combination() -> None:
    team = staff(*TEAM)
    assert held(team) == "sex"
    assert held(team, "ward") == "ward"
    assert held(team, "ward:a+[b c d]") == "ward:a+[b c d],sex"
    everything = "age:18-39+40-80,sex,ward:a+[b c d]"
    assert held(team, everything) == everything


def test_groups_beside_a_suppressed_cell() -> None:
    """Four people in ward D: its table suppresses A and D, so [C D] less C would be four."""
    team = staff(*TEAM[:-1], (2, 0, 61, 3))
    assert held(team, "ward:[a d]+b+c") == "ward:[a d]+b+c"
    assert held(team, "ward:a+b+[c d]") == "sex"


def test_another_threshold_is_decided_anew() -> None:
    team = staff(*TEAM)
    assert [held(replace(team, least=least)) for least in (18, 19, 1)] == [
        "sex",
        "",
        "sex,age,ward",
    ]


def test_waves_and_patterns_are_told_apart() -> None:
    team = staff(*TEAM, waves=2)
    assert held(team) == "sex"
    lone = np.zeros(team.n, dtype=np.int64)
    lone[0] = 1
    assert held(replace(team, patterns=lone)) == ""
    assert held(replace(team, waves=lone + 1)) == ""


def test_proposed_groups_hold_beside_others() -> None:
    team = staff(*TEAM)
    ward = team.survey.items[-1]
    for beside, text in (({}, "ward"), (columns.holding(team, team.wanted), "ward:a+[b c]+d")):
        groups = columns.proposed(team, beside, ward)
        assert groups is not None
        assert write_columns({"ward": groups}, team.survey) == text
        assert columns.holds(team, {**beside, "ward": groups})
    assert columns.proposed(staff((4, 0, 30, 0)), {}, ward) is None


def test_two_files_hold_together() -> None:
    """Their noisy answers join them, so the second tells all combinations with the first."""
    team = staff(*TEAM)
    sex, ward, two = (
        read_columns(one, team.survey) for one in ("sex", "ward", "sex,ward:a+[b c d]")
    )
    assert columns.chosen(team, "ward", {}) == ward
    said = r"show ward with sex: .* fewer than 5 people; .*: ward:a\+\[b c\]\+d$"
    with pytest.raises(TooFewError, match=said):
        columns.chosen(team, "ward", sex)
    assert columns.chosen(team, "ward:a+[b c d]", two)  # coarser than what left, or the same
    with pytest.raises(TooFewError, match="show ward with"):
        columns.chosen(team, "ward:[a b]+[c d]", two)  # the two tell B and [C D] apart
    with pytest.raises(TooFewError, match="show ward with sex"):
        columns.together(team, columns.holding(team, team.wanted), ["sex", "ward"])
    assert columns.together(team, columns.holding(team, two), ["ward"]) == {"ward": two["ward"]}


@pytest.mark.parametrize("groups", [[[0, 1], [2, 3]], [[0, 2], [1, 3]], [[0], [1, 2, 3]]])
def test_no_small_cell_follows_from_groups_and_suppressed_cells_that_are_not_empty(
    groups: list[list[int]],
) -> None:
    """All tables of ten people, of cells below three."""
    masks = [np.isin(np.arange(4), group) for group in groups]
    tables = np.array([*itertools.product(range(11), repeat=4)])
    tables = tables[tables.sum(axis=1) == 10]
    sizes = np.stack([tables[:, mask].sum(axis=1) for mask in masks], axis=1)
    told = 0
    for table, size in zip(tables, sizes, strict=True):
        hidden = hidden_cells(table, 3)
        small = np.flatnonzero((table > 0) & (table < 3))
        if len(small) and keeps_cells(table, hidden, [np.zeros(4, dtype=bool), *masks], 3):
            alike = (sizes == size).all(axis=1) & (tables == table)[:, ~hidden].all(axis=1)
            ranges = np.ptp(tables[alike], axis=0)
            assert (ranges[small] >= 2).all(), table
            not_empty = alike & (hidden.all() | (tables[:, hidden] > 0).all(axis=1))
            assert (np.ptp(tables[not_empty], axis=0)[small] > 0).all(), table
            told += 1
    assert told > 20


@pytest.mark.parametrize("people", [LEAST - 1, LEAST])
def test_a_follow_up_counts_earlier_answers_by_pattern(club: Survey, people: int) -> None:
    """So few who were not asked the first question gave the third role: all licences are hidden."""
    sent = members((30, b"\0\0\1\0"), (20, b"\0\1\1\2"), (20, b"\0\2\1\2"))
    sent += members((20, b"\xff\0\1\0"), (20, b"\xff\1\1\2"), (people, b"\xff\2\1\2"))
    hidden = hidden_in_groups(rows_of_reports(club, [sent]), 3)
    assert {*hidden[0, :3].tolist()} == {people < LEAST}


SOME = file_of(
    "id: a, text: A, type: single, answers: [No, Yes]",
    "id: b, text: B, type: single, answers: [No, Yes]",
    "id: c, text: C, type: single, answers: [No, Yes]",
    "id: dept, text: Department, type: single, answers: [X, Y], protection: direct",
    head="epsilon: 2\nask: 2",
)


@pytest.fixture(scope="module")
def some() -> Survey:
    return read(SOME).survey


def thirds(some: Survey) -> npt.NDArray[np.uint8]:
    """Make 36 whole reports, of three patterns and two departments."""
    answers = np.zeros((36, 4), dtype=np.uint8)
    for place in range(3):
        answers[place * 12 : (place + 1) * 12, place] = NOT_ASKED
    answers[::4, 3] = 1  # nine: three of each pattern
    return answers


def test_whole_reports_of_one_revision_look_alike(some: Survey) -> None:
    answers = thirds(some)
    assert len(np.unique(patterns_of(some, answers, is_alone=True), axis=0)) == 1
    assert len(np.unique(patterns_of(some, answers), axis=0)) == 3
    pooled = pool_rows(some, [(some, [answers.tobytes()])])
    assert held(pooled) == "dept"
    # Of a CSV nobody knows that.
    assert held(rows_of_reports(some, answers)) == ""


@pytest.mark.parametrize("people", [LEAST - 1, LEAST])
def test_a_report_with_more_gaps_stands_apart(some: Survey, people: int) -> None:
    """Its sender reported the rest before: that fits together with another report of theirs."""
    answers = np.vstack([thirds(some), [[0, NOT_ASKED, NOT_ASKED, 0]] * people]).astype(np.uint8)
    pooled = pool_rows(some, [(some, [answers.tobytes()])])
    assert len(np.unique(pooled.patterns)) == 2
    apart = (pooled.answers[:, :3] == NOT_ASKED).sum(axis=1) == 2
    assert pooled.times[apart].tolist() == [people]
    told = pooled.answers[np.ix_(apart, pooled.direct)] != NOT_ASKED
    assert told.tolist() == [[people == LEAST]]


def test_two_revisions_key_by_what_was_drawn(some: Survey) -> None:
    """Who was asked a and b before is asked c now: the two reports fit together."""
    other = read(SOME.replace("title: T", "title: Two of three")).survey
    answers = thirds(some)
    pooled = pool_rows(some, [(some, [answers.tobytes()]), (other, [answers.tobytes()])])
    assert len(np.unique(pooled.patterns)) == 6
    assert held(pooled) == ""
