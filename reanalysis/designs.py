"""Designs with a nuisance: several arms over one population.

Some designs have an unknown parameter: how often the innocuous question is true, how many people
cheat and say no whatever the die shows. One channel cannot distinguish it from the sensitive rate.
Two can: the respondents are split at random between **arms**, each with its own channel, over a
*common latent truth* whose classes are finer than yes and no.

A constructor here returns an `Arms`: the names of the latent classes, one channel for each arm, and
the shares of interest, each a sum over classes. Reports are no and yes, in that order.
`deniable.reanalysis.arms.estimate_arms` makes the estimates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Final

from deniable import designs, exact
from deniable.channel import Channel, identity
from deniable.designs.by_name import READERS, arguments_of
from deniable.exact import Number
from deniable.text.doors import placed

# The parameter that adds a direct question to any design.
_DIRECT: Final = "direct"


@dataclass(frozen=True)
class Share:
    """An estimated share of the population: a linear functional of the classes.

    `classes`: the value of each latent class, 1 or 0.
    """

    name: str
    classes: tuple[int, ...]


@dataclass(frozen=True)
class Split:
    """A share of a part of the population that a regression models by covariates.

    `yes`, `no`: which latent classes have the property in the name, and which lack it, 1 or 0.
    Classes in neither are outside the part that is split.
    """

    name: str
    yes: tuple[int, ...]
    no: tuple[int, ...]


@dataclass(frozen=True)
class Arms:
    """Several channels over a common latent truth.

    Parameters
    ----------
    classes : tuple of str
        Names of the latent classes, all different.
    channels : tuple of Channel
        One for each arm. A channel's truths are the classes; its reports are its own.
    shares : tuple of Share
        The shares to estimate, all with different names.
    directly : tuple of int, of length classes
        The report of each class to the direct sensitive question: 0 for no and 1 for yes.
    splits : tuple of Split, optional
        Yes-or-no questions that lead to the classes, each with its own unknown probability: the
        probability of a class is the product over the answers that lead to it. The first question
        is about the sensitive trait, the others are the design's nuisance. Only a regression needs
        them.
    """

    classes: tuple[str, ...]
    channels: tuple[Channel, ...]
    shares: tuple[Share, ...]
    directly: tuple[int, ...]
    splits: tuple[Split, ...] = ()

    def __post_init__(self) -> None:
        """Reject inconsistent parts."""
        count = len(self.classes)
        if not self.channels:
            raise ValueError("expected at least one arm, found none")
        for kind, names in (
            ("latent class", self.classes),
            ("share", tuple(share.name for share in self.shares)),
        ):
            if not names or len(set(names)) < len(names):
                raise ValueError(f"expected every {kind} to have a name of its own, found {names}")
        for arm, channel in enumerate(self.channels):
            if channel.truths != count:
                raise ValueError(
                    f"arm {arm}: expected a channel with the {count} latent classes as its truths, "
                    f"found {channel.truths}"
                )
        for share in self.shares:
            if len(share.classes) != count or not set(share.classes) <= {0, 1}:
                raise ValueError(
                    f"share {share.name!r}: expected a 0 or 1 for each of the {count} latent "
                    f"classes, found {share.classes}"
                )
        if len(self.directly) != count or not set(self.directly) <= {0, 1}:
            raise ValueError(
                f"expected the direct answer, 0 or 1, of each of the {count} latent classes, "
                f"found {self.directly}"
            )
        self._check_splits()

    def _check_splits(self) -> None:
        # Every sequence of answers must lead to one class. The sum of the products is linear in
        # each probability, so it is 1 everywhere if it is 1 wherever all probabilities are 0 or 1.
        for answers in product((0, 1), repeat=len(self.splits)):
            led = list(self.classes if self.splits else ())
            for split, answer in zip(self.splits, answers, strict=True):
                other = split.no if answer else split.yes
                led = [name for name in led if not other[self.classes.index(name)]]
            if self.splits and len(led) != 1:
                raise ValueError(
                    f"expected splits that lead everybody to one of the latent classes, found that "
                    f"the answers {answers} to {', '.join(each.name for each in self.splits)} lead "
                    f"to {' and '.join(led) or 'none'}"
                )

    def share(self, name: str) -> Share:
        """Return the share with this name."""
        for share in self.shares:
            if share.name == name:
                return share
        raise ValueError(
            f"expected one of {', '.join(share.name for share in self.shares)}, found {name!r}"
        )

    def with_direct_question(self, admitted_by: str | None = None) -> Arms:
        """Return the arms plus one in which the sensitive question is asked directly.

        Parameters
        ----------
        admitted_by : str, optional
            The share that says yes in that arm. By default each class answers as in `directly`:
            people who deny under the design's protection deny without it too. With ``"carrier"`` of
            the stochastic lie detector every carrier says yes in that arm; a regression with a
            covariate for the arm then estimates how many fewer do (as RRreg's ``RRlog`` does with
            its group 0).

        Returns
        -------
        Arms
            The new arm adds precision and makes the model testable, at the price of an arm without
            protection (its ε is unbounded).
        """
        says = self.directly if admitted_by is None else self.share(admitted_by).classes
        return replace(self, channels=(*self.channels, _says_yes(says)))


def unrelated_question(sensitive: Sequence[Number]) -> Arms:
    """Ask for the sensitive truth or an innocuous truth whose rate is unknown.

    A device directs each respondent of arm i to the sensitive question with probability
    ``sensitive[i]``, and otherwise to the innocuous one.

    Parameters
    ----------
    sensitive : sequence of numbers, one for each arm
        Chance of the sensitive question. Two different chances are needed; 0 is allowed, and best
        (Moors): then that arm is asked only the innocuous question.

    Notes
    -----
    Classes: the four combinations of the sensitive and the innocuous truth. Shares: ``sensitive``
    and ``innocuous``; their association is not identifiable. P(yes) is ``p π + (1 - p) α`` with the
    shares π and α of the two. In RRreg's ``UQTunknown`` its ``p`` is `sensitive`, ``pi`` the share
    ``sensitive`` and ``piUQ`` the share ``innocuous``.

    References
    ----------
    Greenberg, B. G., Abul-Ela, A.-L. A., Simmons, W. R. and Horvitz, D. G. (1969). The unrelated
    question randomized response model: theoretical framework. Journal of the American Statistical
    Association 64, 520-539, section 3.
    Moors, J. J. A. (1971). Optimization of the unrelated question randomized response model.
    Journal of the American Statistical Association 66, 627-629.

    Examples
    --------
    >>> unrelated_question(["7/10", "3/10"]).channels[0].probabilities[:, 1].round(3)
    array([0. , 0.3, 0.7, 1. ])
    """
    chances = _for_each_arm(sensitive, "the probability of the sensitive question")
    return Arms(
        classes=("neither", "innocuous alone", "sensitive alone", "both"),
        channels=tuple(_says_yes([0, 1 - chance, chance, 1]) for chance in chances),
        shares=(Share("sensitive", (0, 0, 1, 1)), Share("innocuous", (0, 1, 0, 1))),
        directly=(0, 0, 1, 1),
        # The reports say nothing about the association of the two, so assuming independence costs
        # nothing.
        splits=(
            Split("sensitive", yes=(0, 0, 1, 1), no=(1, 1, 0, 0)),
            Split("innocuous", yes=(0, 1, 0, 1), no=(1, 0, 1, 0)),
        ),
    )


def cheating_detection(yes: Sequence[Number]) -> Arms:
    """Return Clark and Desharnais's cheating detection model (CDM).

    With probability ``yes[i]`` the device of arm i asks for a yes, otherwise for the truth.
    Cheaters say no whatever the device asks.

    Parameters
    ----------
    yes : sequence of numbers, one for each arm
        Chance that the device asks for a yes. Two different chances are needed.

    Notes
    -----
    Classes and shares: ``honest no``, ``honest yes`` and ``cheater``. Nobody knows which cheaters
    carry the trait: its share lies between ``honest yes`` and ``honest yes`` + ``cheater``. P(yes)
    is ``π + β p`` with the shares π of ``honest yes`` and β of ``honest no``. In RRreg's ``CDM``
    its ``p`` is `yes`, and ``pi``, ``beta`` and ``gamma`` are the shares ``honest yes``,
    ``honest no`` and ``cheater``.

    References
    ----------
    Clark, S. J. and Desharnais, R. A. (1998). Honest answers to embarrassing questions: detecting
    cheating in the randomized response model. Psychological Methods 3, 160-168.

    Examples
    --------
    >>> [share.name for share in cheating_detection(["1/4", "3/4"]).shares]
    ['honest no', 'honest yes', 'cheater']
    """
    chances = _for_each_arm(yes, "the probability of being asked for a yes")
    return symmetric_cheating_detection(chances, [0] * len(chances))


def symmetric_cheating_detection(yes: Sequence[Number], no: Sequence[Number]) -> Arms:
    """Return Ostapczuk's symmetric cheating detection model (CDMsym): no answer is safe.

    The device of arm i asks for a yes with probability ``yes[i]``, for a no with probability
    ``no[i]``, and otherwise for the truth. Cheaters say no whatever the device asks.

    Notes
    -----
    Classes and shares are those of `cheating_detection`. In RRreg's ``CDMsym`` its ``p`` is
    ``(yes[0], no[0], yes[1], no[1])``. The channels have an unbounded ε, because a yes shows that
    its sender does not cheat; between the two kinds of honest respondents ε is that of forced
    response.

    References
    ----------
    Ostapczuk, M., Moshagen, M., Zhao, Z. and Musch, J. (2009). Assessing sensitive attributes
    using the randomized response technique: evidence for the importance of response symmetry.
    Journal of Educational and Behavioral Statistics 34, 267-287.

    Examples
    --------
    >>> arms = symmetric_cheating_detection(yes=["1/5", "3/5"], no=["1/5", "1/5"])
    >>> arms.channels[1].probabilities[:, 1].round(3)
    array([0.6, 0.8, 0. ])
    """
    forced_yes = _for_each_arm(yes, "the probability of being asked for a yes")
    forced_no = _for_each_arm(no, "the probability of being asked for a no")
    if len(forced_yes) != len(forced_no):
        raise ValueError(
            f"expected as many probabilities of a no as of a yes, one for each arm, "
            f"found {len(forced_no)} and {len(forced_yes)}"
        )
    for arm, (a, b) in enumerate(zip(forced_yes, forced_no, strict=True)):
        if a + b > 1:
            raise ValueError(
                f"arm {arm}: expected probabilities of a forced yes and no that sum to at most 1, "
                f"found {a} and {b}"
            )
    classes = ("honest no", "honest yes", "cheater")
    return Arms(
        classes=classes,
        channels=tuple(
            _says_yes([a, 1 - b, 0]) for a, b in zip(forced_yes, forced_no, strict=True)
        ),
        shares=_each_class(classes),
        directly=(0, 1, 0),
        splits=(
            Split("yes among the honest", yes=(0, 1, 0), no=(1, 0, 0)),
            Split("cheater", yes=(0, 0, 1), no=(1, 1, 0)),
        ),
    )


def stochastic_lie_detector(truth: Sequence[Number]) -> Arms:
    """Return Moshagen, Musch and Erdfelder's stochastic lie detector (SLD).

    The instructions ask carriers of the trait for the truth, but carriers lie with an unknown
    probability. They ask non-carriers of arm i for a no with probability ``truth[i]``, otherwise
    for a yes.

    Parameters
    ----------
    truth : sequence of numbers, one for each arm
        Chance that the instructions ask a non-carrier for the truth. Two different chances are
        needed.

    Notes
    -----
    Classes: ``non-carrier``, ``truthful carrier`` and ``lying carrier``. Shares: these, and
    ``carrier``. The probability t that a carrier tells the truth is not a share of the population
    but a ratio of two shares: ``estimate_arms(…).ratio("truthful carrier", "carrier")``. P(yes) is
    ``π t + (1 - π)(1 - p)``, which is linear once π t and π (1 - t) are the shares of two classes.
    In RRreg's ``SLD`` its ``p`` is `truth`, ``pi`` the share ``carrier`` and ``t`` that ratio. The
    reports have the distribution of `cheating_detection` with ``yes = 1 - truth``: the data do not
    distinguish a cheater from a lying carrier; that is the researcher's assumption.

    References
    ----------
    Moshagen, M., Musch, J. and Erdfelder, E. (2012). A stochastic lie detector. Behavior Research
    Methods 44, 222-231.

    Examples
    --------
    >>> [share.name for share in stochastic_lie_detector(["1/5", "4/5"]).shares]
    ['non-carrier', 'truthful carrier', 'lying carrier', 'carrier']
    """
    chances = _for_each_arm(truth, "the probability of a non-carrier's truthful answer")
    classes = ("non-carrier", "truthful carrier", "lying carrier")
    return Arms(
        classes=classes,
        channels=tuple(_says_yes([1 - chance, 1, 0]) for chance in chances),
        shares=(*_each_class(classes), Share("carrier", (0, 1, 1))),
        directly=(0, 1, 0),
        splits=(
            Split("carrier", yes=(0, 1, 1), no=(1, 0, 0)),
            Split("truthful among carriers", yes=(0, 1, 0), no=(0, 0, 1)),
        ),
    )


def beside_direct_question(channel: Channel, *, deniers: bool = True) -> Arms:
    """Return any yes-or-no design in one arm, with the direct question in another.

    Parameters
    ----------
    channel : Channel
        Of two truths, no and yes.
    deniers : bool
        Whether some people may tell the truth under the design's protection but deny when asked
        directly. Their share is the benefit of the design. Without them the model is testable: both
        arms then estimate one share.

    Returns
    -------
    Arms
        Classes: ``no``, ``yes`` and, with `deniers`, ``denier``. Shares: ``sensitive``, and
        ``denier``.

    References
    ----------
    Lensvelt-Mulders, G. J. L. M., Hox, J. J., van der Heijden, P. G. M. and Maas, C. J. M. (2005).
    Meta-analysis of randomized response research: thirty-five years of validation. Sociological
    Methods and Research 33, 319-348: comparisons with the direct question.

    Examples
    --------
    >>> from deniable import designs
    >>> beside_direct_question(designs.truth_or_random()).classes
    ('no', 'yes', 'denier')
    """
    if channel.truths != 2:
        raise ValueError(f"expected a channel of 2 truths, no and yes, found {channel.truths}")
    if not deniers:
        yes = Share("sensitive", (0, 1))
        split = Split("sensitive", yes=(0, 1), no=(1, 0))
        return Arms(("no", "yes"), (channel, identity(2)), (yes,), directly=(0, 1), splits=(split,))
    no_row, yes_row = channel.weights
    return Arms(
        classes=("no", "yes", "denier"),
        channels=(Channel([no_row, yes_row, yes_row]), _says_yes([0, 1, 0])),
        shares=(Share("sensitive", (0, 1, 1)), Share("denier", (0, 0, 1))),
        directly=(0, 1, 0),
        splits=(
            Split("sensitive", yes=(0, 1, 1), no=(1, 0, 0)),
            Split("denier among the sensitive", yes=(0, 0, 1), no=(0, 1, 0)),
        ),
    )


BY_NAME: Final[Mapping[str, Callable[..., Arms]]] = {
    design.__name__: design
    for design in (
        unrelated_question,
        cheating_detection,
        symmetric_cheating_detection,
        stochastic_lie_detector,
        beside_direct_question,
    )
}
"""The designs of several arms by their names in commands."""


def from_mapping(design: Mapping[str, Mapping[str, object] | None]) -> Arms:
    """Return the arms of a design that is written as its name and parameters.

    Parameters
    ----------
    design : mapping
        One key of `BY_NAME`, with the design's parameters by name, as for
        `deniable.designs.from_mapping`. Besides these, ``direct`` adds an arm in which the question
        is asked directly: ``true``, or the share that says yes in it (see
        `Arms.with_direct_question`).

    Examples
    --------
    >>> detector = {"stochastic_lie_detector": {"truth": ["1/6", "5/6"], "direct": "carrier"}}
    >>> len(from_mapping(detector).channels)
    3
    """
    name, parameters = designs.name_and_parameters(design, BY_NAME)
    own = {key: value for key, value in parameters.items() if key != _DIRECT}
    given = arguments_of(name, BY_NAME[name], own, {**READERS, "Channel": _channel})
    with placed(name):
        made = BY_NAME[name](**given)
        direct = parameters.get(_DIRECT, False)
        if direct in (False, "false"):
            return made
        if not isinstance(direct, str | bool):
            raise ValueError(f"expected true or the name of a share, found {direct!r}")
        return made.with_direct_question(None if direct in (True, "true") else str(direct))


def _channel(value: object) -> Channel:
    if isinstance(value, str):
        value = {value: None}
    if not isinstance(value, Mapping):
        raise ValueError(f"expected a design by name with its parameters, found {value!r}")
    return designs.from_mapping(value)


def _says_yes(chances: Sequence[Number]) -> Channel:
    exactly = [exact.fraction(chance) for chance in chances]
    return Channel.from_probabilities([[1 - chance, chance] for chance in exactly])


def _for_each_arm(values: Sequence[Number], name: str) -> list[Fraction]:
    if isinstance(values, str) or not values:
        raise ValueError(f"expected {name} for each arm, such as ['1/4', '3/4'], found {values!r}")
    return [exact.probability(value, f"arm {arm}: {name}") for arm, value in enumerate(values)]


def _each_class(classes: Sequence[str]) -> tuple[Share, ...]:
    return tuple(Share(name, tuple(int(other == name) for other in classes)) for name in classes)
