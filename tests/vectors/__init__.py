"""Test vectors that Python and JavaScript must both reproduce."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from deniable.channel import Channel
from deniable.client.randomness import WordSource

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Sampler:
    """A channel, a tape of words, and the reports that they give for each truth."""

    name: str
    channel: Channel
    epsilon: float | None
    words: list[int]
    reports: dict[int, list[int]]


def source_of(*tapes: list[int]) -> WordSource:
    """Give the words of these tapes in place of chance, one a call."""
    left = list(tapes)

    def words(count: int) -> npt.NDArray[np.uint32]:
        tape = left.pop(0)
        assert len(tape) == count
        return np.array(tape, dtype=np.uint32)

    return words


def samplers() -> list[Sampler]:
    return [
        Sampler(
            name=case["name"],
            channel=Channel(case["weights"] or _k_ary(*case["k_ary"])),
            epsilon=case["epsilon"],
            words=case["words"],
            reports={int(truth): reports for truth, reports in case["reports"].items()},
        )
        for case in _read("samplers")
    ]


def _read(name: str) -> Any:
    return json.loads((_FOLDER / f"{name}.json").read_text())


survey: Callable[[], dict[str, Any]] = partial(_read, "survey")
"""Read the vector of a whole survey: document, words, truths and answers."""
asking: Callable[[], dict[str, Any]] = partial(_read, "asking")
"""Read the vector of a survey that asks a part of its questions: document and cases."""
branching: Callable[[], dict[str, Any]] = partial(_read, "branching")
"""Read the vector of a survey with branches: document and cases."""
surenesses: Callable[[], list[dict[str, Any]]] = partial(_read, "sureness")
"""Read how sure somebody can get of some surveys: documents, numbers, tiers and sentences."""

enumerated: Callable[[], list[dict[str, Any]]] = partial(_read, "enumerated")
"""Read how sure somebody can get of 200 surveys that were made by chance, by enumeration."""
forgetful: Callable[[], list[dict[str, Any]]] = partial(_read, "forgetful")
"""Read how sure somebody can get of 40 questions in waves if devices forget, by enumeration."""
wordings: Callable[[], list[dict[str, Any]]] = partial(_read, "wordings")
"""Read the lines of a survey whose words were corrected, as may be and as may not."""


def together() -> list[dict[str, Any]]:
    """Read the vectors of surveys with questions that are randomised as one answer."""
    cases: list[dict[str, Any]] = _read("together")["surveys"]
    return cases


survey_file = (_FOLDER / "survey.yaml").read_text
asking_file = (_FOLDER / "asking.yaml").read_text
branching_file = (_FOLDER / "branching.yaml").read_text
"""Read the survey files that these vectors were made of."""
in_any_order_file = (_FOLDER / "in-any-order.yaml").read_text
"""Read a survey file that leaves to chance all that it can."""


def _k_ary(k: int, own: int, other: int) -> list[list[int]]:
    return [[own if report == truth else other for report in range(k)] for truth in range(k)]
