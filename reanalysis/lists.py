r"""List experiments, for data that were already collected.

Half of the people, drawn at random, count how many of several harmless statements are true of them
(the short list); the other half has the sensitive statement on its list too (the long list). The
difference of the mean counts estimates the share of people for whom the sensitive statement is
true. Also known as the item count or unmatched count technique.

No noise is added, so nothing bounds what a count reveals: a count of none or all on a long list
reveals the sensitive answer. So ε is unbounded; this module reads such data, but no survey collects
them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from deniable.analysis.estimated import Normal
from deniable.analysis.numerics.arrays import FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class ListShare(Normal):
    """An estimated share, shape (). Made by the functions of this module.

    Parameters
    ----------
    n : tuple of int
        Number of people with the short list, and with the long list.
    degrees_of_freedom : float
        Welch and Satterthwaite's.
    """

    n: tuple[int, int]

    @classmethod
    def of(
        cls, share: float, error: float, n: tuple[int, int], freedom: float | FloatArray
    ) -> ListShare:
        """Return a share with its error."""
        return cls(np.array(share), np.array(error), degrees_of_freedom=freedom, n=n)

    def p_value(self, of: float = 0.0) -> FloatArray:
        """Two-sided p-value of a share, by the normal distribution as in the R package list."""
        return Normal(self.theta, self.standard_error).p_value(of)


@dataclass(frozen=True)
class CombinedList:
    """A list experiment with a direct question. Made by `combined_list`.

    Parameters
    ----------
    combined : ListShare
        From both questions.
    direct : ListShare
        Share that said yes to the direct question; its interval is Wald's.
    conventional : ListShare
        From the lists alone.
    among_yes : ListShare or None
        From the lists, among people who said yes directly. Far from 1 (``p_value(1)``) the
        assumptions fail: placebo test I. None if fewer than two people in a half said yes.
    of_list : ListShare
        Share of a direct yes after the long list less that after the short list. Far from 0 the
        list has changed the direct answers: placebo test II.
    """

    combined: ListShare
    direct: ListShare
    conventional: ListShare
    among_yes: ListShare | None = field(repr=False)
    of_list: ListShare = field(repr=False)


def list_share(counts: npt.ArrayLike, long: npt.ArrayLike) -> ListShare:
    """Estimate a share by the difference of the mean counts.

    Parameters
    ----------
    counts : array_like of int, shape (n,)
        Number of statements that each person counted as true.
    long : array_like of bool, shape (n,)
        Whether each person's list had the sensitive statement.

    References
    ----------
    Blair, G. and Imai, K. (2012). Statistical analysis of list experiments. Political Analysis 20,
    47-77.

    Examples
    --------
    >>> found = list_share([1, 2, 2, 3, 1, 2, 1, 2], [1, 1, 1, 1, 0, 0, 0, 0])
    >>> print(found.theta, found.standard_error)
    0.5 0.5
    """
    y, t = _check_counts(counts, long)
    return _difference(y, t)


def double_list(first: npt.ArrayLike, second: npt.ArrayLike, long: npt.ArrayLike) -> ListShare:
    """Estimate a share from two lists; each person has one long and one short list.

    Parameters
    ----------
    first, second : array_like of int, shape (n,)
        The counts of each person on both lists.
    long : array_like of bool, shape (n,)
        Whether each person's first list was the long list; otherwise the second was.

    Notes
    -----
    A person's counts on both lists are correlated, so their difference has less variance than
    either count: the share is half the difference of its means in the two halves.

    References
    ----------
    Droitcour, J. and others (1991). The item count technique as a method of indirect questioning.
    In Measurement Errors in Surveys, 185-210. Glynn, A. N. (2013). What can we learn with
    statistical truth serum? Public Opinion Quarterly 77, 159-172.
    """
    y, t = _check_counts(first, long)
    other, _ = _check_counts(second, long)
    whole = _difference(y - other, t)
    return replace(whole, theta=whole.theta / 2, standard_error=whole.standard_error / 2)


def combined_list(
    counts: npt.ArrayLike, long: npt.ArrayLike, direct: npt.ArrayLike
) -> CombinedList:
    r"""Estimate a share from a list experiment and a direct question.

    Parameters
    ----------
    counts, long
        As for `list_share`.
    direct : array_like of bool, shape (n,)
        Whether each person said yes when asked directly.

    Notes
    -----
    The estimate believes a direct yes, and uses the lists for the other people: the share is
    :math:`\bar d + (1 - \bar d) \hat\beta_0`, with :math:`\hat\beta_0` the difference of the mean
    counts among people who said no. It assumes that nobody says yes falsely, and that the list does
    not change the direct answer. Then in large samples it is at least as precise as the lists
    alone. The variance is that of the R package list.

    References
    ----------
    Aronow, P. M., Coppock, A., Crawford, F. W. and Green, D. P. (2015). Combining list experiment
    and direct question estimates of sensitive behavior prevalence. Journal of Survey Statistics and
    Methodology 3, 43-66.
    """
    y, t = _check_counts(counts, long)
    d = _zero_one(direct, "direct answers")
    if len(d) != len(y):
        raise ValueError(f"expected {len(y)} direct answers, one a count, found {len(d)}")
    n, yes = len(y), float(d.mean())
    silent = _difference(y[~d], t[~d], "people who said no to the direct question")
    share = yes + (1 - yes) * float(silent.theta)
    halves = [float(y[~d & half].var(ddof=1)) for half in (t, ~t)]
    part = float(t.mean())
    spread = halves[0] / part + halves[1] / (1 - part)
    variance = ((1 - share) ** 2 * yes / (1 - yes) + (1 - yes) * spread) / n
    people = (int((~t).sum()), int(t.sum()))
    admitted = all(int((d & half).sum()) > 1 for half in (t, ~t))
    return CombinedList(
        ListShare.of(share, math.sqrt(variance), people, silent.degrees_of_freedom),
        ListShare.of(yes, math.sqrt(float(d.var(ddof=1)) / n), people, math.inf),
        _difference(y, t),
        _difference(y[d], t[d]) if admitted else None,
        _difference(d.astype(np.float64), t),
    )


def _difference(y: FloatArray, t: npt.NDArray[np.bool_], who: str = "people") -> ListShare:
    """Return the mean count of the long list less that of the short list, with Welch's error."""
    short, long = y[~t], y[t]
    if min(len(short), len(long)) < 2:
        raise ValueError(
            f"expected two {who} at least with each list, found {len(short)} with the short one "
            f"and {len(long)} with the long one"
        )
    parts = [float(half.var(ddof=1)) / len(half) for half in (short, long)]
    # (a + b)² / (a² / (n - 1) + b² / (m - 1)); without any spread it is infinite.
    below = sum(part**2 / (len(half) - 1) for part, half in zip(parts, (short, long), strict=True))
    freedom = sum(parts) ** 2 / below if below else math.inf
    share = float(long.mean() - short.mean())
    return ListShare.of(share, math.sqrt(sum(parts)), (len(short), len(long)), freedom)


def _check_counts(
    counts: npt.ArrayLike, long: npt.ArrayLike
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    y = np.asarray(counts, dtype=np.float64)
    bad = np.flatnonzero(~((y >= 0) & (y == np.floor(y)))) if y.ndim == 1 else [0]
    if y.ndim != 1 or len(bad):
        found = y[bad[0]] if y.ndim == 1 else f"an array of shape {y.shape}"
        raise ValueError(f"expected how many statements each person counted, found {found}")
    t = _zero_one(long, "lists")
    if len(t) != len(y):
        raise ValueError(f"expected {len(y)} lists, one a count, found {len(t)}")
    return y, t


def _zero_one(values: npt.ArrayLike, what: str) -> npt.NDArray[np.bool_]:
    array = np.asarray(values)
    bad = array[~np.isin(array, (0, 1))]
    if array.ndim != 1 or len(bad):
        raise ValueError(f"expected {what} of 0 and 1, a row, found {(bad.tolist() or [array])[0]}")
    return array.astype(np.bool_)
