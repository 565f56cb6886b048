"""Designs of several arms: the probabilities of a yes that the papers print."""

import inspect
from collections.abc import Callable

import numpy as np
import pytest

from deniable import designs
from deniable.channel import ROW_SUM, identity
from deniable.designs.by_name import READERS
from deniable.reanalysis.designs import (
    BY_NAME,
    Arms,
    Share,
    beside_direct_question,
    cheating_detection,
    from_mapping,
    stochastic_lie_detector,
    symmetric_cheating_detection,
    unrelated_question,
)


def _yes(arms: Arms, shares: dict[str, float]) -> list[float]:
    """P(yes) in each arm, for a population given by its classes."""
    theta = np.array([shares.get(name, 0) for name in arms.classes])
    assert theta.sum() == pytest.approx(1)
    return [float((theta @ channel.probabilities)[1]) for channel in arms.channels]


def test_unrelated_question_greenberg_1969() -> None:
    # λ = p π + (1 - p) α, whatever the two have to do with each other.
    sensitive, innocuous, p = 0.2, 0.5, (0.7, 0.3)
    arms = unrelated_question(["7/10", "3/10"])
    for both in (0.0, 0.1, 0.2):
        population = {
            "both": both,
            "sensitive alone": sensitive - both,
            "innocuous alone": innocuous - both,
            "neither": 1 - sensitive - innocuous + both,
        }
        assert _yes(arms, population) == pytest.approx(
            [q * sensitive + (1 - q) * innocuous for q in p]
        )


def test_cheating_detection_clark_and_desharnais_1998() -> None:
    # λ = π + β p, for honest yes π and honest no β.
    arms = cheating_detection([0.25, 0.75])
    population = {"honest yes": 0.1, "honest no": 0.6, "cheater": 0.3}
    assert _yes(arms, population) == pytest.approx([0.1 + 0.6 * 0.25, 0.1 + 0.6 * 0.75])


def test_symmetric_cheating_detection_ostapczuk_2009() -> None:
    # λ = π (1 - p_no) + β p_yes.
    arms = symmetric_cheating_detection(yes=["1/5", "3/5"], no=["1/10", "3/10"])
    population = {"honest yes": 0.1, "honest no": 0.6, "cheater": 0.3}
    assert _yes(arms, population) == pytest.approx([0.1 * 0.9 + 0.6 * 0.2, 0.1 * 0.7 + 0.6 * 0.6])


def test_stochastic_lie_detector_moshagen_2012() -> None:
    # λ = π t + (1 - π)(1 - p).
    carrier, t = 0.3, 0.8
    arms = stochastic_lie_detector([0.2, 0.9])
    population = {
        "truthful carrier": carrier * t,
        "lying carrier": carrier * (1 - t),
        "non-carrier": 1 - carrier,
    }
    assert _yes(arms, population) == pytest.approx(
        [carrier * t + (1 - carrier) * (1 - p) for p in (0.2, 0.9)]
    )


def test_the_design_beside_the_direct_question() -> None:
    channel = designs.truth_or_random()
    arms = beside_direct_question(channel)
    population = {"no": 0.6, "yes": 0.3, "denier": 0.1}
    assert _yes(arms, population) == pytest.approx([0.25 + 0.5 * 0.4, 0.3])
    honest = beside_direct_question(channel, deniers=False)
    assert _yes(honest, {"no": 0.6, "yes": 0.4}) == pytest.approx([0.25 + 0.5 * 0.4, 0.4])


@pytest.mark.parametrize(
    ("arms", "yes"),
    [
        (unrelated_question([0.7, 0.3]), {"sensitive alone", "both"}),
        (cheating_detection([0.25, 0.75]), {"honest yes"}),
        (symmetric_cheating_detection([0.2, 0.6], [0.2, 0.2]), {"honest yes"}),
        (stochastic_lie_detector([0.2, 0.8]), {"truthful carrier"}),
        (beside_direct_question(designs.warner(0.3)), {"yes"}),
        (beside_direct_question(designs.warner(0.3), deniers=False), {"yes"}),
    ],
    ids=["unrelated", "cdm", "cdmsym", "sld", "deniers", "honest"],
)
def test_asked_directly_only_those_who_admit_say_yes(arms: Arms, yes: set[str]) -> None:
    more = arms.with_direct_question()
    assert more.channels[:-1] == arms.channels
    assert (more.classes, more.shares) == (arms.classes, arms.shares)
    direct = more.channels[-1]
    assert {
        name for name, row in zip(arms.classes, direct.weights, strict=True) if row[1] == ROW_SUM
    } == yes
    assert all(ROW_SUM in row for row in direct.weights)


