"""Randomising and estimating, timed in turn with other Python packages (peers)."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from benchmarks.measuring import RUNS, Comparison, milliseconds
from deniable.analysis.estimation import estimate
from deniable.client.randomiser import randomise
from deniable.client.randomness import os_words
from deniable.designs.block import best_k_ary
from deniable.results.text import console
from tools.peers import install, running

N: Final = 1_000_000
EPSILON: Final = 1.0
ANSWERS: Final = 16

Ask = Callable[..., dict[str, Any]]
"""Sends the worker one question and returns its answer."""


@dataclass(frozen=True)
class Method:
    """A peer's method, and the parts of it that are timed."""

    name: str  # as `benchmarks.peers_worker` knows it
    # One in `part` of the million answers is timed, where all of them would take minutes, and the
    # time is multiplied: these methods handle one answer after the other.
    part: int = 1
    answers: tuple[int, ...] = (2, ANSWERS)  # the numbers of answers of the timed questions

    @property
    def peer(self) -> str:
        """The peer's name, which is a key of `tools.peers.PACKAGES`."""
        return self.name.split(" ")[0]


METHODS: Final = (
    Method("multi-freq GRR"),
    Method("multi-freq SS", part=10),
    Method("pure-ldp DE"),
    Method("diffprivlib Binary", part=10, answers=(2,)),
    Method("OpenDP", part=500),
)


def run() -> list[Comparison]:
    """Compare with every peer that can be installed, and print why others cannot."""
    console(sys.stdout).print("Installing the peers into .venv-peers, unless they are there.")
    reasons = install()
    found: list[Comparison] = []
    with running() as ask:
        for method in METHODS:
            if method.peer in reasons:
                continue
            try:
                found += [one for k in method.answers for one in _speed(ask, method, k)]
            except RuntimeError as error:
                reasons[method.name] = str(error)
    for name, reason in reasons.items():
        console(sys.stdout).print(f"Not compared with {name}: {reason}", markup=False)
    return found


def _speed(ask: Ask, method: Method, k: int) -> list[Comparison]:
    channel = best_k_ary(k, EPSILON)
    truths = (np.arange(N) % k).astype(np.uint8)
    reports = randomise(channel, truths, os_words(N))
    tasks: dict[str, Callable[[], object]] = {
        "randomise": lambda: randomise(channel, truths, os_words(N)),
        "estimate": lambda: estimate(np.bincount(reports, minlength=channel.reports), channel),
    }
    question = {"peer": method.name, "k": k, "epsilon": EPSILON}
    measured = ask(**question, n=1000)  # this run compiles, and does not count
    ours: dict[str, list[float]] = {task: [] for task in measured}
    theirs: dict[str, list[float]] = {task: [] for task in measured}
    for _ in range(RUNS):
        for task, took in ask(**question, n=N // method.part).items():
            theirs[task].append(took * method.part)
            ours[task].append(milliseconds(tasks[task]))
    said = f"{N:,} answers of {k}"
    return [
        Comparison(f"{task} {said}", method.name, "ms", ours[task], theirs[task], "below 0.10")
        for task in measured
    ]
