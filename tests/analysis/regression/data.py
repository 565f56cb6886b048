"""Made-up respondents, and the likelihood of their reports written down a second time."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import optimize, special

from deniable.channel import Channel

Array = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def covariates(random: np.random.Generator, n: int) -> Array:
    some = random.permutation(np.arange(n) % 5 < 2)
    return np.column_stack([np.ones(n), random.normal(size=n), some])


def distribution(link: str, eta: npt.NDArray[np.complex128]) -> npt.NDArray[np.complex128]:
    """Return F at complex arguments, so that its derivatives are exact by the complex step."""
    functions = {
        "logit": lambda x: 1 / (1 + np.exp(-x)),
        "probit": lambda x: (1 + special.erf(x / np.sqrt(2))) / 2,
        "cloglog": lambda x: 1 - np.exp(-np.exp(x)),
        "cauchit": lambda x: 0.5 + np.arctan(x) / np.pi,
    }
    value: npt.NDArray[np.complex128] = functions[link](eta)
    return value


def shares(
    link: str, X: Array, beta: npt.NDArray[np.complex128], truths: int
) -> npt.NDArray[np.complex128]:
    """Return P(truth) of every respondent, shape (n, truths)."""
    if link != "multinomial":
        yes = distribution(link, X @ beta)
        return np.stack([1 - yes, yes], axis=1)
    powers = np.exp(X @ beta.reshape(truths - 1, -1).T)
    all_powers = np.concatenate([np.ones((len(X), 1)), powers], axis=1)
    result: npt.NDArray[np.complex128] = all_powers / all_powers.sum(axis=1, keepdims=True)
    return result


def log_likelihood(
    link: str,
    beta: npt.ArrayLike,
    reports: Integers,
    X: Array,
    channels: Sequence[Channel],
    arm: Integers,
) -> complex:
    """Sum log P(report) over respondents, one arm after the other; analytic in `beta`."""
    pi = shares(link, X, np.asarray(beta, dtype=np.complex128), channels[0].truths)
    total = 0j
    for index, channel in enumerate(channels):
        here = arm == index
        P = (pi[here] @ channel.probabilities)[np.arange(here.sum()), reports[here]]
        total += np.log(P).sum()
    return complex(total)


def maximised(
    link: str, start: Array, reports: Integers, X: Array, channels: Sequence[Channel], arm: Integers
) -> tuple[float, Array]:
    """Climb on `log_likelihood`, with derivatives by complex steps; return how high, and where."""
    n = len(reports)

    def loss(beta: Array) -> tuple[float, Array]:
        steps = 1e-100j * np.eye(len(start))
        gradient = [
            log_likelihood(link, beta + step, reports, X, channels, arm).imag for step in steps
        ]
        value = log_likelihood(link, beta, reports, X, channels, arm).real
        return -value / n, -np.array(gradient) / (n * 1e-100)

    best = optimize.minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-9})
    return -n * float(best.fun), best.x


def drawn(
    random: np.random.Generator,
    link: str,
    X: Array,
    beta: Array,
    channels: Sequence[Channel],
    arm: Integers,
) -> Integers:
    """Draw every respondent's truth, and the report of it."""
    pi = shares(link, X, beta.astype(np.complex128), channels[0].truths).real
    truth = (pi.cumsum(axis=1)[:, :-1] < random.random(len(X))[:, np.newaxis]).sum(axis=1)
    reports = np.empty(len(X), dtype=np.int64)
    for index, channel in enumerate(channels):
        here = arm == index
        below = channel.probabilities.cumsum(axis=1)[truth[here], :-1]
        reports[here] = (below < random.random(here.sum())[:, np.newaxis]).sum(axis=1)
    return reports


def two_groups(counts: list[list[int]]) -> tuple[Integers, Array]:
    """Return reports and [1, group] covariates of counts of (no, yes) in two groups."""
    reports = np.concatenate([np.repeat([0, 1], group) for group in counts])
    group = np.repeat([0.0, 1.0], [sum(group) for group in counts])
    return reports, np.column_stack([np.ones(len(group)), group])
