"""The worker in the peers' own environment: it randomises and estimates as stdin asks."""

import importlib
import json
import math
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any


@dataclass(frozen=True)
class Peer:
    """A peer's method for k answers, used as it documents: from truths 0 to k - 1 to shares."""

    k: int
    randomise: Callable[[Sequence[int]], Any]  # from truths to reports, in the peer's own form
    # From reports to shares; None if the peer has no estimator.
    estimate: Callable[[Any], Any] | None = None


def multi_freq(method: str, k: int, epsilon: float) -> Peer:
    """Return multi-freq-ldpy's method: compiled functions; shares are clipped and sum to 1."""
    module: Any = importlib.import_module(f"multi_freq_ldpy.pure_frequency_oracles.{method}")
    client = getattr(module, f"{method}_Client")
    aggregator = getattr(module, f"{method}_Aggregator_MI")
    return Peer(
        k,
        lambda truths: [client(truth, k, epsilon) for truth in truths],
        lambda reports: aggregator(reports, k, epsilon),
    )


def pure_ldp(k: int, epsilon: float) -> Peer:
    """Return pure-ldp's method: objects for clients and server; it counts answers from 1."""
    module = importlib.import_module("pure_ldp.frequency_oracles")
    privatise = module.DEClient(epsilon, k).privatise

    def estimate(reports: Any) -> Any:
        server = module.DEServer(epsilon, k)
        server.aggregate_all(reports)
        return server.estimate_all(range(1, k + 1), suppress_warnings=True) / len(reports)

    return Peer(k, lambda truths: [privatise(truth + 1) for truth in truths], estimate)


def diffprivlib(k: int, epsilon: float) -> Peer:
    """Return diffprivlib's mechanism for two answers."""
    mechanisms = importlib.import_module("diffprivlib.mechanisms")
    randomise = mechanisms.Binary(epsilon=epsilon, value0="0", value1="1").randomise
    return Peer(k, lambda truths: [randomise("1" if truth else "0") for truth in truths])


def opendp(k: int, epsilon: float) -> Peer:
    """Return OpenDP's randomised response."""
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


@cache
def loaded(peer: str, k: int, epsilon: float) -> Peer:
    """Load a peer, once for each number of answers and ε."""
    return PEERS[peer](k, epsilon)


def times(n: int, **question: Any) -> dict[str, Any]:
    """Return the milliseconds that randomising and estimating n answers take."""
    peer = loaded(**question)
    truths = [truth % peer.k for truth in range(n)]
    start = time.perf_counter()
    reports = peer.randomise(truths)
    randomised = time.perf_counter()
    found = {"randomise": 1000 * (randomised - start)}
    if peer.estimate is not None:
        peer.estimate(reports)
        found["estimate"] = 1000 * (time.perf_counter() - randomised)
    return found


def main() -> None:
    """Answer stdin line by line; output of the peers goes to stderr."""
    out, sys.stdout = sys.stdout, sys.stderr
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        try:
            said = times(**json.loads(line))
        except Exception as error:  # noqa: BLE001  a peer may fail in any way, and is then reported
            said = {"error": f"{type(error).__name__}: {error}"}
        out.write(json.dumps(said) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
