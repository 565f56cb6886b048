"""Test vectors that Python and JavaScript must both reproduce."""

import json
from dataclasses import dataclass
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
    """Read the vectors of the sampler."""
    return [
        Sampler(
            name=case["name"],
            channel=Channel(case["weights"] or _k_ary(*case["k_ary"])),
            epsilon=case["epsilon"],
            words=case["words"],
            reports={int(truth): reports for truth, reports in case["reports"].items()},
        )
        for case in json.loads((_FOLDER / "samplers.json").read_text())
    ]


def survey() -> dict[str, Any]:
    """Read the vector of a whole survey: document, words, truths and answers."""
    case: dict[str, Any] = json.loads((_FOLDER / "survey.json").read_text())
    return case


def asking() -> dict[str, Any]:
    """Read the vector of a survey that asks a part of its questions: document and cases."""
    case: dict[str, Any] = json.loads((_FOLDER / "asking.json").read_text())
    return case


def branching() -> dict[str, Any]:
    """Read the vector of a survey with branches: document and cases."""
    case: dict[str, Any] = json.loads((_FOLDER / "branching.json").read_text())
    return case


def together() -> list[dict[str, Any]]:
    """Read the vectors of surveys with questions that are randomised as one answer."""
    cases: list[dict[str, Any]] = json.loads((_FOLDER / "together.json").read_text())["surveys"]
    return cases


def surenesses() -> list[dict[str, Any]]:
    """Read how sure somebody can get of some surveys: documents, numbers, tiers and sentences."""
    cases: list[dict[str, Any]] = json.loads((_FOLDER / "sureness.json").read_text())
    return cases


def wordings() -> list[dict[str, Any]]:
    """Read the lines of a survey whose words were corrected, as may be and as may not."""
    cases: list[dict[str, Any]] = json.loads((_FOLDER / "wordings.json").read_text())
    return cases


def survey_file() -> str:
    """Read the survey file that the vector of a whole survey was made of."""
    return (_FOLDER / "survey.yaml").read_text()


def asking_file() -> str:
    """Read the survey file that the vector of such a survey was made of."""
    return (_FOLDER / "asking.yaml").read_text()


def branching_file() -> str:
    """Read the survey file that the vector with branches was made of."""
    return (_FOLDER / "branching.yaml").read_text()


def in_any_order_file() -> str:
    """Read a survey file that leaves to chance all that it can."""
    return (_FOLDER / "in-any-order.yaml").read_text()


def _k_ary(k: int, own: int, other: int) -> list[list[int]]:
    return [[own if report == truth else other for report in range(k)] for truth in range(k)]
