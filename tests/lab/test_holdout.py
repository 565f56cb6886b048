"""The reusable holdout: without noise by hand, and what is true of features that are coins."""

import math
from typing import Any

import numpy as np
import pytest

from deniable.lab.holdout import PAGE, PEOPLE, SIZES, Thresholdout, accuracy, keep, lines, made_up

CHANCE = 6 * math.sqrt(0.25 / PEOPLE)
"""Six standard errors of a share of a thousand people: two in a billion runs are further off."""


def test_without_noise_the_threshold_answers() -> None:
    guard = Thresholdout(0.1, 0, 2, seed=1)
    asked = [(0.5, 0.55), (0.5, 0.7), (0.2, 0.3), (0.9, 0.1), (0.5, 0.5)]
    answers = [guard.ask(*both) for both in asked]
    assert answers[:4] == [0.5, 0.7, 0.2, 0.1]
    assert math.isnan(answers[4])
    assert guard.used == 2


def test_noise_has_the_size_that_is_said() -> None:
    guard = Thresholdout(0.1, 0.05, 4000, seed=1)
    noise = np.array([guard.ask(0, 1) - 1 for _ in range(4000)])
    assert noise.std() == pytest.approx(0.05, rel=6 / math.sqrt(8000))
    # At the threshold itself one of two answers comes from the holdout.
    edge = Thresholdout(0.1, 0.05, 4000, seed=2)
    for _ in range(4000):
        edge.ask(0, 0.1)
    assert edge.used / 4000 == pytest.approx(0.5, abs=6 * math.sqrt(0.25 / 4000))


def test_correlations_features_and_votes_by_hand() -> None:
    train, holdout, _ = made_up("some", 8)
    for part in (train, holdout):
        for feature in (0, 5, 500):
            agree = sum(
                int(one) == int(label)
                for one, label in zip(part.features[:, feature], part.labels, strict=True)
            )
            assert part.correlations[feature] == pytest.approx(2 * agree / PEOPLE - 1, abs=1e-6)
        # The first twenty tell something, the others nothing.
        assert part.correlations[:20].mean() == pytest.approx(0.15, abs=6 / math.sqrt(20_000))
        assert part.correlations[20:].mean() == pytest.approx(0, abs=6 / math.sqrt(980_000))
    kept = keep(train.correlations, holdout.correlations)
    for feature in range(1000):
        one, other = train.correlations[feature], holdout.correlations[feature]
        agrees = one * other > 0 and min(abs(one), abs(other)) > 1 / math.sqrt(PEOPLE)
        assert (feature in kept) == agrees
    sizes = np.abs(train.correlations[kept]).tolist()
    assert sizes == sorted(sizes, reverse=True)
    right = 0.0
    for features, label in zip(holdout.features, holdout.labels, strict=True):
        votes = sum(
            int(features[each]) * (1 if train.correlations[each] > 0 else -1) for each in kept[:10]
        )
        right += 0.5 if votes == 0 else (votes > 0) == (label > 0)
    assert accuracy(train, holdout, kept)[0] == pytest.approx(right / PEOPLE)


def found(seed: int, truth: str = "none", k: int = 50) -> dict[str, Any]:
    return lines(truth, k, 0.12, 0.03, 100, seed)


@pytest.mark.parametrize("seed", [1, 3, 8])
def test_the_open_holdout_misleads_and_thresholdout_does_not(seed: int) -> None:
    both = found(seed)
    for fresh in (both["true_plain"], both["true_guarded"]):
        assert fresh == pytest.approx([0.5] * len(SIZES), abs=CHANCE)
    # One in twenty features agrees by chance: of 1,000 about 50, within six standard errors.
    agree = 2 * 0.15866**2
    assert both["kept_plain"] == pytest.approx(1000 * agree, abs=6 * math.sqrt(1000 * agree))
    # They agree by 1.525/√n on average, so a vote of 50 is right by Φ(1.525 × √(50/1000)).
    formula = 0.5 + 0.5 * math.erf(1.525 * math.sqrt(50 / PEOPLE) / math.sqrt(2))
    assert both["reported_plain"] == pytest.approx(formula, abs=CHANCE)
    assert both["reported_plain"] > 0.6
    assert abs(both["reported_guarded"] - 0.5) < 0.12
    assert both["used"] <= 100


@pytest.mark.parametrize("seed", [1, 3, 8])
def test_most_discoveries_of_many_looks_are_false(seed: int) -> None:
    both = found(seed, "some")
    kept = both["kept_plain"]
    # 980 features that tell nothing pass with 1 in 20, within six standard errors.
    agree = 2 * 0.15866**2
    false = both["false_plain"] * kept
    assert false == pytest.approx(980 * agree, abs=6 * math.sqrt(980 * agree))
    assert kept - false <= 20
    assert both["false_guarded"] > both["false_plain"] > 0.5
    assert found(seed)["false_plain"] == 1


def test_few_features_repeat_the_training_data() -> None:
    few, many = (" ".join(PAGE.shown(PAGE.read({"k": k})).said) for k in ("10", "100"))
    assert "repeats what the training data say" in few
    assert "about 12 %" in few
    assert "repeats" not in many
    for k in (10, 50):
        made = [found(seed, k=k) for seed in (1, 2, 3, 4, 5, 6)]
        plain, guarded = (
            sum(one[f"reported_{which}"] - one[f"fresh_{which}"] for one in made)
            for which in ("plain", "guarded")
        )
        # With 10 features it is worse than the open holdout.
        assert guarded > plain > 0 if k == 10 else guarded < plain
