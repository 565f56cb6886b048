"""Estimates are kept as long as the tally stays the same, and no longer."""

import numpy as np
import pytest

from deniable.analysis.counts.tally import Tally
from deniable.study import counted
from tests.kit import surveys


def test_the_same_tally_is_summarised_once_and_another_one_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []

    def summarise(*told: object, **_: object) -> object:
        asked.append(told)
        return told

    monkeypatch.setattr(counted, "summarise", summarise)
    survey, kept = surveys.survey(), counted.Summaries()

    def look(yes: int, level: float = 0.95) -> object:
        counts = tuple(np.array([100 - yes, yes]) for _ in survey.items)
        return kept.of(survey, Tally(survey.revision, 100, counts), level, "wald", least_cell=1)

    assert look(30) is look(30)
    assert len(asked) == 1
    look(31)
    look(30, 0.9)
    assert len(asked) == 3
    for yes in range(100):
        look(yes)
    assert len(kept._kept) == kept.MOST
