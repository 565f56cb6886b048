"""What a respondent is asked is drawn exactly, by the same words as in the browser."""

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from deniable.analysis.counts.rows import split_rows
from deniable.client.asking import asked_by, choose, draw_asked
from deniable.client.population import read_population
from deniable.client.randomness import seeded_words
from deniable.client.respondent import draw_report
from deniable.client.simulation import draw_ids, make_reports, simulate
from deniable.report import NOT_ASKED, NOT_DRAWN
from deniable.survey import Draw, Survey
from deniable.survey_file import read
from tests import vectors


@pytest.fixture(scope="module")
def asking() -> Survey:
    return read(vectors.asking_file()).survey


def draw_of(count: int, choices: int) -> Draw:
    return Draw(count, tuple("abcdef"[:choices]), tuple((place,) for place in range(choices)))


@pytest.mark.parametrize(("count", "choices"), [(1, 2), (1, 4), (2, 4), (3, 4)])
def test_every_choice_comes_as_often(count: int, choices: int) -> None:
    # A proof, not a statistic: only the order of the words matters, so what holds for all words
    # of 5 values holds for those of 2^32.
    words = np.array(list(itertools.product(range(5), repeat=choices)), dtype=np.uint32)
    chosen, valid = choose(draw_of(count, choices), words)
    assert valid.tolist() == [len(set(row)) == choices for row in words.tolist()]
    sets = Counter(map(tuple, chosen[valid].tolist()))
    assert len(set(sets.values())) == 1
    assert set(sets) == {
        tuple(place in some for place in range(choices))
        for some in itertools.combinations(range(choices), count)
    }


def test_the_largest_words_are_compared_as_the_smallest() -> None:
    words = np.array([[2**32 - 1, 2**31, 0], [2**31 - 1, 2**31, 2**32 - 1]], dtype=np.uint32)
    chosen, valid = choose(draw_of(1, 3), words)
    assert chosen.tolist() == [[False, False, True], [True, False, False]]
    assert valid.all()


def test_shared_words_give_the_shared_bytes(asking: Survey) -> None:
    cases = vectors.asking()["cases"]
    id = [1, 2, 3, 4]
    for case in cases[1:]:
        report = draw_report(asking, case["truths"], vectors.source_of([*id, *case["words"]]))
        assert report.answers.hex() == case["answers"]
        assert report.id.hex() == "00000001000000020000000300000004"
        report.check(asking)


def test_equal_words_are_all_drawn_again(asking: Survey) -> None:
    alike, other, *_ = vectors.asking()["cases"]
    assert alike["answers"] is None
    choices = np.array(alike["words"][len(asking.items) :], dtype=np.uint32)
    assert asked_by(asking, choices) is None
    tapes = [[9, 9, 9, 9, *alike["words"]], [1, 2, 3, 4, *other["words"]]]
    report = draw_report(asking, other["truths"], vectors.source_of(*tapes))
    assert report.answers.hex() == other["answers"]
    assert report.id.hex() == "00000001000000020000000300000004"


def test_simulated_reports_can_all_be_drawn(asking: Survey) -> None:
    (responses,) = simulate(read_population(asking), 500, seeded_words(3))
    for report in make_reports(asking, draw_ids(500), responses.answers):
        report.check(asking)
    assert not (responses.truths == NOT_DRAWN).any()
    # To what is counted, or written to a file, that is the same as not asked.
    counted, _ = split_rows(responses.answers.tobytes(), asking)
    assert ((counted == NOT_ASKED) == (responses.answers == NOT_DRAWN)).all()


def test_simulated_people_are_asked_in_shares(asking: Survey) -> None:
    """Each of 13 counts within 5.8 standard errors: a false alarm in 1e7; the seed is fixed."""
    n = 60_000
    asked = draw_asked(asking, n, seeded_words(11))
    shares = np.array(asking.asked_shares, dtype=float)
    errors = np.sqrt(n * shares * (1 - shares))
    assert (np.abs(asked.sum(axis=0) - n * shares) <= 5.8 * errors).all()
    # Which questions: all six pairs of the four equally often, at 1e-6.
    firsts = asked[:, [0, 1, 5, 8]].copy()
    firsts[:, 1] = asked[:, 1:5].any(axis=1)
    firsts[:, 2] = asked[:, 5:8].any(axis=1)
    pairs = Counter(map(tuple, firsts.tolist()))
    assert len(pairs) == 6
    assert stats.chisquare(list(pairs.values())).pvalue > 1e-6
    # Which options, of those who are asked two of four.
    options = Counter(map(tuple, asked[firsts[:, 1], 1:5].tolist()))
    assert len(options) == 6
    assert stats.chisquare(list(options.values())).pvalue > 1e-6


def test_equal_words_are_drawn_again_for_those_alone(asking: Survey) -> None:
    source = seeded_words(4)
    # Words of five values: of most people two of the four are alike at first.
    asked = draw_asked(asking, 300, lambda count: source(count) % np.uint32(5))
    questions = np.array(
        [asked[:, places].any(axis=1) for places in asking.draws[0].places], dtype=int
    )
    assert (questions.sum(axis=0) == 2).all()


def test_a_survey_that_asks_all_draws_no_words(survey: Survey) -> None:
    assert draw_asked(survey, 7, vectors.source_of()).all()
