"""What an attacker learns who sends reports of their own between two looks at the desk."""

import re
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from deniable.analysis.counts.pooling import rows_of_reports
from deniable.analysis.counts.rows import Rows
from deniable.analysis.privacy.disclosure import hidden_cells, hidden_people
from deniable.report import NOT_ASKED
from deniable.survey import Survey
from deniable.survey_file import read

pytestmark = pytest.mark.promise("few")

BoolArray = npt.NDArray[np.bool_]
Reports = npt.NDArray[np.uint8]

SURVEY = """\
version: 1
survey: club
title: A club
batch: 1
questions:
  - {id: doped, text: Doped, type: single, answers: [No, Yes], flip: 1/4}
  - {id: role, text: Role, type: single, answers: [x, y, z], protection: direct}
  - {id: years, text: Years, type: number, min: 0, max: 3, protection: direct}
  - {id: sex, text: A sex, type: single, answers: [p, q], protection: direct}
"""


def shown(survey: Survey, answers: Reports) -> tuple[list[BoolArray], BoolArray]:
    """Return which answers the table of each direct question shows, and whose rows a file does."""
    rows = rows_of_reports(survey, [answers.tobytes()])
    return tables(rows), ~hidden_people(rows, rows.direct)


def tables(rows: Rows) -> list[BoolArray]:
    """Return which answers the table of each direct question shows."""
    of = [(rows.survey.items[place], rows.answers[:, place]) for place in rows.direct]
    return [
        ~hidden_cells(np.bincount(column[column != NOT_ASKED], minlength=len(item.truths)))
        for item, column in of
    ]


@pytest.mark.slow
def test_security_md_says_what_own_reports_tell() -> None:
    """Nine between two looks, or four with the answers of somebody who is alone with theirs."""
    survey, random = read(SURVEY).survey, np.random.default_rng(100)

    def draw(people: int, chances: npt.NDArray[np.float64]) -> Reports:
        cells = np.unravel_index(random.choice(24, people, p=chances), (3, 4, 2))
        return np.column_stack([random.integers(0, 2, people), *cells]).astype(np.uint8)

    answers, rows, alone, gaps = [], [], [], []
    for _ in range(300):
        chances = random.dirichlet(np.full(24, 0.35))
        before, own, tenth = (draw(people, chances) for people in (100, 9, 1))
        of_both = [shown(survey, those) for those in (before, np.vstack([before, own, tenth]))]
        told = [
            [table[given] for table, given in zip(one, tenth[0, 1:], strict=True)]
            for one, _ in of_both
        ]
        answers.append(np.all(told, axis=0).mean())
        alike = (before[:, 1:] == tenth[0, 1:]).all(axis=1)
        rows.append(of_both[0][1][alike].all() and of_both[1][1][-1])
        # Who came before the first look, with a gap that nobody else had; ten of one's own have it.
        first_look, ten = np.vstack([before, tenth]), np.vstack([own, own[:1]])
        first_look[-1, 0] = ten[:, 0] = NOT_ASKED
        looks = [rows_of_reports(survey, [first_look.tobytes()])]
        looks.append(rows_of_reports(survey, [np.vstack([first_look, ten]).tobytes()]))
        of_tables = [tables(one) for one in looks]
        assert (looks[0].answers[-1] == NOT_ASKED).all()
        both = zip(*of_tables, tenth[0, 1:], strict=True)
        gaps.append(np.mean([one[given] and other[given] for one, other, given in both]))
        _, first, count = np.unique(before[:, 1:], axis=0, return_index=True, return_counts=True)
        for place in first[count == 1]:
            copies = np.repeat(before[place][np.newaxis], 4, axis=0)
            alone.append(shown(survey, np.vstack([before, copies]))[1][place])
    said = (Path("docs") / "security.md").read_text(encoding="utf-8")
    found = re.search(
        r"in (\d+) of 100 cases, and its row in (\d+).*?theirs in (\d+)"
        r".*?the row in (\d+)",
        said,
        re.S,
    )
    assert found is not None
    assert [*map(int, found.groups())] == [
        round(100 * float(np.mean(one))) for one in (answers, rows, gaps, alone)
    ]
