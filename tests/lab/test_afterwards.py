"""After the noise: nothing that is done makes a loss larger, by sums over all noisy counts."""

import math
from collections import defaultdict
from collections.abc import Callable

import pytest

from deniable.lab.afterwards import PAGE, law
from deniable.lab.mechanisms import geometric
from tests.lab.shown import picture, values

AFTER: dict[str, Callable[[int], float]] = {
    "nothing": lambda y: y,
    "cut": lambda y: min(max(y, 0), 20),
    "fives": lambda y: 5 * math.floor(y / 5 + 0.5),
    "more": lambda y: y > 10,
    "odd": lambda y: y % 2,
    "double": lambda y: 2 * y,
    "forget": lambda y: 7,
}


def enumerated(after: str, count: int, epsilon: float) -> dict[float, float]:
    """Return the law of what is printed, by all noisy counts that matter."""
    alpha, found = math.exp(-epsilon), defaultdict[float, float](float)
    for noise in range(-600, 601):
        chance = (1 - alpha) / (1 + alpha) * alpha ** abs(noise)
        found[AFTER[after](count + noise)] += chance
    return found


@pytest.mark.parametrize("after", AFTER)
@pytest.mark.parametrize(("epsilon", "count"), [("0.5", "3"), ("1", "7")])
def test_the_losses_are_those_of_an_enumeration(after: str, epsilon: str, count: str) -> None:
    without, joined = (
        enumerated(after, each, float(epsilon)) for each in (int(count), int(count) + 1)
    )
    # What is printed with less than 1e-60 is left out here: the two ends of the list.
    logs = {y: math.log(joined[y] / chance) for y, chance in without.items() if chance > 1e-60}
    found = values(PAGE, after=after, epsilon=epsilon, count=count)
    assert found["loss_before"] == pytest.approx(float(epsilon))
    assert found["loss_after"] == pytest.approx(max(map(abs, logs.values())), abs=1e-9)
    assert found["average_after"] == pytest.approx(
        sum(joined[y] * loss for y, loss in logs.items()), abs=1e-9
    )
    assert found["loss_after"] <= found["loss_before"] + 1e-9
    assert found["average_after"] <= found["average_before"] + 1e-9


def test_the_average_loss_of_the_noisy_count_has_a_closed_form() -> None:
    # ε where the noise is at most 0, and -ε above it: (1 - α)/(1 + α) of ε together.
    found = values(PAGE, epsilon="0.5")
    assert found["average_before"] == pytest.approx(0.5 * math.tanh(0.25))


def test_no_noisy_count_is_left_out() -> None:
    for epsilon, count in ((0.1, 0), (2, 19)):
        assert law(count, epsilon).sum() == pytest.approx(1, abs=1e-12)
    assert geometric(1, 60).sum() == pytest.approx(1)


def test_all_that_can_be_done_stands_in_the_last_picture() -> None:
    bars = picture(PAGE, "all", epsilon="1", count="7").series[0]
    assert len(bars.y) == len(AFTER)
    assert max(bars.y) <= 1 + 1e-9
    assert min(bars.y) == 0
