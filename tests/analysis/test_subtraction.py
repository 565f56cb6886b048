"""No cell of a few people follows from everything that is shown of one snapshot.

Somebody adds up and subtracts all of it: the tables of single questions with their suppressed
cells, means and standard errors, groups, and every file and table of several questions. What they
cannot tell apart is found by integer programming (`tests.kit.attacker`). Nothing here knows by
which rule a cell is suppressed, except for the attacker who knows that suppressed cells are not
empty.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import suppress
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from deniable.analysis.counts.pooling import rows_of_reports
from deniable.analysis.counts.rows import Rows
from deniable.analysis.counts.tally import count_kept
from deniable.analysis.privacy import columns
from deniable.analysis.privacy.disclosure import LEAST, TooFewError, people_together, shown_answers
from deniable.analysis.results import numbers, summarise
from deniable.publication.material import Material
from deniable.survey import Survey
from deniable.survey.grouped import (
    Columns,
    Groups,
    check_groups,
    each_answer,
    every_column,
    refined,
    wanted_columns,
)
from deniable.survey_file import read
from tests.kit import first_of
from tests.kit.attacker import Attacker
from tests.kit.surveys import file_of

pytestmark = pytest.mark.promise("few", "rows")

SEED = 24

TOOK = "id: took, text: Took it, type: single, answers: [No, Yes], flip: 1/4"


@cache
def asked(*questions: str) -> Survey:
    """Read a survey of direct questions after a randomised one; a number is its greatest answer."""
    return read(file_of(TOOK, *questions)).survey


def offered(id: str, answers: int, fits: str = "") -> str:
    ask_if = f", ask_if: {fits}" if fits else ""
    codes = ", ".join(f"{id}{n}" for n in range(answers))
    return f"id: {id}, text: {id}, type: single, answers: [{codes}], protection: direct{ask_if}"


def number(id: str, greatest: int) -> str:
    return f"id: {id}, text: {id}, type: number, min: 0, max: {greatest}, protection: direct"


def look(rows: Rows, *files: Columns) -> Attacker:
    """Return an attacker who has seen everything that is shown of some rows, and some files."""
    survey = rows.survey
    one = Attacker.of(survey, np.repeat(rows.answers, rows.times, axis=0))
    single_tables(one, rows, every_column(survey))
    for place in rows.direct:
        with suppress(TooFewError):
            shown, _ = people_together(rows, [0, place])
            for answer in np.unique(rows.answers[shown, place]).tolist():
                people = rows.times[shown & (rows.answers[:, place] == answer)].sum()
                one.learn(one.gave(**{survey.items[place].id: [answer]}), people)
    for held in files:
        told = columns.grouped(rows, held)
        places = [place for place, item in enumerate(told.survey.items) if item.id in held]
        for cell in itertools.product(*(range(len(held[told.survey.items[p].id])) for p in places)):
            people = told.times[(told.answers[:, places] == cell).all(axis=1)].sum()
            names = [told.survey.items[place].id for place in places]
            of = {name: held[name][n] for name, n in zip(names, cell, strict=True)}
            one.learn(one.gave(**of), people)
        single_tables(one, Material(survey, rows, held).told, {**every_column(survey), **held})
    return one


def single_tables(one: Attacker, rows: Rows, groups: Columns) -> None:
    """Learn what the table of each question shows, its answers in groups, and the mean."""
    (tally,) = count_kept(rows).values()
    results = summarise(rows.survey, tally, min_cell_size=rows.least)
    found = [item for question in results.questions for item in question.items]
    told = shown_answers(rows.survey, tally.counts, rows.least)
    for result, shown in zip(found, told, strict=True):
        name = result.item.id
        if name not in one.places:
            continue
        hidden = [share.estimate is None for share in result.shares]
        assert hidden == shown.hidden.tolist()
        assert not (result.applicable and any(hidden) and result.applicable[0].estimate is not None)
        for answers, count, hide in zip(groups[name], shown.counts, hidden, strict=True):
            if not hide:
                one.learn(one.gave(**{name: answers}), count)
            elif not all(hidden):
                one.not_empty.append(one.gave(**{name: answers}))
        if result.mean is not None and result.mean.estimate is not None:
            assert not shown.untold
            values = np.nan_to_num(numbers(result.item))[one.kinds[:, one.places[name]]]
            n = shown.counts.sum()
            one.learn(values, result.mean.estimate * n)
            if result.mean.standard_error is not None:
                squares = n * (n - 1) * result.mean.standard_error**2 + n * result.mean.estimate**2
                one.learn(values**2, squares)


def rows_of(survey: Survey, people: npt.ArrayLike, columns: str = "") -> Rows:
    """Return reports: as many people of each combination of direct answers as an array says.

    Those to whom a question does not apply are moved to that answer. `columns`: those that come
    first in files.
    """
    counts = np.asarray(people)
    direct = np.repeat(np.argwhere(counts >= 0), counts.ravel(), axis=0)
    answers = np.column_stack([np.arange(len(direct)) % 2, direct]).astype(np.uint8)
    places = {item.id: place for place, item in enumerate(survey.items)}
    for question in survey.questions:
        for one in question.ask_if:
            codes = [truth.code for truth in survey.items[places[one.item]].truths]
            fits = np.isin(answers[:, places[one.item]], [*map(codes.index, one.answers)])
            answers[~fits, places[question.id]] = question.skipped
    return rows_of_reports(survey, [answers.tobytes()], wanted=wanted_columns(survey, columns))


def drawn(random: np.random.Generator) -> Rows:
    """Draw a survey of one to three direct questions, and 20 to 500 people who answered it."""
    questions, sizes = [], []
    for n in range(random.integers(1, 4)):
        size = int(random.integers(2, [9, 6, 4][n]))
        sizes.append(size)
        fits = [f"q0{answer}" for answer in range(random.integers(1, sizes[0]))]
        if random.random() < 0.4:
            questions.append(number(f"q{n}", size - 1))
        elif n and "number" not in questions[0] and random.random() < 0.4:
            questions.append(offered(f"q{n}", size, f"{{q0: [{', '.join(fits)}]}}"))
        else:
            questions.append(offered(f"q{n}", size))
    rates = np.ones(())
    for size in sizes:
        evenness = random.choice([0.4, 1, 9])
        rates = np.multiply.outer(rates, random.dirichlet(np.full(size, evenness)))
    if random.random() < 0.5:  # not independent
        rates = rates * random.exponential(size=rates.shape)
    people = random.multinomial(random.integers(20, 501), rates.ravel() / rates.sum())
    return rows_of(asked(*questions), people.reshape(sizes))


def files_of(rows: Rows, random: np.random.Generator) -> list[Columns]:
    """Return files that leave: the one by default, and then others in groups of one's own."""
    held = columns.holding(rows, rows.wanted)
    found: list[Columns] = [held]
    for _ in range(3):
        names = random.permutation([*rows.wanted])[: random.integers(1, len(rows.wanted) + 1)]
        choice: dict[str, Groups] = {}
        for name in names.tolist():
            item = next(one for one in rows.survey.items if one.id == name)
            places = random.permutation(len(item.truths))
            cuts = 1 + random.permutation(len(places) - 1)[: random.integers(1, len(places))]
            parts = np.split(places, np.sort(cuts))
            choice[name] = tuple(sorted(tuple(sorted(part.tolist())) for part in parts))
            try:
                check_groups(rows.survey, item, choice[name])
            except ValueError:
                choice[name] = columns.proposed(rows, held, item) or each_answer(item)
        union = refined(held, choice)
        if columns.holds(rows, union):
            held, found = union, [*found, choice, union]
    return found


