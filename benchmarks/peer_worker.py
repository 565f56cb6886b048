"""Run inside the peers' own environment: randomise and estimate with a peer, as asked on stdin.

It imports nothing of ours. Each line of input is a JSON object, and is answered by one: ``peer``,
``k`` and ``epsilon``, and either ``n`` (time so many answers) or ``truths`` (how many people hold
each answer), ``repetitions`` and ``seed`` (measure the squared error of the estimates).
"""

from __future__ import annotations

import importlib
import json
import math
import random
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

Reports = Any
"""Whatever a peer calls its reports."""


class Peer:
    """One peer's method for k answers: truths 0 to k - 1 in, shares out."""

    def __init__(self, k: int, epsilon: float) -> None:
        self.k, self.epsilon = k, epsilon

    def randomise(self, truths: Sequence[int]) -> Reports:
        """Randomise each truth, as the peer's documentation says."""
        raise NotImplementedError

    def estimate(self, reports: Reports) -> Any:
        """Estimate the shares, as the peer does."""
        raise NotImplementedError


class MultiFreq(Peer):
    """multi-freq-ldpy: compiled functions for one respondent, called in a loop."""

    def __init__(self, method: str, k: int, epsilon: float) -> None:
        super().__init__(k, epsilon)
        self.method = method
        module = {"OLH": "LH", "OUE": "UE"}.get(method, method)
        self.module: Any = importlib.import_module(
            f"multi_freq_ldpy.pure_frequency_oracles.{module}"
        )
        self.client = getattr(self.module, f"{module}_Client")
        self.aggregator = getattr(self.module, f"{module}_Aggregator_MI")

    def randomise(self, truths: Sequence[int]) -> Reports:
        """Randomise each truth."""
        client, k, epsilon = self.client, self.k, self.epsilon
        return [client(truth, k, epsilon) for truth in truths]

    def estimate(self, reports: Reports) -> Any:
        """Estimate the shares; clipped at 0, and brought to a sum of 1."""
        if self.method == "OUE":
            return self.aggregator(reports, self.epsilon)
        return self.aggregator(reports, self.k, self.epsilon)

    def unclipped(self, reports: Reports) -> tuple[Any, float, float]:
        """Estimate from the aggregator's own counts and probabilities, before it clips.

        Also returns these probabilities: that somebody's report supports the truth, and that it
        supports any other answer.
        """
        probabilities: list[float] = []

        def invert(counts: Any, n: int, p: float, q: float) -> Any:
            probabilities[:] = p, q
            return (counts / n - q) / (p - q)

        clipping, self.module.MI = self.module.MI, invert
        try:
            return self.estimate(reports), probabilities[0], probabilities[1]
        finally:
            self.module.MI = clipping


class PureLDP(Peer):
    """pure-ldp: an object for the clients, another one for the server."""

    def __init__(self, method: str, k: int, epsilon: float) -> None:
        super().__init__(k, epsilon)
        module = importlib.import_module("pure_ldp.frequency_oracles")
        optimised = {"use_olh": True} if method == "LH" else {}
        self.make_server: Callable[[], Any] = lambda: getattr(module, f"{method}Server")(
            epsilon, k, **optimised
        )
        self.client = getattr(module, f"{method}Client")(epsilon, k, **optimised)

    def randomise(self, truths: Sequence[int]) -> Reports:
        """Randomise each truth; this peer counts answers from 1."""
        privatise = self.client.privatise
        return [privatise(truth + 1) for truth in truths]

    def estimate(self, reports: Reports) -> Any:
        """Estimate the shares, which are not clipped."""
        server = self.make_server()
        server.aggregate_all(reports)
        counts = server.estimate_all(range(1, self.k + 1), suppress_warnings=True)
        return counts / len(reports)


class Diffprivlib(Peer):
    """diffprivlib's mechanism for two answers; it estimates nothing."""

    def __init__(self, k: int, epsilon: float) -> None:
        super().__init__(k, epsilon)
        mechanisms = importlib.import_module("diffprivlib.mechanisms")
        self.mechanism = mechanisms.Binary(epsilon=epsilon, value0="0", value1="1")

    def randomise(self, truths: Sequence[int]) -> Reports:
        """Randomise each truth."""
        randomise = self.mechanism.randomise
        return [randomise("1" if truth else "0") for truth in truths]


