"""Results are asked in one way: ``interval(level, method)``, ``p_value``."""

import inspect
from collections.abc import Iterator

import numpy as np
import pytest

from deniable import analysis as da
from deniable import designs, reanalysis

ROOMS = (da, da.planning, da.sampling, reanalysis, reanalysis.scrambling)
COINS = designs.warner(flip="1/4")


def results() -> Iterator[type]:
    """Yield the classes that the packages offer."""
    found = {
        each
        for room in ROOMS
        for name, each in ((name, getattr(room, name)) for name in dir(room))
        if inspect.isclass(each) and name[0] != "_"
    }
    return iter(sorted(found, key=lambda each: each.__qualname__))


INTERVALS = [each for each in results() if callable(getattr(each, "interval", None))]


def test_there_are_many_results_with_an_interval() -> None:
    assert len(INTERVALS) >= 21


@pytest.mark.parametrize("result", INTERVALS)
def test_an_interval_is_asked_for_by_level_and_then_method(result: type) -> None:
    asked = inspect.signature(result.interval)  # type: ignore[attr-defined]  # the list has it
    _, level, *others = asked.parameters.values()
    assert (level.name, level.default) == ("level", 0.95)
    by_place = [other.name for other in others if other.kind is not other.KEYWORD_ONLY]
    assert by_place in ([], ["method"])
    assert asked.return_annotation in ("FloatArray", "npt.NDArray[np.float64]")


@pytest.mark.parametrize("result", list(results()))
def test_nothing_is_asked_for_by_another_verb(result: type) -> None:
    others = {"confidence_interval", "conf_int", "ci", "wald", "profile", "p_values", "pvalue"}
    assert not others & set(dir(result))


@pytest.mark.parametrize("result", [each for each in results() if hasattr(each, "p_value")])
def test_a_p_value_is_a_method_only_where_there_is_something_to_choose(result: type) -> None:
    p_value = inspect.getattr_static(result, "p_value")
    if inspect.isfunction(p_value):
        assert len(inspect.signature(p_value).parameters) > 1


def test_lower_and_upper_ends_are_the_last_axis() -> None:
    X, reports = np.ones((200, 1)), np.repeat([0, 1], [110, 90])
    table = da.crosstab([[90, 60], [50, 100]], [COINS, COINS])
    regression = da.regress(reports, X, COINS)
    people = da.sampling.debiased_shares(reports, COINS)
    every = {
        "shares": (da.estimate([110, 90], COINS), (2,)),
        "mean": (da.estimate_mean([110, 90], COINS, [0, 1]), ()),
        "difference": (da.difference([110, 90], [90, 110], COINS), (2,)),
        "ratio": (da.ratio([110, 90], [90, 110], COINS), (2,)),
        "odds ratio": (da.odds_ratio([110, 90], [90, 110], COINS), (2,)),
        "pairwise": (da.pairwise([[110, 90], [90, 110], [99, 101]], COINS), (3, 2)),
        "crosstab": (table, (2, 2)),
        "conditional": (table.conditional(1), (2, 2)),
        "correlation": (da.correlation([[90, 60], [50, 100]], [COINS, COINS]), ()),
        "applicable": (da.applicable_shares([60, 60, 80], designs.k_ary(3, 2), 2), (3,)),
        "compliance": (da.compliance([130, 70], COINS, [1, 0]), (2,)),
        "sampling": (da.sampling.mean(people, da.sampling.sampling_design([5] * 200)), (2,)),
        "coefficients": (regression, (1,)),
        "odds ratios": (regression.odds_ratios(), (1,)),
        "prediction": (regression.predict([[1], [1]]), (2,)),
    }
    for name, (result, shape) in every.items():
        ends = result.interval(0.9)  # type: ignore[attr-defined]  # of classes without a common base
        assert ends.shape == (*shape, 2), name
        low, high = ends[..., 0], ends[..., 1]
        assert ((low <= high) | np.isnan(low)).all(), name