def found_in(rows: Rows, random: np.random.Generator) -> list[tuple[dict[str, int], int, int]]:
    """Return the small cells that follow from everything that is shown."""
    return look(rows, *files_of(rows, random)).found()


SURVEYS = 20


def campaign(seed: int) -> Iterator[bool]:
    """Yield of each of some surveys whether a small cell follows."""
    for one in range(SURVEYS):
        random = np.random.default_rng([SEED, seed, one])
        yield bool(found_in(drawn(random), random))


@pytest.mark.parametrize("seed", first_of(range(36)))
def test_no_small_cell_follows_from_everything_shown(seed: int) -> None:
    assert [place for place, found in enumerate(campaign(seed)) if found] == []


def test_the_drawn_surveys_have_small_cells() -> None:
    rows = [drawn(np.random.default_rng([SEED, 0, one])) for one in range(SURVEYS)]
    assert sum(columns.few(one, every_column(one.survey), LEAST) > 0 for one in rows) > SURVEYS / 2


PARTS: dict[str, tuple[str, object]] = {
    "few people of a combination": ("columns.few", 0),
    "groups beside a table": ("columns._keeps_cells", True),
    "a mean": ("results.mean_tells_cells", False),
    "a follow-up": ("disclosure.Shown.keeps", True),
}
"""What the rule consists of, and what it would say if it were left out."""


