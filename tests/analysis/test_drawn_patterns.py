"""What chance drew for a person links no two reports, and no report to a person.

So it is no part of the key of what is hidden, where all reports are to one revision and there are
no waves (`deniable.analysis.privacy.disclosure.patterns_of`). Everywhere else it is.
"""

from itertools import permutations, product
from math import comb

import numpy as np
import pytest

from deniable.analysis.counts.pooling import pool_rows, rows_of_reports
from deniable.analysis.counts.rows import patterns_of
from deniable.analysis.privacy.disclosure import hidden_people
from deniable.client.asking import asked_by
from deniable.report import NOT_ASKED
from deniable.survey import Survey
from deniable.survey_file import read

pytestmark = pytest.mark.promise("rows")

TEXT = """\
version: 1
survey: asked
title: Some of them
epsilon: 2
ask: 2
questions:
  - {id: a, text: A, type: single, answers: [No, Yes]}
  - {id: b, text: B, type: single, answers: [No, Yes]}
  - {id: c, text: C, type: single, answers: [No, Yes]}
  - {id: dept, text: Department, type: single, answers: [X, Y], protection: direct}
"""


@pytest.fixture(scope="module")
def some() -> Survey:
    """Read a survey that asks two of three questions."""
    return read(TEXT).survey


def everything(survey: Survey) -> list[bytes]:
    """Return what each order of the words of a draw asks: a byte an item."""
    (draw,) = survey.draws
    found = []
    for order in permutations(range(len(draw.choices))):
        asked = asked_by(survey, np.array(order, dtype=np.uint32))
        assert asked is not None
        found.append(asked.tobytes())
    return found


def test_guessing_by_what_was_asked_is_chance(some: Survey) -> None:
    """Every order of the words is equally likely, whatever is answered: so all are tried.

    Two reports of one person to two surveys, or a receipt beside a row, are one draw each. The best
    guess whether both are of one person goes by the pair of patterns. It is as often right for two
    of one person as for two strangers, because each pair comes as often.
    """
    orders = everything(some)
    pairs = [*product(orders, orders)]
    counts = {pair: pairs.count(pair) for pair in pairs}
    patterns = comb(3, 2)
    assert len({*orders}) == patterns
    assert {*counts.values()} == {len(pairs) // patterns**2}


def rows(some: Survey) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    """Make 36 whole reports, of three patterns and two departments."""
    answers = np.zeros((36, 4), dtype=np.uint8)
    for place in range(3):
        answers[place * 12 : (place + 1) * 12, place] = NOT_ASKED
    answers[::4, 3] = 1  # nine: three of each pattern
    return answers


def test_whole_reports_of_one_revision_look_alike(some: Survey) -> None:
    answers = rows(some)
    assert len(np.unique(patterns_of(some, answers, one_revision=True), axis=0)) == 1
    assert len(np.unique(patterns_of(some, answers), axis=0)) == 3
    pooled = pool_rows(some, [(some, [answers.tobytes()])])
    assert not hidden_people(pooled, pooled.direct).any()
    # Of a CSV nobody knows that.
    assert hidden_people(rows_of_reports(some, answers), pooled.direct).all()


def test_a_report_with_more_gaps_stands_apart(some: Survey) -> None:
    """Its sender reported the rest before: that fits together with another report of theirs."""
    answers = np.vstack([rows(some), [[0, NOT_ASKED, NOT_ASKED, 0]] * 3]).astype(np.uint8)
    pooled = pool_rows(some, [(some, [answers.tobytes()])])
    assert len(np.unique(pooled.patterns)) == 2
    assert (pooled.answers[36:, pooled.direct] == NOT_ASKED).all()


def test_two_revisions_key_by_what_was_drawn(some: Survey) -> None:
    """Who was asked a and b before is asked c now: the two reports fit together."""
    other = read(TEXT.replace("Some of them", "Two of three")).survey
    answers = rows(some)
    pooled = pool_rows(some, [(some, [answers.tobytes()]), (other, [answers.tobytes()])])
    assert len(np.unique(pooled.patterns)) == 6
    assert hidden_people(pooled, pooled.direct).all()
