"""Homework: functions to write, what each is held to, and why an answer is wrong."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from deniable.analysis.numerics.arrays import FloatArray, IntArray

P: Final = 0.25
"""The chance that a report is flipped."""

_OTHER: Final = 0.15
"""That chance in the data that students do not see: a function works for any."""

_MANY: Final = 40_000
_NEAR: Final = 1e-3
"""How far off a number may be: n − 1 in the place of n is right, too."""
_ELSEWHERE: Final = "it is right for your reports, but not for others. Use what the function gets."


@dataclass(frozen=True)
class Task:
    """A function to write."""

    head: str  # its first line
    body: tuple[str, ...]  # a solution, line by line
    what: str  # what it is to do
    why: str  # why the solution is right
    check: Callable[[Homework, Callable[..., Any]], str]  # says what is wrong, or nothing

    @property
    def name(self) -> str:
        """What the function is called."""
        return self.head.removeprefix("def ").partition("(")[0]


class Homework:
    """One student's data and checks.

    Two students, whose numbers may have letters, have other people and other coins.
    """

    def __init__(self, student: int | str) -> None:
        name = str(student).strip()
        digest = hashlib.sha256(name.encode()).digest()
        seed = int(name) if name.isascii() and name.isdigit() else int.from_bytes(digest)
        self.chance = np.random.default_rng(seed)
        self.reports = self._drawn(800, P)
        self.hidden = self._drawn(2000, _OTHER)
        self.right: dict[str, bool] = {}

    def _drawn(self, people: int, p: float) -> IntArray:
        share = self.chance.uniform(0.15, 0.45)
        truths = (self.chance.random(people) < share).astype(int)
        return np.where(self.chance.random(people) < p, 1 - truths, truths)

    def check(self, function: Callable[..., Any]) -> str:
        """Say whether a function is right, and why if not."""
        task = next((one for one in TASKS if one.name == function.__name__), None)
        if task is None:
            names = ", ".join(one.name for one in TASKS)
            return f"{function.__name__} is no function of this homework: it has {names}."
        try:
            wrong = task.check(self, function)
        except Exception as error:  # noqa: BLE001  # a student's line may fail in any way
            wrong = f"it stopped with {type(error).__name__}: {error}."
        self.right[task.name] = not wrong
        return f"{task.name}: {f'not yet: {wrong}' if wrong else 'right.'}"

    def summary(self) -> str:
        """Say what is right and what is missing."""
        missing = [one.name for one in TASKS if not self.right.get(one.name)]
        done = f"{len(TASKS) - len(missing)} of {len(TASKS)} are right."
        return f"{done} Missing: {', '.join(missing)}." if missing else f"{done} Hand it in."


_BLANK: Final = "it returns nothing: write your lines in the place of the three dots."


def _numbers(found: Any, count: int = 1) -> FloatArray | str:
    """Return what a function returned as numbers, or what is wrong with it."""
    if found is None:
        return _BLANK
    numbers = np.asarray(found, dtype=float).ravel()
    if numbers.size != count:
        return f"expected {count} number{'s' if count > 1 else ''}, found {numbers.size}."
    return numbers


def _close(found: Any, right: float, mistakes: dict[str, float]) -> str:
    """Compare a number with the right one, and with what usual mistakes come to."""
    numbers = _numbers(found)
    if isinstance(numbers, str):
        return numbers
    value = float(numbers[0])
    if math.isclose(value, right, rel_tol=_NEAR):
        return ""
    said = (why for why, one in mistakes.items() if math.isclose(value, one, rel_tol=_NEAR))
    return f"it gives {value:.4g}, and {right:.4g} is right. {next(said, '')}".strip()


def _on_both(
    homework: Homework,
    function: Callable[..., Any],
    right: Callable[[IntArray, float], float],
    mistakes: dict[str, float],
) -> str:
    """Say what is wrong with the student's reports, else whether it is with other ones."""
    own, other = (homework.reports, P), (homework.hidden, _OTHER)
    wrong = _close(function(*own), right(*own), mistakes)
    return wrong or (_close(function(*other), right(*other), {}) and _ELSEWHERE)


def _respond(homework: Homework, respond: Callable[..., Any]) -> str:
    for truth, p in ((0, P), (1, P), (1, _OTHER)):
        found = _numbers(respond(np.full(_MANY, truth), p, homework.chance), _MANY)
        if isinstance(found, str):
            return found
        if not np.isin(found, (0, 1)).all():
            return "a report must be 0 or 1."
        flipped = float(np.mean(found != truth))
        # Six standard errors: one right function in 10⁸ is refused.
        if abs(flipped - p) > 6 * math.sqrt(p * (1 - p) / _MANY):
            return (
                f"of {_MANY:,} people whose truth is {truth}, {100 * flipped:.1f} % were flipped. "
                f"It should be about {100 * p:.0f} %, and as many for either truth."
            )
    return ""