@pytest.mark.parametrize("part", PARTS)
def test_each_part_of_the_rule_is_needed(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, says = PARTS[part]
    room = "analysis" if name.startswith("results") else "analysis.privacy"
    monkeypatch.setattr(f"deniable.{room}.{name}", lambda *_, **__: says)
    assert any(found for seed in range(8) for found in campaign(seed))


TWO = (offered("sex", 2), offered("hiv", 2))
CASES: dict[str, Rows] = {
    "two answers each": rows_of(asked(*TWO), [[18, 2], [160, 20]]),
    "the rare one first": rows_of(asked(*TWO), [[2, 18], [20, 160]]),
    "of 300": rows_of(asked(*TWO), [[3, 144], [6, 147]]),
    "a number beside sex": rows_of(
        asked(offered("sex", 2), number("years", 9)),
        [[6, 7, 6, 6, 5, 6, 5, 5, 5, 1], [5, 6, 7, 5, 5, 5, 5, 5, 6, 0]],
    ),
    "five lone wards": rows_of(asked(offered("ward", 8)), [30, 20, 1, 1, 1, 1, 1, 0]),
}


@pytest.mark.parametrize("case", CASES)
def test_the_small_cells_of_a_review_do_not_follow(case: str) -> None:
    rows = CASES[case]
    assert columns.few(rows, every_column(rows.survey), LEAST)
    for seed in range(5):
        assert found_in(rows, np.random.default_rng([SEED, seed])) == []


RATES = {
    "2x2 of 200": ([[0.15, 0.85], [0.1, 0.9]], 200),
    "2x2 of 500": ([[0.5, 0.5], [0.03, 0.97]], 500),
    "3x3": ([[0.1, 0.3, 0.6]] * 2, 500),
    "2x2x2": ([[0.5, 0.5], [0.5, 0.5], [0.06, 0.94]], 500),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", RATES)
def test_the_surveys_of_a_review_tell_nothing(case: str) -> None:
    rates, n = RATES[case]
    survey = asked(*(offered(f"q{place}", len(of)) for place, of in enumerate(rates)))
    together = np.ones(())
    for of in rates:
        together = np.multiply.outer(together, of)
    for seed in range(40):
        random = np.random.default_rng([SEED, seed])
        rows = rows_of(survey, random.multinomial(n, together.ravel()).reshape(together.shape))
        assert found_in(rows, random) == [], seed


@pytest.mark.slow
def test_the_mean_of_a_number_with_many_answers_tells_no_small_cell() -> None:
    """It is shown, as other tables are found for each of its small cells."""
    random = np.random.default_rng(SEED)
    rates = np.exp(-(((np.arange(36) - 18) / 9) ** 2))
    rows = rows_of(asked(number("years", 35)), random.multinomial(150, rates / rates.sum()))
    one = look(rows)
    assert len(one.equations) == 2  # the sum of the years and of their squares
    assert len([*one.small_cells()]) > 10
    assert one.found() == []
