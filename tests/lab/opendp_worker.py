"""Run inside the peers' environment: what OpenDP says of the lab's mechanisms, as JSON."""

import importlib
import json
import sys
from typing import Any

DRAWS = 20_000


def main() -> None:
    dp = importlib.import_module("opendp.prelude")  # only there
    dp.enable_features("contrib")
    real = (dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float))
    asked: dict[str, Any] = json.loads(sys.stdin.read())
    laplace = dp.m.make_laplace(*real, scale=asked["laplace"])
    gaussian = dp.m.make_gaussian(*real, scale=asked["gaussian"])
    answers = [dp.c.make_pureDP_to_zCDP(laplace)] * asked["answers"]
    chooser, monotonic, gumbel = (
        dp.m.make_noisy_max(
            dp.vector_domain(dp.atom_domain(T=int)),
            dp.linf_distance(T=int, monotonic=monotonic),
            measure,
            asked["choosing"],
        )
        for monotonic, measure in (
            (False, dp.max_divergence()),
            (True, dp.max_divergence()),
            (False, dp.zero_concentrated_divergence()),
        )
    )
    found = {
        "laplace": laplace.map(asked["laplace_step"]),
        "laplace_draws": [laplace(0.0) for _ in range(DRAWS)],
        "rho": gaussian.map(asked["gaussian_step"]),
        "epsilon": dp.c.make_zCDP_to_approxDP(gaussian)
        .map(asked["gaussian_step"])
        .epsilon(asked["delta"]),
        "sum": dp.c.make_composition([laplace] * asked["answers"]).map(asked["laplace_step"]),
        "answers_rho": dp.c.make_composition(answers).map(asked["laplace_step"]),
        "answers_epsilon": dp.c.make_zCDP_to_approxDP(dp.c.make_composition(answers))
        .map(asked["laplace_step"])
        .epsilon(asked["delta"]),
        "moving": chooser.map(1),
        "joining": monotonic.map(1),
        # With Gumbel noise the greatest is what the exponential mechanism chooses.
        "chosen": [gumbel(asked["counts"]) for _ in range(DRAWS)],
    }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
