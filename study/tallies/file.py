"""The tally file: all that need move of a survey's reports, in JSON.

It has every revision of the survey with its document, and so knows its own design. It has counts
and no report; those of direct answers are as they are, and `estimate` hides the small ones.
Whoever reads it trusts nobody: each count is checked against all others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from deniable.analysis.counts.labels import MOST_REPORTS
from deniable.analysis.counts.pooling import match
from deniable.study.tallies.full import FullTally, nothing_counted, pool
from deniable.survey import Survey


@dataclass(frozen=True)
class _Wave:
    wave: int
    n: int
    table: list[list[int]]


@dataclass(frozen=True)
class _Revision:
    document: str
    waves: list[_Wave]


@dataclass(frozen=True)
class _File:
    format: Literal["deniable tally"]
    version: Literal[1]
    current: str
    revisions: list[_Revision]


Waves = Mapping[int, FullTally]
"""The tally of each wave; under 0 where there are none."""


@dataclass(frozen=True, eq=False)
class Tallies:
    """The tallies of a survey's revisions.

    `survey`: the current revision. `revisions`: each revision with the tallies of its waves, those
    that have reports.
    """

    survey: Survey
    revisions: tuple[tuple[Survey, Waves], ...]

    def pooled(self) -> dict[int, FullTally]:
        """Return the tally of each wave, with the reports to other revisions that count in it."""
        counted = [one for one in self.revisions if match(self.survey, one[0]).is_pooled]
        waves = sorted({wave for _, found in counted for wave in found})
        if self.survey.waves is None and not waves:
            return {0: nothing_counted(self.survey)}
        return {
            wave: pool(self.survey, ((one, found[wave]) for one, found in counted if wave in found))
            for wave in waves
        }

    def others_told(self) -> list[str]:
        """Say what became of the reports to each other revision, in a sentence each."""
        return [
            match(self.survey, other).told(sum(tally.n for tally in waves.values()))
            for other, waves in self.revisions
            if other.revision != self.survey.revision and waves
        ]

    def to_json(self) -> bytes:
        """Write the tally file."""
        from pydantic import TypeAdapter  # noqa: PLC0415  no help needs it

        revisions = [
            _Revision(
                survey.to_json().decode(),
                # Half of each table, as the other half is the same.
                [
                    _Wave(wave, tally.n, [row[at:].tolist() for at, row in enumerate(tally.table)])
                    for wave, tally in sorted(waves.items())
                ],
            )
            # In one order, whoever counted them: equal tallies are equal files.
            for survey, waves in sorted(self.revisions, key=lambda one: one[0].revision)
        ]
        file = _File("deniable tally", 1, self.survey.revision, revisions)
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
        revisions = tuple(
            _read_revision(entry, f"revisions[{place}]")
            for place, entry in enumerate(found.revisions)
        )
        of = {survey.revision: survey for survey, _ in revisions}
        if len(of) < len(revisions):
            raise ValueError("revisions: expected each revision once, found one twice")
        if found.current not in of:
            raise ValueError("current: expected one of the revisions of the file")
        if others := {survey.slug for survey in of.values()} - {of[found.current].slug}:
            told = ", ".join(sorted(others))
            raise ValueError(f"revisions: expected those of one survey, found also {told}")
        return cls(of[found.current], revisions)


def _read_revision(entry: _Revision, where: str) -> tuple[Survey, dict[int, FullTally]]:
    try:
        survey = Survey.from_json(entry.document.encode())
    except ValueError as mistake:
        raise ValueError(f"{where}.document: {mistake}") from None
    waves: dict[int, FullTally] = {}
    for place, one in enumerate(entry.waves):
        here = f"{where}.waves[{place}]"
        known, wave = survey.wave_numbers, one.wave
        if wave not in known or wave in waves:
            raise ValueError(
                f"{here}.wave: expected a wave from {known[0]} to {known[-1]}, each once, "
                f"found {wave!r}"
            )
        waves[wave] = _read_tally(one, survey, here)
    return survey, waves


def _read_tally(entry: _Wave, survey: Survey, where: str) -> FullTally:
    """Read what was counted; no count may contradict another one."""
    whole = nothing_counted(survey)
    lengths = range(len(whole.table), 0, -1)
    if [len(row) for row in entry.table] != [*lengths]:
        raise ValueError(f"{where}.table: expected rows of {lengths[0]} counts down to 1")
    if not 0 <= entry.n <= MOST_REPORTS:
        raise ValueError(f"{where}.n: expected from 0 to {MOST_REPORTS}, found {entry.n}")
    for place, row in enumerate(entry.table):
        for at, count in enumerate(row):
            if not 0 <= count <= entry.n:
                raise ValueError(
                    f"{where}.table[{place}][{at}]: expected from 0 to {entry.n}, found {count}"
                )
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