@pytest.mark.parametrize("arms", [stochastic_lie_detector([0.2, 0.8]), unrelated_question([1, 0])])
def test_a_share_is_found_by_its_name(arms: Arms) -> None:
    for share in arms.shares:
        assert arms.share(share.name) is share
    with pytest.raises(ValueError, match=r"expected one of .*, found 'liar'"):
        arms.share("liar")


def test_the_sums_of_classes() -> None:
    lies = stochastic_lie_detector([0.2, 0.8])
    assert lies.share("carrier").classes == (0, 1, 1)
    unrelated = unrelated_question([0.7, 0.3])
    assert unrelated.share("sensitive").classes == (0, 0, 1, 1)
    assert unrelated.share("innocuous").classes == (0, 1, 0, 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cheating_detection([]), r"for each arm.* found \[\]"),
        (lambda: cheating_detection("1/4"), "for each arm.* found '1/4'"),
        (lambda: cheating_detection(["1/4", 2]), "arm 1: .* between 0 and 1, found 2"),
        (lambda: symmetric_cheating_detection([0.5, 0.5], [0.1]), "found 1 and 2"),
        (lambda: symmetric_cheating_detection([0.5, 0.6], [0.1, 0.5]), "arm 1: .* at most 1"),
        (lambda: beside_direct_question(designs.k_ary(3, 1)), "2 truths, no and yes, found 3"),
    ],
)
def test_probabilities_that_are_none_are_refused(make: Callable[[], Arms], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"channels": ()}, "at least one arm"),
        ({"classes": ("no", "no")}, "latent class to have a name of its own"),
        ({"shares": ()}, "share to have a name of its own"),
        ({"channels": (identity(3),)}, "arm 0: .* 2 latent classes .* found 3"),
        ({"shares": (Share("yes", (0, 1, 1)),)}, r"share 'yes': .* found \(0, 1, 1\)"),
        ({"shares": (Share("yes", (0, 2)),)}, r"share 'yes': .* found \(0, 2\)"),
        ({"directly": (0,)}, r"direct answer.* found \(0,\)"),
        ({"directly": (0, 2)}, r"direct answer.* found \(0, 2\)"),
    ],
)
def test_parts_that_do_not_fit_are_refused(parts: dict[str, object], message: str) -> None:
    whole: dict[str, object] = {
        "classes": ("no", "yes"),
        "channels": (identity(2),),
        "shares": (Share("yes", (0, 1)),),
        "directly": (0, 1),
    }
    with pytest.raises(ValueError, match=message):
        Arms(**{**whole, **parts})  # type: ignore[arg-type]


WRITTEN: dict[str, dict[str, object]] = {
    "unrelated_question": {"sensitive": ["7/10", "0"]},
    "cheating_detection": {"yes": ["1/4", "3/4"]},
    "symmetric_cheating_detection": {"yes": ["1/5", "3/5"], "no": ["1/5", "1/5"]},
    "stochastic_lie_detector": {"truth": ["1/6", "5/6"]},
    "beside_direct_question": {"channel": {"warner": {"flip": "1/4"}}, "deniers": "false"},
}


@pytest.mark.parametrize("name", BY_NAME)
def test_every_design_of_several_arms_can_be_named(name: str) -> None:
    made = from_mapping({name: WRITTEN[name]})
    assert len(made.channels) == 2
    declared = inspect.signature(BY_NAME[name]).parameters.values()
    assert {parameter.annotation for parameter in declared} <= {*READERS, "Channel"}
    with_direct = from_mapping({name: {**WRITTEN[name], "direct": "true"}})
    assert with_direct == made.with_direct_question()


def test_a_direct_arm_names_its_yes() -> None:
    detector = {"truth": ["1/6", "5/6"], "direct": "carrier"}
    made = from_mapping({"stochastic_lie_detector": detector})
    assert made.channels[2].probabilities[:, 1].tolist() == [0, 1, 1]
    with pytest.raises(ValueError, match=r"expected one of .*carrier, found 'liar'"):
        from_mapping({"stochastic_lie_detector": {**detector, "direct": "liar"}})
    with pytest.raises(ValueError, match="expected a design by name"):
        from_mapping({"beside_direct_question": {"channel": ["1/4"]}})
    with pytest.raises(ValueError, match="did you mean 'cheating_detection'"):
        from_mapping({"cheating_detector": {}})
