"""Randomising and estimating beside the Python peers, in turn: speed, and mean squared error."""

import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from benchmarks.measuring import RUNS, Comparison, milliseconds
from benchmarks.peers.environment import install, running
from deniable.analysis.estimation import Estimate, estimate
from deniable.channel import Channel
from deniable.client.randomiser import randomise
from deniable.client.randomness import os_words, seeded_words
from deniable.designs.block import best_k_ary
from deniable.estimator import least_variance
from deniable.results.text import console

N: Final = 1_000_000
EPSILON: Final = 1.0

Ask = Callable[..., dict[str, Any]]
"""Has the worker answer one question."""

PEOPLE: Final = 100_000
ANSWERS: Final = 16
REPETITIONS: Final = 10
"""Of a peer's estimate, for each of `RUNS` means, unless it is slow; ten times as many of ours."""

_TENFOLD: Final = "below 0.10"


@dataclass(frozen=True)
class Method:
    """A peer's method, and what of it is measured."""

    name: str  # as `benchmarks.peers.worker` knows it
    # What part of the million answers is timed, where all of them would take minutes: one of so
    # many, and the time is multiplied. All these methods handle one answer after the other.
    part: int = 1
    # Whether it moves its estimates into [0, 1]; they are then compared with our most likely ones,
    # and otherwise with our unbiased ones.
    clips: bool = False
    answers: tuple[int, ...] = (2, ANSWERS)  # for how many answers it is timed
    repetitions: int = (
        REPETITIONS  # of its estimates, for each mean of the squared error; 0 if none
    )

    @property
    def peer(self) -> str:
        """The peer that it belongs to."""
        return self.name.split(" ")[0]


METHODS: Final = (
    Method("multi-freq GRR", clips=True),
    Method("multi-freq SS", part=10, clips=True),
    Method("multi-freq OLH", part=50, clips=True, repetitions=2),
    Method("multi-freq OUE", part=10, clips=True),
    Method("pure-ldp DE"),
    Method("pure-ldp OLH", part=50, repetitions=6),
    Method("diffprivlib Binary", part=10, answers=(2,), repetitions=0),
    Method("OpenDP", part=500, repetitions=0),
)


def run() -> list[Comparison]:
    """Measure against every peer that can be installed, and say of the others why not."""
    console(sys.stdout).print("Installing the peers into .venv-peers, unless they are there.")
    reasons = install()
    methods = [method for method in METHODS if method.peer not in reasons]
    found: list[Comparison] = []
    with running() as ask:
        for measure in (_speed, _accuracy):
            for method in list(methods):
                try:
                    found += measure(ask, method)
                except RuntimeError as error:
                    reasons[method.name] = str(error)
                    methods.remove(method)
    for name, reason in reasons.items():
        console(sys.stdout).print(f"Not compared with {name}: {reason}", markup=False)
    return _with_goals(found)


# ---------------------------------------------------------------------------- speed
def _speed(ask: Ask, method: Method) -> list[Comparison]:
    return [figure for k in method.answers for figure in _speed_of(ask, method, k)]


