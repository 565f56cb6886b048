"""The tally file: all that need move of a survey's reports, in JSON.

It has every revision of the survey with its document, and so knows its own design. It has counts
and no report; those of direct answers are as they are, and `estimate` hides the small ones.
Whoever reads it trusts nobody: each count is checked against all others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from deniable.analysis.counts.pooling import match
from deniable.study.tallies.full import FullTally, nothing_counted, pool
from deniable.survey import Survey

if TYPE_CHECKING:
    from deniable.study.tallies.written import Revision, Wave

FORMAT: Final = "deniable tally"
VERSION: Final = 1

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
        written = {
            "format": FORMAT,
            "version": VERSION,
            "survey": self.survey.slug,
            "current": self.survey.revision,
            "revisions": [
                {
                    "document": survey.to_json().decode(),
                    "waves": [
                        {
                            "wave": wave,
                            "n": tally.n,
                            # Half of it, as the other half is the same.
                            "table": [row[at:].tolist() for at, row in enumerate(tally.table)],
                        }
                        for wave, tally in sorted(waves.items())
                    ],
                }
                # In one order, whoever counted them: equal tallies are equal files.
                for survey, waves in sorted(self.revisions, key=lambda one: one[0].revision)
            ],
        }
        return json.dumps(written, separators=(",", ":")).encode() + b"\n"

    @classmethod
    def from_json(cls, written: bytes) -> Tallies:
        """Read a tally file strictly; a ValueError says where a mistake is."""
        from pydantic import ValidationError  # noqa: PLC0415

        from deniable.study.tallies.written import File  # noqa: PLC0415  no help needs it

        try:
            found = File.model_validate_json(written)
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
        for place, (survey, _) in enumerate(revisions):
            if survey.slug != found.survey:
                raise ValueError(
                    f"revisions[{place}].document: expected the survey {found.survey!r}, "
                    f"found {survey.slug!r}"
                )
        return cls(of[found.current], revisions)


def _read_revision(entry: Revision, where: str) -> tuple[Survey, dict[int, FullTally]]:
    try:
        survey = Survey.from_json(entry.document.encode())
    except ValueError as mistake:
        raise ValueError(f"{where}.document: {mistake}") from None
    waves: dict[int, FullTally] = {}
    for place, one in enumerate(entry.waves):
        here = f"{where}.waves[{place}]"
        known = survey.wave_numbers
        if one.wave not in known or one.wave in waves:
            raise ValueError(
                f"{here}.wave: expected a wave from {known[0]} to {known[-1]}, each once, "
                f"found {one.wave!r}"
            )
        waves[one.wave] = _read_tally(one, survey, here)
    return survey, waves


def _read_tally(entry: Wave, survey: Survey, where: str) -> FullTally:
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
