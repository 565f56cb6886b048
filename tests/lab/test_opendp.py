"""The central mechanisms of the lab against OpenDP's: what it promises, and what it draws."""

import json
import math
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deniable.lab import budget, choosing, counts
from deniable.lab.choosing import exponential
from deniable.lab.counts import gaussian_sigma
from tests.kit import needs
from tests.lab.shown import values

EYES = [46, 27, 14, 8, 5]


@pytest.fixture(scope="module")
def asked() -> dict[str, Any]:
    noise = values(counts.PAGE, epsilon="0.5", k="10", way="all")
    return {
        "laplace": values(counts.PAGE, epsilon="0.1", k="1")["scale"],
        "laplace_step": 1.0,
        "gaussian": noise["concentrated"],
        "gaussian_step": math.sqrt(10),
        "answers": 100,
        "delta": 1e-6,
        "choosing": 2 / 0.1,
        "counts": EYES,
    }


@pytest.fixture(scope="module")
def opendp(asked: dict[str, Any]) -> dict[str, Any]:
    python = needs.peer("opendp", "OpenDP")
    worker = Path(__file__).with_name("opendp_worker.py")
    done = subprocess.run(
        [python, "-P", str(worker)],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def frequent(share: float, chance: float, n: int) -> bool:
    """Whether a share of n draws is near its chance: six standard errors, 2e-9 by chance alone."""
    return abs(share - chance) <= 6 * math.sqrt(chance * (1 - chance) / n) + 1e-12


@pytest.mark.slow
def test_laplace_has_the_same_promise_tails(opendp: dict[str, Any], asked: dict[str, Any]) -> None:
    assert opendp["laplace"] == pytest.approx(0.1)
    drawn = np.abs(opendp["laplace_draws"]) / asked["laplace"]
    for t in (0.5, 1, 3):
        assert frequent((drawn >= t).mean(), math.exp(-t), len(drawn))


@pytest.mark.slow
def test_gaussian_has_rho_and_epsilon_right(opendp: dict[str, Any], asked: dict[str, Any]) -> None:
    page = values(counts.PAGE, epsilon="0.5", k="10", way="all")
    assert opendp["rho"] == pytest.approx(page["rho"])
    # Its way from ρ to ε is better than the formula of the page, and not exact.
    assert opendp["epsilon"] <= 0.5
    assert math.sqrt(10) * gaussian_sigma(opendp["epsilon"], 1e-6) < asked["gaussian"]


@pytest.mark.slow
def test_a_hundred_answers_add_up_alike(opendp: dict[str, Any]) -> None:
    page = budget.totals(0.1, 100, 1e-6)
    assert opendp["sum"] == pytest.approx(page["basic"])
    assert opendp["answers_rho"] == pytest.approx(100 * 0.1**2 / 2)
    assert page["exact"] < opendp["answers_epsilon"] < page["concentrated"]


@pytest.mark.slow
def test_choices_keep_the_promise_and_fall_alike(opendp: dict[str, Any]) -> None:
    assert opendp["moving"] == pytest.approx(0.1)
    assert opendp["joining"] == pytest.approx(0.05)
    drawn = np.bincount(opendp["chosen"], minlength=5) / len(opendp["chosen"])
    chances = exponential(EYES, 0.1)
    assert all(
        frequent(share, chance, len(opendp["chosen"]))
        for share, chance in zip(drawn, chances, strict=True)
    )
    assert values(choosing.PAGE, epsilon="0.1")["best"] == pytest.approx(chances[0])
