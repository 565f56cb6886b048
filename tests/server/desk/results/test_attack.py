"""What an attacker learns who sends reports of their own between two looks at the desk."""

import re
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from deniable.analysis.counts.pooling import rows_of_reports
from deniable.analysis.counts.tally import count_kept
from deniable.analysis.privacy.columns import holding
from deniable.analysis.privacy.disclosure import shown_answers
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


def look(survey: Survey, answers: Reports) -> tuple[list[BoolArray], set[int]]:
    """Return which answers the tables of direct questions show, and which columns a file has."""
    rows = rows_of_reports(survey, [answers.tobytes()])
    (tally,) = count_kept(rows).values()
    told = shown_answers(survey, tally.counts)
    held = holding(rows, rows.wanted)
    columns = {n for n, place in enumerate(rows.direct) if survey.items[place].id in held}
    return [~told[place].hidden for place in rows.direct], columns


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
        (first, held), (second, held_then) = (
            look(survey, those) for those in (before, np.vstack([before, own, tenth]))
        )
        of_tables = [
            one[given] and other[given]
            for one, other, given in zip(first, second, tenth[0, 1:], strict=True)
        ]
        in_file = [place in held & held_then for place in range(3)]
        answers.append(np.logical_or(of_tables, in_file).mean())
        rows.append(sum(in_file) > 1)
        # Who came before the first look, with a gap that nobody else had; ten of one's own have it.
        first_look, ten = np.vstack([before, tenth]), np.vstack([own, own[:1]])
        first_look[-1, 0] = ten[:, 0] = NOT_ASKED
        looks = [look(survey, those)[0] for those in (first_look, np.vstack([first_look, ten]))]
        both = zip(*looks, tenth[0, 1:], strict=True)
        gaps.append(np.mean([one[given] and other[given] for one, other, given in both]))
        _, places, count = np.unique(before[:, 1:], axis=0, return_index=True, return_counts=True)
        for place in places[count == 1]:
            copies = np.repeat(before[place][np.newaxis], 4, axis=0)
            alone.append(len(look(survey, np.vstack([before, copies]))[1]) > 1)
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
