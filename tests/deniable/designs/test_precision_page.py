"""What ``docs/precision.md`` says of the designs chosen by default."""

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks import precision
from deniable import designs
from deniable.estimator import variance

TEXT = (Path(__file__).parents[3] / "docs" / "precision.md").read_text(encoding="utf-8")
LINES = TEXT.splitlines()


def cells() -> Iterator[tuple[int, float, float, float]]:
    """Yield the answers, ε, and the two figures of each cell of the first table."""
    second = next(at for at, line in enumerate(LINES) if "least, with 254 sets" in line)
    for line in LINES[:second]:
        if re.match(r"\| \d", line):
            first, *others = line.strip("| ").split(" | ")
            for epsilon, cell in zip(precision.EPSILONS, others, strict=True):
                average, worst = map(float, cell.split())
                yield int(first), float(epsilon), average, worst


def test_where_sets_fit_the_limit_is_reached_and_elsewhere_it_is_near() -> None:
    found = list(cells())
    assert len(found) == 6 * 182
    for k, epsilon, average, worst in found:
        size = min(range(1, k), key=lambda d: abs(math.log(d / (k - d)) + epsilon))
        if max(math.comb(k, size), math.comb(k, size + 1)) <= 254:
            assert (average, worst) == (1, 1)
        assert average <= (1.2 if epsilon == 4 and k > 113 else 1.13)
        assert average <= worst <= average + 0.05


def test_no_sets_of_one_size_in_a_byte_come_near_the_limit_at_a_large_epsilon() -> None:
    for k in range(114, 184, 7):
        assert precision.bound(k, 4) > 1.13 * designs.subset_selection(k, 4)
    assert set(precision.bounds()) <= set(LINES)
    # Where there is a set for each line of a plane, the bound is what the plane has.
    plane = designs.block_design(183, 2, "planar-183")
    assert precision.least_of_sets(183, 14, 2, 183) == pytest.approx(variance(plane), rel=1e-5)


@pytest.mark.parametrize(
    ("printed", "counts"),
    [
        (precision.answers, [3, 10, 20]),
        (precision.numbers, [3, 8]),
        pytest.param(precision.answers, [*range(2, 184)], marks=pytest.mark.evidence),
        pytest.param(precision.numbers, [*range(2, 22)], marks=pytest.mark.evidence),
    ],
)
def test_the_tables_are_what_the_command_prints(
    printed: Callable[[list[int]], Iterator[str]], counts: list[int]
) -> None:
    assert set(printed(counts)) <= set(LINES)


@pytest.mark.evidence
def test_finer_grids_are_what_the_command_prints() -> None:
    assert {*precision.grids(), *precision.shares()} <= set(LINES)


def test_few_words_are_written_by_hand() -> None:
    assert len(re.sub(r"(?m)^\|.*", "", TEXT).split()) <= 290
