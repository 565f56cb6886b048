"""How often intervals hold where each person is asked a part, or reports two answers as one.

What is one proportion is exact, and the rest draws `DRAWS` surveys with a seed of its own. All of
it takes some minutes of one processor.
"""

import math
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Final

import numpy as np
from scipy import stats

from benchmarks.coverage import small_samples
from benchmarks.coverage.small_samples import LEVEL, Problem
from benchmarks.measuring import markdown
from deniable import designs
from deniable.analysis import intervals
from deniable.analysis.intervals import inversion, proportion
from deniable.analysis.joint.groups import difference
from deniable.analysis.numerics.arrays import FloatArray
from deniable.channel import Channel
from deniable.estimator import for_values
from deniable.survey import Survey
from deniable.survey_file import read

DRAWS: Final = 1000
CELLS: Final = (("1", 30), ("1", 150), ("3", 30), ("3", 150))
SHARES: Final = (0, 0.02, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 1)
CHANGES: Final = ((0.02, 0.02), (0.3, 0.3), (0.1, 0.4))
"""Shares of yes in two waves."""

_ONE: Final = "type: single, answers: ['No', 'Yes']"
_PAIR: Final = f"[{{id: a, text: A, {_ONE}}}, {{id: b, text: B, {_ONE}}}]"
_THREE: Final = _PAIR.replace("}]", f"}}, {{id: c, text: C, {_ONE}}}]")
_FOLLOWED: Final = _PAIR.replace("}]", ", ask_if: {a: yes}}]")
_DRAWN: Final = "ask: 1\nchances: {b: 3}"


@cache
def survey_of(epsilon: str, keys: str, questions: str = _PAIR) -> Survey:
    """Return a survey of two questions."""
    head = f"version: 1\nsurvey: two\ntitle: Two\nepsilon: {epsilon}\n{keys}\n"
    return read(f"{head}questions: {questions}\n").survey


def held(channel: Channel, n: int) -> FloatArray:
    """Compute how often the interval of the last answer's share holds it, for each of `SHARES`."""
    q0, q1 = np.sort(channel.probabilities[:, -1])[[0, -1]]
    x, q = np.arange(n + 1.0), q0 + (q1 - q0) * np.array(SHARES)[:, np.newaxis]
    low, high = proportion.feldman_cousins(x, n, LEVEL, q0, q1)
    within = (low <= q + 1e-9) & (q - 1e-9 <= high)
    return np.asarray((stats.binom.pmf(x, n, q) * within).sum(axis=1))


def drawn_share(epsilon: str, n: int) -> float:
    """Compute the least coverage of a share of those who are asked, one of four on average."""
    survey = survey_of(epsilon, _DRAWN)
    chance = float(survey.asked_shares[0])
    asked = stats.binom.pmf(np.arange(n + 1), n, chance)
    channel = survey.items[0].channel
    found = sum(asked[m] * held(channel, m) for m in range(1, n + 1)) / (1 - asked[0])
    return float(np.min(found))


def together_share(epsilon: str, n: int, *, of: str, questions: str = _PAIR) -> float:
    """Compute the least coverage of a share of what is answered to some questions of a group."""
    return float(held(_law(epsilon, of, questions), n).min())


def _law(epsilon: str, of: str, questions: str) -> Channel:
    group = "together: [a, b]" if questions == _PAIR else "together: [a, b, c]"
    (found,) = survey_of(epsilon, group, questions).groups
    return found.law(*of)[1]


def _drawn(
    problems: Callable[[str], list[Problem]], epsilon: str, n: int, draws: int = DRAWS
) -> float:
    return min(small_samples.cell(one, n, draws).coverage for one in problems(epsilon))


def _part(channel: Channel, truth: list[float], of: int, among: list[int]) -> Problem:
    one, all_ = np.eye(channel.truths)[of], np.eye(channel.truths)[among].sum(axis=0)
    ratio = inversion.Ratio(one, all_, for_values(channel, one), for_values(channel, all_))
    return Problem(f"{of} of {among}", channel.probabilities, np.array(truth), ratio)