def _speed_of(ask: Ask, method: Method, k: int) -> list[Comparison]:
    channel = best_k_ary(k, EPSILON)
    truths = (np.arange(N) % k).astype(np.uint8)
    reports = randomise(channel, truths, os_words(N))
    tasks: dict[str, Callable[[], object]] = {
        "randomise": lambda: randomise(channel, truths, os_words(N)),
        "estimate": lambda: _estimate(reports, channel),
    }
    question = {"peer": method.name, "k": k, "epsilon": EPSILON}
    measured = ask(**question, n=1000)  # compiles, and does not count
    ours: dict[str, list[float]] = {task: [] for task in measured}
    theirs: dict[str, list[float]] = {task: [] for task in measured}
    for _ in range(RUNS):
        for task, took in ask(**question, n=N // method.part).items():
            theirs[task].append(took * method.part)
            ours[task].append(milliseconds(tasks[task]))
    return [
        Comparison(f"{task} {N:,} answers of {k}", method.name, "ms", ours[task], theirs[task])
        for task in measured
    ]


def _estimate(reports: npt.NDArray[np.uint8], channel: Channel) -> Estimate:
    return estimate(np.bincount(reports, minlength=channel.reports), channel)


# ------------------------------------------------------------------------- accuracy
def _accuracy(ask: Ask, method: Method) -> list[Comparison]:
    """Compare mean squared errors: of unbiased estimates, or of those inside the simplex.

    Clipping changes little here, far less than the chance of so few repetitions does. So its effect
    is measured on the same reports, and added to the exact error of what is not clipped (a control
    variate), on both sides.
    """
    if method.repetitions == 0:
        return []
    counts = _zipf()
    theirs = []
    for seed in range(RUNS):
        said = ask(
            peer=method.name,
            k=ANSWERS,
            epsilon=EPSILON,
            truths=counts.tolist(),
            repetitions=method.repetitions,
            seed=seed,
        )
        error = statistics.fmean(said["reported"])
        if method.clips:
            error += statistics.fmean(said["expected"]) - statistics.fmean(said["unclipped"])
        theirs.append(1e6 * error)
    ours = [1e6 * _our_error(counts, seed, likely=method.clips) for seed in range(RUNS)]
    kind = "most likely" if method.clips else "unbiased"
    return [
        Comparison(
            f"{kind}, {PEOPLE:,} answers of {ANSWERS}", method.name, "MSE × 1e6", ours, theirs
        )
    ]


def _our_error(counts: npt.NDArray[np.int64], seed: int, *, likely: bool) -> float:
    """Return the mean of our squared error over ten times as many repetitions as a peer's."""
    channel = best_k_ary(ANSWERS, EPSILON)
    truths = np.repeat(np.arange(ANSWERS, dtype=np.uint8), counts)
    truth = counts / counts.sum()
    words = seeded_words(seed)
    unbiased, most_likely = [], []
    for _ in range(10 * REPETITIONS):
        found = _estimate(randomise(channel, truths, words(len(truths))), channel)
        unbiased.append(float(((found.theta - truth) ** 2).mean()))
        most_likely.append(float(((found.maximum_likelihood - truth) ** 2).mean()))
    if not likely:
        return statistics.fmean(unbiased)
    clipping = statistics.fmean(most_likely) - statistics.fmean(unbiased)
    return clipping + _expected_error(channel, counts)


def _expected_error(channel: Channel, counts: npt.NDArray[np.int64]) -> float:
    """Return the expected squared error of our unbiased estimate, exactly."""
    G, C, n = least_variance(channel), channel.probabilities, counts.sum()
    variances = G**2 @ C.T - (G @ C.T) ** 2  # of a report's contribution, given the truth
    return float((variances @ counts).mean()) / float(n) ** 2


def _zipf() -> npt.NDArray[np.int64]:
    """Return how many people hold each answer: in proportion to 1, 1/2, 1/3, …."""
    weights = 1 / np.arange(1, ANSWERS + 1)
    counts: npt.NDArray[np.int64] = np.floor(PEOPLE * weights / weights.sum()).astype(np.int64)
    counts[0] += PEOPLE - counts.sum()
    return counts


# ------------------------------------------------------------------------ the goals
def _with_goals(found: list[Comparison]) -> list[Comparison]:
    """Say what is asked for: ten times faster than the fastest peer, and less error than any."""
    fastest: dict[str, Comparison] = {}
    for one in found:
        if one.unit == "ms":
            quickest = fastest.setdefault(one.name, one)
            if statistics.median(one.theirs) < statistics.median(quickest.theirs):
                fastest[one.name] = one
    return [
        replace(
            one,
            goal="below 1" if one.unit != "ms" else _TENFOLD if one is fastest[one.name] else "",
        )
        for one in found
    ]
