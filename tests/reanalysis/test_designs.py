"""Designs of several arms: the probabilities of a yes that the papers print."""

import inspect
from collections.abc import Callable

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