class OpenDP(Peer):
    """OpenDP's randomised response; it estimates nothing."""

    def __init__(self, k: int, epsilon: float) -> None:
        super().__init__(k, epsilon)
        opendp = importlib.import_module("opendp.prelude")
        opendp.enable_features("contrib")
        keep = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
        self.measurement = opendp.m.make_randomized_response(list(range(k)), keep)

    def randomise(self, truths: Sequence[int]) -> Reports:
        """Randomise each truth."""
        measurement = self.measurement
        return [measurement(truth) for truth in truths]


PEERS: dict[str, Callable[[int, float], Peer]] = {
    **{f"multi-freq {name}": partial(MultiFreq, name) for name in ("GRR", "SS", "OLH", "OUE")},
    "pure-ldp DE": partial(PureLDP, "DE"),
    "pure-ldp OLH": partial(PureLDP, "LH"),
    "diffprivlib Binary": Diffprivlib,
    "OpenDP": OpenDP,
}


def seed_everything(seed: int) -> None:
    """Seed every generator that a peer draws from; compiled code has one of its own."""
    numpy: Any = importlib.import_module("numpy")
    numba: Any = importlib.import_module("numba")
    random.seed(seed)
    numpy.random.seed(seed)

    def seed_compiled(value: int) -> None:
        numpy.random.seed(value)

    numba.njit(seed_compiled)(seed)


def times(peer: Peer, n: int, estimating: bool) -> dict[str, float]:
    """Time n answers, in milliseconds."""
    truths = [truth % peer.k for truth in range(n)]
    start = time.perf_counter()
    reports = peer.randomise(truths)
    randomised = time.perf_counter()
    found = {"randomise": 1000 * (randomised - start)}
    if estimating:
        peer.estimate(reports)
        found["estimate"] = 1000 * (time.perf_counter() - randomised)
    return found


def errors(
    peer: Peer, truths: Sequence[int], repetitions: int, seed: int
) -> dict[str, list[float]]:
    """Measure the mean squared errors of repeated estimates.

    For a peer that clips, also those of the same reports without clipping, and their expectation,
    by the variance of the counts of independent reports.
    """
    seed_everything(seed)
    people = [truth for truth, count in enumerate(truths) for _ in range(count)]
    n = len(people)
    shares = [count / n for count in truths]

    def error(estimated: Any) -> float:
        squares = [(found - share) ** 2 for found, share in zip(estimated, shares, strict=True)]
        return float(sum(squares) / len(squares))

    found: dict[str, list[float]] = {"reported": [], "unclipped": [], "expected": []}
    for _ in range(repetitions):
        reports = peer.randomise(people)
        found["reported"].append(error(peer.estimate(reports)))
        if isinstance(peer, MultiFreq):
            estimated, p, q = peer.unclipped(reports)
            found["unclipped"].append(error(estimated))
            variances = [share * p * (1 - p) + (1 - share) * q * (1 - q) for share in shares]
            found["expected"].append(sum(variances) / len(shares) / n / (p - q) ** 2)
    return found


def answer(asked: dict[str, Any], known: dict[tuple[str, int, float], Peer]) -> dict[str, Any]:
    """Answer one line."""
    key = (asked["peer"], asked["k"], asked["epsilon"])
    if key not in known:
        known[key] = PEERS[asked["peer"]](asked["k"], asked["epsilon"])
    if "n" in asked:
        return dict(times(known[key], asked["n"], asked["estimating"]))
    return dict(errors(known[key], asked["truths"], asked["repetitions"], asked["seed"]))


def main() -> None:
    """Answer line by line; whatever a peer prints goes to stderr."""
    out, sys.stdout = sys.stdout, sys.stderr
    warnings.simplefilter("ignore")
    known: dict[tuple[str, int, float], Peer] = {}
    for line in sys.stdin:
        try:
            said = answer(json.loads(line), known)
        except Exception as error:  # noqa: BLE001  a peer may fail in any way, and is then reported
            said = {"error": f"{type(error).__name__}: {error}"}
        out.write(json.dumps(said) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
