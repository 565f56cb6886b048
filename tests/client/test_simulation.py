"""A population answers: the noise is the channel's, memory is bounded, seeds repeat."""

import time

import numpy as np
from scipy import stats

from deniable.client.population import read_population
from deniable.client.randomness import os_words, seeded_words
from deniable.client.simulation import draw_ids, make_reports, simulate
from deniable.survey import Survey
from tests import surveys


def test_answers_follow_the_channel_of_each_item(survey: Survey) -> None:
    """Chi-square of every item and truth, at 1e-6 in all; the seed is fixed."""
    n = 200_000
    ((truths, answers),) = (
        (responses.truths, responses.answers)
        for responses in simulate(read_population(survey), n, seeded_words(5), chunk=n)
    )
    tests = sum(item.channel.truths for item in survey.items)
    for position, item in enumerate(survey.items):
        for truth, chances in enumerate(item.channel.probabilities):
            drawn = answers[truths[:, position] == truth, position]
            counts = np.bincount(drawn, minlength=item.channel.reports)
            possible = chances > 0
            assert not counts[~possible].any()
            if possible.sum() > 1:
                expected = len(drawn) * chances[possible]
                assert stats.chisquare(counts[possible], expected).pvalue > 1e-6 / tests


def test_noise_is_independent_of_the_noise_of_other_items(survey: Survey) -> None:
    """A word used twice would show here: all correlations of "was flipped" within 1e-8 each."""
    n = 200_000
    responses = next(simulate(read_population(survey), n, seeded_words(6), chunk=n))
    flipped = (responses.truths != responses.answers)[:, :-1].astype(float)  # the last is direct
    correlations = np.corrcoef(flipped.T)[np.triu_indices(flipped.shape[1], k=1)]
    assert np.abs(correlations).max() < 5.7 / np.sqrt(n)


def test_comes_in_chunks_of_bounded_size(survey: Survey) -> None:
    sizes = [len(r.answers) for r in simulate(read_population(survey), 2500, os_words, chunk=1000)]
    assert sizes == [1000, 1000, 500]
    assert list(simulate(read_population(survey), 0)) == []


def test_a_seed_repeats_the_run_and_its_ids(survey: Survey) -> None:
    def run(seed: int) -> bytes:
        chunks = simulate(read_population(survey), 3000, seeded_words(seed), chunk=1000)
        return b"".join(responses.answers.tobytes() for responses in chunks)

    assert run(1) == run(1) != run(2)
    assert draw_ids(10, seeded_words(1)) == draw_ids(10, seeded_words(1))


def test_ids_are_drawn_within_a_range(survey: Survey) -> None:
    within = range(2**30, 3 * 2**30)
    drawn = draw_ids(4000, seeded_words(1), within)
    firsts = [int.from_bytes(id[:4], "big") for id in drawn]
    assert all(first in within for first in firsts)
    shares = np.histogram(firsts, bins=4, range=(within.start, within.stop))[0]
    assert np.abs(shares - 1000).max() < 150  # five standard deviations
    assert [id[4:] for id in drawn] == [id[4:] for id in draw_ids(4000, seeded_words(1))]


def test_reports_are_what_devices_would_send(survey: Survey) -> None:
    responses = next(simulate(read_population(survey), 50))
    reports = make_reports(survey, draw_ids(50), responses.answers)
    assert len({report.id for report in reports}) == 50
    for report, answers in zip(reports, responses.answers, strict=True):
        report.check(survey)
        assert report.answers == bytes(answers)


def test_a_million_respondents_take_seconds() -> None:
    """About 0.4 s on two cores of 2023; the bound only finds a loop in Python."""
    survey = surveys.survey(*(surveys.single(f"q{number}") for number in range(5)))
    start = time.perf_counter()
    n = sum(len(responses.answers) for responses in simulate(read_population(survey), 1_000_000))
    assert n == 1_000_000
    assert time.perf_counter() - start < 10
