"""How an estimate depends on the behaviour of people who do not follow the design."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from deniable import exact
from deniable.analysis.counts.labels import Codes, Counts
from deniable.analysis.estimation import Estimate, estimate
from deniable.analysis.numerics.arrays import FloatArray
from deniable.channel import ROW_SUM, Channel


def contaminated(
    channel: Channel, share: exact.Number, behaviour: Sequence[exact.Number] | None = None
) -> Channel:
    """Return the channel of a design that a share of the respondents does not follow.

    Parameters
    ----------
    channel : Channel
        The channel of respondents who follow the design.
    share : number
        Share of the respondents who do not follow it, 0 to 1.
    behaviour : sequence of numbers, shape (reports,), optional
        The probabilities of the reports that they send instead, summing to 1. By default all are
        equally likely; see `always` for people who always send the same report.

    Returns
    -------
    Channel
        It works wherever a channel does: estimates, intervals, planning.

    Examples
    --------
    >>> from deniable import designs
    >>> contaminated(designs.warner(flip="1/4"), "1/5").probabilities
    array([[0.7, 0.3],
           [0.3, 0.7]])
    """
    astray = exact.probability(share, "the share that does not follow the design")
    sent = check_behaviour(channel, behaviour)
    return Channel.from_probabilities(
        [
            [(1 - astray) * Fraction(weight, ROW_SUM) + astray * chance for weight, chance in mixed]
            for mixed in (zip(row, sent, strict=True) for row in channel.weights)
        ]
    )


def always(channel: Channel, report: int) -> tuple[Fraction, ...]:
    """Return the behaviour of people who send the same report whatever the instructions.

    Parameters
    ----------
    report : int
        Index of a column; the column of no for self-protective answers.

    References
    ----------
    Böckenholt, U. and van der Heijden, P. G. M. (2007). Item randomized-response models for
    measuring noncompliance. Psychometrika 72, 245-262: self-protective no-sayers.
    """
    if not 0 <= report < channel.reports:
        raise ValueError(f"expected a report from 0 to {channel.reports - 1}, found {report}")
    return tuple(Fraction(column == report) for column in range(channel.reports))


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Estimates by the assumed share that does not follow the design. Made by `sensitivity`.

    Parameters
    ----------
    shares : ndarray, shape (m,)
        The assumed shares of respondents who do not follow it.
    estimates : tuple of Estimate, length m
        Estimates of the truths' shares, under each assumption.
    """

    shares: FloatArray
    estimates: tuple[Estimate, ...]

    @property
    def theta(self) -> FloatArray:
        """Estimated shares of the truths, shape (m, truths)."""
        return np.array([one.theta for one in self.estimates])

    @property
    def bounds(self) -> FloatArray:
        """Bounds of the truths' shares if following the design may depend on the truth.

        `theta` are then the shares among people who follow it. Among all people, the share of a
        truth is lowest if none of the others has this truth, and highest if all of them have; shape
        (m, truths, 2).
        """
        lowest = (1 - self.shares[:, np.newaxis]) * self.theta
        return np.stack([lowest, lowest + self.shares[:, np.newaxis]], axis=-1)


def sensitivity(
    counts: Counts,
    channel: Channel,
    shares: Sequence[exact.Number] = ("0", "0.05", "0.1", "0.15", "0.2", "0.25", "0.3"),
    *,
    behaviour: Sequence[exact.Number] | None = None,
    codes: Codes | None = None,
) -> Sensitivity:
    """Estimate the shares of the truths under several assumed shares that do not comply.

    Parameters
    ----------
    counts, codes
        As for `deniable.analysis.estimation.estimate`.
    shares : sequence of numbers
        Assumed shares of respondents who do not follow the design; at least 0, below 1.
    behaviour : sequence of numbers, shape (reports,), optional
        The reports that they send instead; see `contaminated`.

    References
    ----------
    Atsusaka and Stevenson (2023), see `compliance`; section 4.3, the sensitivity analysis for
    surveys without a control item.

    Examples
    --------
    >>> from deniable import designs
    >>> curve = sensitivity([660, 340], designs.warner(flip="1/4"), ["0", "0.1", "0.2"])
    >>> curve.theta[:, 1].round(3)
    array([0.18 , 0.144, 0.1  ])
    """
    if not len(shares):
        raise ValueError("expected at least one share, found none")
    assumed = [exact.probability(share, "a share that does not follow") for share in shares]
    if max(assumed) == 1:
        raise ValueError("expected shares below 1, found 1: nobody would follow the design")
    return Sensitivity(
        np.array([float(share) for share in assumed]),
        tuple(
            estimate(counts, contaminated(channel, share, behaviour), codes=codes)
            for share in assumed
        ),
    )


def check_behaviour(
    channel: Channel, behaviour: Sequence[exact.Number] | None
) -> tuple[Fraction, ...]:
    """Return the report probabilities of people who do not comply; by default all equal."""
    if behaviour is None:
        return (Fraction(1, channel.reports),) * channel.reports
    return distribution(behaviour, channel.reports, "behaviour", "report")


def distribution(
    values: Sequence[exact.Number], length: int, name: str, each: str
) -> tuple[Fraction, ...]:
    """Return probabilities as fractions, and reject those that do not sum to 1."""
    if len(values) != length:
        raise ValueError(
            f"expected a {name} of {length} probabilities that sum to 1, one for each {each}, "
            f"found {len(values)}"
        )
    whole, one = f"probabilities of the {name}", f"a probability of the {name}"
    return tuple(exact.distribution(values, whole, one))