def _estimate(homework: Homework, estimate: Callable[..., Any]) -> str:
    mean = float(homework.reports.mean())
    return _on_both(
        homework,
        estimate,
        lambda reports, p: (float(reports.mean()) - p) / (1 - 2 * p),
        {
            "That is the share of yes in the reports: chance has mixed it.": mean,
            "You took away what chance adds. Now stretch what is left.": mean - P,
            "Chance takes away as much as it adds: divide by 1 − 2p.": (mean - P) / (1 - P),
        },
    )


def _margin(homework: Homework, margin: Callable[..., Any]) -> str:
    plain = float(homework.reports.std()) / len(homework.reports) ** 0.5
    return _on_both(
        homework,
        margin,
        lambda reports, p: 1.96 * float(reports.std()) / len(reports) ** 0.5 / (1 - 2 * p),
        {
            "The estimate is stretched by 1 ÷ (1 − 2p), and so is its error.": 1.96 * plain,
            "That is one standard error. 95 % lie within 1.96 of them.": plain / (1 - 2 * P),
        },
    )


def _epsilon(_: Homework, epsilon: Callable[..., Any]) -> str:
    for p in (P, 0.1, 0.4):
        ratio = (1 - p) / p
        mistakes = {
            "That is the ratio. ε is its logarithm.": ratio,
            "That is ε with a minus: divide the larger chance by the smaller.": -math.log(ratio),
        }
        if wrong := _close(epsilon(p), math.log(ratio), mistakes):
            return f"for p = {p}, {wrong}"
    return ""


def _noisy_count(homework: Homework, noisy_count: Callable[..., Any]) -> str:
    for count, epsilon in ((100, 0.5), (700, 0.2)):
        drawn, scale = [], 1 / epsilon
        for _ in range(4000):
            found = _numbers(noisy_count(count, epsilon, homework.chance))
            if isinstance(found, str):
                return found
            drawn.append(float(found[0]))
        away = float(np.mean(np.abs(np.subtract(drawn, count))))
        # The mean distance is the scale, known to itself / √4000; six of these.
        if abs(away - scale) > 6 * scale / math.sqrt(4000):
            hint = "The scale is 1 ÷ ε, not ε." if abs(away - epsilon) < 0.1 else ""
            return (
                f"for ε = {epsilon} it is off by {away:.2f} on average. One person moves a count "
                f"by 1, so that should be {scale:.0f}. {hint}"
            ).strip()
        if abs(np.mean(drawn) - count) > 6 * scale * math.sqrt(2 / 4000):
            return f"it should be {count} on average, and is {np.mean(drawn):.2f}."
    return ""


TASKS: Final = (
    Task(
        "def respond(truths, p, chance):",
        (
            "flipped = chance.random(len(truths)) < p",
            "return np.where(flipped, 1 - truths, truths)",
        ),
        "`truths` are zeros and ones, one for each person. Return what each person sends: the "
        "truth, or the opposite with probability `p`. `chance` is a generator of NumPy, such as "
        "`chance.random(5)`.",
        "Each person has a number of their own between 0 and 1. It is below p with probability p.",
        _respond,
    ),
    Task(
        "def estimate(reports, p):",
        ("return (reports.mean() - p) / (1 - 2 * p)",),
        "Estimate the share of people whose truth is 1, from the reports alone.",
        "The share of ones is λ = p + (1 − 2p)θ on average. Solve that for θ.",
        _estimate,
    ),
    Task(
        "def margin(reports, p):",
        (
            "mean = reports.mean()",
            "error = np.sqrt(mean * (1 - mean) / len(reports))",
            "return 1.96 * error / (1 - 2 * p)",
        ),
        "Return the ± of that estimate, for 95 %. The reports are independent, so the variance "
        "of their mean m is m(1 − m)/n.",
        "The estimate is the mean, stretched by 1 ÷ (1 − 2p). So is its standard error.",
        _margin,
    ),
    Task(
        "def epsilon(p):",
        ("return np.log((1 - p) / p)",),
        "Return the ε of these reports: the logarithm of how many times as likely a report is "
        "with one truth as with the other, at most.",
        "A report of 1 has probability 1 − p if the truth is 1, and p if it is 0.",
        _epsilon,
    ),
    Task(
        "def noisy_count(count, epsilon, chance):",
        ("return count + chance.laplace(scale=1 / epsilon)",),
        "Now an office that knows all publishes a count. Return it with Laplace noise that makes "
        "it ε-private: `chance.laplace(scale=…)`.",
        "One person moves a count by 1. The scale is that over ε.",
        _noisy_count,
    ),
)
"""In the order of the notebook."""