def _rows(questions: str, epsilon: str) -> list[Problem]:
    """Shares of a row of the table of two questions of a group."""
    truths = [0.6, 0.1, 0.3, 0.0], [0.25, 0.25, 0.25, 0.25]
    return [_part(_law(epsilon, "ab", questions), truth, 3, [2, 3]) for truth in truths]


def _if_applies(epsilon: str) -> list[Problem]:
    """Shares among those to whom a question of a pair applies."""
    item = survey_of(epsilon, "together: [a, b]", _FOLLOWED).items[1]
    truths = [0.05, 0.25, 0.7], [0.3, 0.0, 0.7], [0.4, 0.4, 0.2]
    return [_part(item.channel, list(truth), 1, [0, 1]) for truth in truths]


def _means(epsilon: str) -> list[Problem]:
    return small_samples.means(designs.best_numeric(11, epsilon, distribution=False))


def drawn_change(epsilon: str, n: int) -> float:
    """Measure the least coverage of a change between two waves, in each of which half are asked.

    The device asks the same question in both, and keeps its noisy answers. Either nobody's answer
    changes more than it must for the shares to change, or all are drawn anew.
    """
    item = survey_of(epsilon, "ask: 1\nwaves: {count: 2, redraw: 1/8}").items[0]
    assert item.memory is not None
    permanent, again = item.memory.permanent.probabilities, item.memory.instantaneous.probabilities

    @cache
    def ends(asked: int, since: int, then: int) -> tuple[float, float]:
        counts = ([asked - then, then], [asked - since, since])
        low, high = difference(*counts, item.channel).interval(LEVEL, intervals.DEFAULT)[1]
        return float(low), float(high)

    least = 1.0
    for place, (share, later) in enumerate(CHANGES):
        for anew in (False, True):
            random = np.random.default_rng([n, place, anew, *epsilon.encode()])
            times, shown = 0, 0
            for _ in range(DRAWS):
                asked = int(random.binomial(n, 0.5))
                place_of = random.random(asked)
                truths = place_of < share, (random.random(asked) if anew else place_of) < later
                kept = random.random((asked, 2)) < permanent[:, 1]
                yes = []
                for truth in truths:
                    noisy = np.where(truth, kept[:, 1], kept[:, 0]).astype(np.intp)
                    yes.append(int((random.random(asked) < again[noisy, 1]).sum()))
                if asked:
                    low, high = ends(asked, *yes)
                    times += low - 1e-9 <= later - share <= high + 1e-9
                    shown += 1
            least = min(least, times / shown)
    return least


ROWS: Final[dict[str, Callable[[str, int], float]]] = {
    "share, one of four is asked": drawn_share,
    "share of an answer, of a pair": partial(together_share, of="a"),
    "share of a cell, of a pair": partial(together_share, of="ab"),
    "share of an answer, of three": partial(together_share, of="a", questions=_THREE),
    "share of two answers, of three": partial(together_share, of="ab", questions=_THREE),
    "share of a cell, of three": partial(together_share, of="abc", questions=_THREE),
    "share of a row, of a pair": partial(_drawn, partial(_rows, _PAIR)),
    "share of a row, of two of three": partial(_drawn, partial(_rows, _THREE), draws=4 * DRAWS),
    "share if it applies, of a pair": partial(_drawn, _if_applies),
    "mean of 11 levels, `mean_only`": partial(_drawn, _means),
    "change between waves, half are asked": drawn_change,
}
"""Each row of the table, and its least coverage at an ε and a number of people."""


def written(coverage: float) -> str:
    """Write it, rounded down, so that nothing is rounded up to a promise."""
    return f"{math.floor(1000 * coverage + 1e-9) / 1000:.3f}"


def lines() -> Iterator[str]:
    """Write the table."""
    heads = [f"ε = {epsilon}, n = {n}" for epsilon, n in CELLS]
    rows = ([name, *(written(found(*cell)) for cell in CELLS)] for name, found in ROWS.items())
    yield from markdown(["", *heads], rows)
