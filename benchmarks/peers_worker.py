"""Run inside the peers' own environment: randomise and estimate with a peer, as asked on stdin."""

import importlib
import json
import math
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any


@dataclass(frozen=True)
class Peer:
    """One peer's method for k answers, as its documentation says: truths 0 to k - 1, shares out."""

    k: int
    randomise: Callable[[Sequence[int]], Any]  # from truths to whatever it calls its reports
    # From reports to shares; none where it estimates nothing.
    estimate: Callable[[Any], Any] | None = None


def multi_freq(method: str, k: int, epsilon: float) -> Peer:
    """multi-freq-ldpy: compiled functions for one respondent; shares are clipped and sum to 1."""
    module: Any = importlib.import_module(f"multi_freq_ldpy.pure_frequency_oracles.{method}")
    client = getattr(module, f"{method}_Client")
    aggregator = getattr(module, f"{method}_Aggregator_MI")
    return Peer(
        k,
        lambda truths: [client(truth, k, epsilon) for truth in truths],
        lambda reports: aggregator(reports, k, epsilon),
    )


def pure_ldp(k: int, epsilon: float) -> Peer:
    """pure-ldp: an object for the clients, another one for the server; it counts answers from 1."""
    module = importlib.import_module("pure_ldp.frequency_oracles")
    privatise = module.DEClient(epsilon, k).privatise

    def estimate(reports: Any) -> Any:
        server = module.DEServer(epsilon, k)
        server.aggregate_all(reports)
        return server.estimate_all(range(1, k + 1), suppress_warnings=True) / len(reports)

    return Peer(k, lambda truths: [privatise(truth + 1) for truth in truths], estimate)


def diffprivlib(k: int, epsilon: float) -> Peer:
    """Diffprivlib's mechanism for two answers."""
    mechanisms = importlib.import_module("diffprivlib.mechanisms")
    randomise = mechanisms.Binary(epsilon=epsilon, value0="0", value1="1").randomise
    return Peer(k, lambda truths: [randomise("1" if truth else "0") for truth in truths])


def opendp(k: int, epsilon: float) -> Peer:
    """OpenDP's randomised response."""
    prelude = importlib.import_module("opendp.prelude")
    prelude.enable_features("contrib")
    keep = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
    measurement = prelude.m.make_randomized_response(list(range(k)), keep)
    return Peer(k, lambda truths: [measurement(truth) for truth in truths])


PEERS: dict[str, Callable[[int, float], Peer]] = {
    **{f"multi-freq {name}": partial(multi_freq, name) for name in ("GRR", "SS")},
    "pure-ldp DE": pure_ldp,
    "diffprivlib Binary": diffprivlib,
    "OpenDP": opendp,
}


def times(peer: Peer, n: int) -> dict[str, float]:
    """Time n answers, in milliseconds."""
    truths = [truth % peer.k for truth in range(n)]
    start = time.perf_counter()
    reports = peer.randomise(truths)
    randomised = time.perf_counter()
    found = {"randomise": 1000 * (randomised - start)}
    if peer.estimate is not None:
        peer.estimate(reports)
        found["estimate"] = 1000 * (time.perf_counter() - randomised)
    return found


def answer(asked: dict[str, Any], known: dict[tuple[str, int, float], Peer]) -> dict[str, Any]:
    """Answer one line."""
    key = (asked["peer"], asked["k"], asked["epsilon"])
    if key not in known:
        known[key] = PEERS[asked["peer"]](asked["k"], asked["epsilon"])
    return dict(times(known[key], asked["n"]))


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
