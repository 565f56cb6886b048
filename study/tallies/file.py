"""The tally file: all that need move of a survey's reports, in JSON.

It has the survey's document, and so knows its own design. It has counts and no report; those of
direct answers are as they are, and `estimate` hides the small ones. Who reads it trusts nobody:
each count is checked against all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

import numpy as np
from annotated_types import Interval

from deniable.analysis.counts.labels import MOST_REPORTS
from deniable.study.tallies.full import FullTally, count_full, nothing_counted
from deniable.survey import Survey
from deniable.text.doors import placed

_Count: TypeAlias = Annotated[int, Interval(ge=0, le=MOST_REPORTS)]


@dataclass(frozen=True)
class _Wave:
    wave: int
    n: _Count
    table: list[list[_Count]]


@dataclass(frozen=True)
class _File:
    format: Literal["deniable tally"]
    version: Literal[1]
    document: str
    waves: list[_Wave]


@dataclass(frozen=True, eq=False)
class Tallies:
    """The tallies of a survey.

    `waves`: of each wave that has reports, or of the first.
    """

    survey: Survey
    waves: dict[int, FullTally]

    def to_json(self) -> bytes:
        """Write the tally file."""
        from pydantic import TypeAdapter  # noqa: PLC0415  no help needs it

        # Half of each table, as the other half is the same.
        waves = [
            _Wave(
                self.survey.on_wire(wave),
                tally.n,
                [row[at:].tolist() for at, row in enumerate(tally.table)],
            )
            for wave, tally in self.waves.items()
        ]
        file = _File("deniable tally", 1, self.survey.to_json().decode(), waves)
        return TypeAdapter(_File).dump_json(file) + b"\n"

    @classmethod
    def from_json(cls, written: bytes) -> Tallies:
        """Read a tally file strictly; a ValueError says where a mistake is."""
        from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415  no help needs it

        try:
            found = TypeAdapter(_File).validate_json(written, strict=True, extra="forbid")
        except ValidationError as mistakes:
            (mistake, *_) = mistakes.errors(include_url=False)
            where = "".join(
                f"[{step}]" if isinstance(step, int) else f".{step}" for step in mistake["loc"]
            ).lstrip(".")
            said = mistake["msg"].replace("Input should be", "expected")
            value = "" if mistake["type"] == "json_invalid" else f", found {mistake['input']!r:.60}"
            raise ValueError(f"{where or 'expected a tally file'}: {said}{value}") from None
        with placed("document"):
            survey = Survey.from_json(found.document.encode())
        known = survey.waves_on_wire
        first, *_, last = [*known] * 2
        waves = dict[int, FullTally]()
        for place, one in enumerate(found.waves):
            if one.wave not in known or known[one.wave] in waves:
                raise ValueError(
                    f"waves[{place}].wave: expected a wave from {first} to {last}, each once, "
                    f"found {one.wave!r}"
                )
            waves[known[one.wave]] = _read_tally(one, survey, f"waves[{place}]")
        return cls(survey, waves or count_full((), survey))


def _read_tally(entry: _Wave, survey: Survey, where: str) -> FullTally:
    """Read what was counted; no count may contradict another one."""
    whole = nothing_counted(survey)
    lengths = range(len(whole.table), 0, -1)
    if [len(row) for row in entry.table] != [*lengths]:
        raise ValueError(f"{where}.table: expected rows of {lengths[0]} counts down to 1")
    for place, row in enumerate(entry.table):
        whole.table[place, place:] = whole.table[place:, place] = row
    came, starts = whole.table.diagonal(), np.cumsum([0, *whole.sizes[:-1]])
    # Together with the reports to any item, each report came as often as it came at all.
    if (np.add.reduceat(came, starts) != entry.n).any():
        raise ValueError(f"{where}: expected counts of {entry.n} reports to each item")
    wrong = np.argwhere(np.add.reduceat(whole.table, starts, axis=1) != came[:, np.newaxis])
    if len(wrong):
        row, item = wrong[0].tolist()
        raise ValueError(
            f"{where}.table: expected {came[row]} reports to {survey.items[item].id!r} by those "
            f"who sent what row {row} counts, found others"
        )
    return FullTally(entry.n, whole.sizes, whole.table)
