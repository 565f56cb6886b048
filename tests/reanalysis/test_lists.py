"""List experiments, against the digits that the R package list 9.2.6 and R's t.test print.

The counts are those of `combinedListExps` (Aronow, Coppock, Crawford and Green 2015), its first
list, where the direct question came first: ``combinedListDirect(list1N ~ list1treat, ...)``.
"""

import numpy as np
import pytest

from deniable.reanalysis.lists import CombinedList, combined_list, double_list, list_share
from deniable.reanalysis.told import list_result

# By the direct answer, and by the count: how many had the short list, and how many the long one.
FIRST = {
    0: {1: (3, 0), 2: (30, 26), 3: (36, 31), 4: (27, 17), 5: (0, 2)},
    1: {1: (2, 0), 2: (35, 7), 3: (69, 42), 4: (53, 40), 5: (0, 80)},
}
ROWS = np.array(
    [
        (count, long, direct)
        for direct, counts in FIRST.items()
        for count, people in counts.items()
        for long in (0, 1)
        for _ in range(people[long])
    ]
)


def both() -> CombinedList:
    return combined_list(*ROWS.T)


def test_the_digits_are_those_of_the_package_list() -> None:
    found = both()
    printed = {
        "combined": (0.6656184210526, 0.0484034315117),
        "direct": (0.656, 0.021265758038),
        "conventional": (0.7477390956383, 0.0844101001122),
        "among_yes": (1.05396151985, 0.0945273379852),
        "of_list": (0.0662665066026, 0.0424397471855),
    }
    for name, digits in printed.items():
        one = getattr(found, name)
        assert (one.share, one.standard_error) == pytest.approx(digits, abs=1e-11), name
    assert found.among_yes is not None
    assert found.among_yes.p_value(1) == pytest.approx(0.568097102604, abs=1e-11)
    assert found.of_list.p_value() == pytest.approx(0.118423371726, abs=1e-11)
    # t.test(list1N ~ list1treat)
    assert found.conventional.degrees_of_freedom == pytest.approx(455.4910166831289)
    ends = found.conventional.interval()
    assert list(ends) == pytest.approx([0.5818575673484, 0.9136206239281], abs=1e-11)
    assert list(list_share(*ROWS.T[:2]).interval()) == list(ends)


def test_a_double_list_is_half_a_t_test() -> None:
    """``t.test((y1 - y2)[T == 1], (y1 - y2)[T == 0])`` of R 4.2.2, halved."""
    apart = {-2: (6, 0), -1: (31, 22), 0: (42, 33), 1: (19, 34), 2: (0, 13)}
    pairs = [(d, t) for d, people in apart.items() for t in (0, 1) for _ in range(people[t])]
    difference, long = np.array(pairs).T
    found = double_list(difference + 3, np.full(len(long), 3), long)
    assert (found.share, found.standard_error, found.degrees_of_freedom) == pytest.approx(
        (0.3087234893958, 0.0637876819324, 196.0706292695919), abs=1e-12
    )
    assert list(found.interval()) == pytest.approx([0.1829254539324, 0.4345215248591], abs=1e-11)


@pytest.mark.parametrize(
    ("columns", "wrong"),
    [
        (([1, 2.5, 3, 1], [0, 1, 0, 1]), "found 2.5"),
        (([1, 2, 3, 1], [0, 1, 2, 1]), "found 2"),
        (([1, 2, 3, 1], [0, 1, 0]), "expected 4 lists, one a count, found 3"),
        (([1, 2, 3, 1], [0, 0, 0, 1]), "found 3 with the short one and 1 with the long one"),
        (([1, 2, 3, 1], [0, 1, 0, 1], [1, 1, 1, 0]), "who said no to the direct question"),
    ],
)
def test_what_is_no_list_experiment_is_refused(columns: tuple[list[int], ...], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        (list_share if len(columns) == 2 else combined_list)(*columns)


def test_counts_that_are_all_alike_have_no_interval() -> None:
    found = list_share([2, 2, 2, 2], [0, 1, 0, 1])
    assert np.isnan(found.interval()).all()
    assert "No interval" in str(list_result("a.csv", "count", 0, found, 0.95))


def test_a_failed_assumption_is_said() -> None:
    changed = ROWS.copy()
    changed[:, 2] = np.where(ROWS[:, 1] == 1, 0, ROWS[:, 2])  # nobody admits after the long list
    shown = str(list_result("a.csv", "count", 0, combined_list(*changed.T), 0.95))
    assert shown.count("do not use both together") == 1
    assert "do not use both together" not in str(list_result("a.csv", "count", 0, both(), 0.95))
