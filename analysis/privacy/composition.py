"""The joint privacy loss of several reports of one person, over items and waves.

A fixed noisy answer that is sent again is the same report, and reveals nothing more. A fresh draw
does: ε adds up over fresh draws, and so do Rényi divergences, order by order. If a small chance
delta of a greater loss is accepted, the loss grows only with the square root of the number of
draws.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable import exact
from deniable.analysis.counts.labels import whole
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.levels import check_choice
from deniable.analysis.privacy.divergence import renyi
from deniable.channel import Channel

# Range of the search for the order that converts best, as the excess over 1.
_LOWEST_ORDER: Final = 1e-6
_HIGHEST_ORDER: Final = 1e6


@dataclass(frozen=True)
class Composition:
    """The privacy loss of several reports that one person sends. Made by `compose`.

    Parameters
    ----------
    channels : tuple of Channel
        One for each randomised item.
    draws : int
        How often each item is randomised afresh.
    """

    channels: tuple[Channel, ...]
    draws: int

    @property
    def epsilon(self) -> float:
        """Joint ε of all reports: the sum over items and draws; `math.inf` if one is unbounded.

        It is exact, not a bound: the truths of all items may differ at once, and the draws are
        independent, so the largest ratio of the joint report is the product of the largest ratios.
        (As the ε of each item is rounded up, it may be up to 1e-6 per item and draw above the
        logarithm of that product.)
        """
        losses = self._losses
        return math.inf if losses is None else sum(losses) * self.draws / exact.MILLION

    def renyi(self, order: float) -> float:
        """Rényi divergence of all reports together, in nats: the sum over items and draws.

        See `deniable.analysis.privacy.divergence.renyi`; van Erven and Harremoës (2014), theorem
        28: the divergence of a product is the sum.
        """
        return self.draws * math.fsum(renyi(channel, order) for channel in self.channels)

    def epsilon_at(self, delta: float, method: str = "optimal") -> float:
        r"""Return an ε for which (ε, δ)-privacy holds with δ = `delta`.

        Parameters
        ----------
        delta : float
            Above 0, below 1.
        method : {"optimal", "renyi", "advanced", "basic"}
            `basic` is the sum of all ε, whatever `delta`. `advanced` bounds the loss as a sum of
            independent terms, :math:`\sum \epsilon_i \tanh(\epsilon_i / 2) + \sqrt{2 \ln(1 /
            \delta) \sum \epsilon_i^2}`. `renyi` converts the Rényi divergence at its best order.
            `optimal` is the least ε that holds for *all* designs with these ε, and exact for binary
            symmetric designs (Warner's): no better bound follows from the ε alone. `renyi` uses the
            channels themselves, so it may be less for k-ary designs.

        Returns
        -------
        float
            Never above the sum of all ε.

        References
        ----------
        Kairouz, P., Oh, S. and Viswanath, P. (2015). The composition theorem for differential
        privacy. ICML: theorem 3.3 (`optimal`), theorem 3.5 (`advanced`). Mironov, I. (2017), see
        `renyi`. Canonne, C. L., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for
        differential privacy. NeurIPS, proposition 12: the conversion.

        Examples
        --------
        >>> from deniable import designs
        >>> year = compose([designs.warner(epsilon="0.1")], waves=365)
        >>> year.epsilon
        36.5
        >>> round(year.epsilon_at(1e-6), 2)
        10.31
        """
        if not 0 < delta < 1:
            raise ValueError(f"expected a delta above 0 and below 1, such as 1e-6, found {delta}")
        check_choice(method, _METHODS, "a method")
        if self._losses is None:
            raise ValueError("expected a bounded epsilon of every item, found an unbounded one")
        return min(self.epsilon, _METHODS[method](self, delta))

    @property
    def _losses(self) -> list[int] | None:
        """ε of each item in millionths, or None if one is unbounded."""
        losses = [channel.epsilon_millionths for channel in self.channels]
        bounded = [loss for loss in losses if loss is not None]
        return bounded if len(bounded) == len(losses) else None

    @cached_property
    def loss_distribution(self) -> tuple[FloatArray, FloatArray]:
        """The privacy loss of all draws under binary symmetric noise of these ε, and its chances.

        The losses, descending, as sums over all items and draws, and their probabilities.
        """
        if self._losses is None:
            raise ValueError("expected a bounded epsilon of every item, found an unbounded one")
        # In millionths the sums are integers, so equal sums merge without rounding.
        loss: npt.NDArray[np.int64] = np.zeros(1, dtype=np.int64)
        chance: FloatArray = np.ones(1)
        for each in self._losses * self.draws:
            true = 1 / (1 + math.exp(-each / exact.MILLION))
            both = np.concatenate([loss + each, loss - each])
            loss, place = np.unique(both, return_inverse=True)
            weights = np.concatenate([chance * true, chance * (1 - true)])
            chance = np.asarray(np.bincount(place, weights=weights), dtype=np.float64)
        return loss[::-1] / exact.MILLION, chance[::-1]


def compose(
    channels: Iterable[Channel], *, waves: int = 1, remembered: bool = False
) -> Composition:
    """Return the joint privacy loss of answering several items, in one or more waves.

    Parameters
    ----------
    channels : iterable of Channel
        One for each randomised item; the draws of different items are independent.
    waves : int
        Number of times that every item is asked, at least 1.
    remembered : bool
        Whether the device remembers the noisy answer of the first wave and sends it again. Further
        waves then reveal nothing more. Otherwise each wave draws afresh, and the truths may differ
        between waves.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, section
    3.5. Erlingsson, Ú., Pihur, V. and Korolova, A. (2014). RAPPOR. CCS, section 3: the remembered
    ("permanent") report.

    Examples
    --------
    >>> from deniable import designs
    >>> five = [designs.warner(epsilon="0.6")] * 5
    >>> compose(five).epsilon, compose(five, waves=4).epsilon
    (3.0, 12.0)
    >>> compose(five, waves=4, remembered=True).epsilon
    3.0
    """
    items = tuple(channels)
    if not items:
        raise ValueError("expected at least one channel, found none")
    whole(waves, "wave")
    return Composition(items, 1 if remembered else waves)


def _advanced(composition: Composition, delta: float) -> float:
    epsilons = np.array([channel.epsilon for channel in composition.channels])
    # Hoeffding's inequality: each loss lies in [-ε, ε], with a mean of ε tanh(ε / 2) at most.
    mean = composition.draws * float(epsilons @ np.tanh(epsilons / 2))
    return mean + math.sqrt(
        2 * math.log(1 / delta) * composition.draws * float(epsilons @ epsilons)
    )


def _renyi(composition: Composition, delta: float) -> float:
    def converted(log_excess: float) -> float:
        order = 1 + math.exp(log_excess)
        return (
            composition.renyi(order)
            + math.log1p(-1 / order)
            - (math.log(delta) + math.log(order)) / (order - 1)
        )

    # Every order gives a valid ε, so a search that misses the best order is still right.
    best = scipy.optimize.minimize_scalar(
        converted, bounds=(math.log(_LOWEST_ORDER), math.log(_HIGHEST_ORDER)), method="bounded"
    )
    return max(0.0, float(best.fun))


def _optimal(composition: Composition, delta: float) -> float:
    loss, chance = composition.loss_distribution
    place = bisect_right(
        range(len(loss)), delta, key=lambda j: _hockey_stick(loss, chance, float(loss[j]))
    )
    if place == len(loss):
        return 0.0
    # Between two consecutive losses, δ(ε) = A - B e^(ε - loss).
    A = float(chance[:place].sum())
    B = float(chance[:place] @ np.exp(loss[place] - loss[:place]))
    return max(0.0, float(loss[place]) + math.log((A - delta) / B))


def _hockey_stick(loss: FloatArray, chance: FloatArray, epsilon: float) -> float:
    above = loss > epsilon
    return float(-np.expm1(epsilon - loss[above]) @ chance[above])


_METHODS: Final[Mapping[str, Callable[[Composition, float], float]]] = {
    "optimal": _optimal,
    "renyi": _renyi,
    "advanced": _advanced,
    "basic": lambda composition, _: composition.epsilon,
}
