"""Links: how a linear predictor becomes the probability of a yes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

import numpy as np
import scipy

from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.levels import check_choice

_Function: TypeAlias = Callable[[FloatArray], FloatArray]

# exp(700) is still a number, and 1 - F of the complementary log-log link is 0 long before it.
_LARGEST_EXPONENT: Final = 700.0


@dataclass(frozen=True)
class Link:
    """A distribution function F of the linear predictor, with all that its likelihood needs.

    `name`: as it is asked for. `cdf`, `survival`: ``F`` and ``1 - F``, each accurate in its own
    tail. `density`, `slope`: the first and second derivative of ``F``. `quantile`: the linear
    predictor that gives a probability between 0 and 1.
    """

    name: str
    cdf: _Function
    survival: _Function
    density: _Function
    slope: _Function
    quantile: _Function


def _logistic_density(eta: FloatArray) -> FloatArray:
    return scipy.special.expit(eta) * scipy.special.expit(-eta)


def _normal_density(eta: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-np.square(eta) / 2) / np.sqrt(2 * np.pi))


def _hazard(eta: FloatArray) -> FloatArray:
    return np.exp(np.minimum(eta, _LARGEST_EXPONENT))


def _cloglog_density(eta: FloatArray) -> FloatArray:
    return _hazard(eta) * np.exp(-_hazard(eta))


def _cauchy_density(eta: FloatArray) -> FloatArray:
    return 1 / (np.pi * (1 + np.square(eta)))


def _cauchy_cdf(eta: FloatArray) -> FloatArray:
    # 1/2 + arctan(eta) / pi, without the cancellation in the lower tail.
    return np.arctan2(1.0, -eta) / np.pi


LINKS: Final[Mapping[str, Link]] = MappingProxyType(
    {
        link.name: link
        for link in (
            Link(
                name="logit",
                cdf=lambda eta: scipy.special.expit(eta),  # noqa: PLW0108  loads it at the first call
                survival=lambda eta: scipy.special.expit(-eta),
                density=_logistic_density,
                slope=lambda eta: -_logistic_density(eta) * np.tanh(eta / 2),  # f (1 - 2 F)
                quantile=lambda share: scipy.special.logit(share),  # noqa: PLW0108  loads it at the first call
            ),
            Link(
                name="probit",
                cdf=lambda eta: scipy.special.ndtr(eta),  # noqa: PLW0108  loads it at the first call
                survival=lambda eta: scipy.special.ndtr(-eta),
                density=_normal_density,
                slope=lambda eta: -eta * _normal_density(eta),
                quantile=lambda share: scipy.special.ndtri(share),  # noqa: PLW0108  loads it at the first call
            ),
            Link(
                name="cloglog",
                cdf=lambda eta: -np.expm1(-_hazard(eta)),
                survival=lambda eta: np.exp(-_hazard(eta)),
                density=_cloglog_density,
                slope=lambda eta: _cloglog_density(eta) * (1 - _hazard(eta)),
                quantile=lambda share: np.log(-np.log1p(-share)),
            ),
            Link(
                name="cauchit",
                cdf=_cauchy_cdf,
                survival=lambda eta: _cauchy_cdf(-eta),
                density=_cauchy_density,
                slope=lambda eta: -2 * eta / (1 + np.square(eta)) * _cauchy_density(eta),
                quantile=lambda share: np.tan(np.pi * (share - 0.5)),
            ),
        )
    }
)
"""The links by the names under which a regression is asked for them."""


def find_link(name: str) -> Link:
    """Return the link of that name."""
    check_choice(name, LINKS, "a link")
    return LINKS[name]
