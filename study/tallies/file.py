"""The tally file: all that need move of a survey's reports, in JSON.

It has every revision of the survey with its document, and so knows its own design. It has counts
and no report; those of direct answers are as they are, since tallies of parts could not be added
otherwise. Whoever reads it trusts nobody: each count is checked against all others.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final

import numpy as np

from deniable.analysis.counts.labels import MOST_REPORTS
from deniable.analysis.counts.pooling import match
from deniable.analysis.numerics.arrays import IntArray
from deniable.study.tallies import shards
from deniable.study.tallies.full import FullTally, nothing_counted, pool, sizes_of
from deniable.study.tallies.shards import Shards
from deniable.survey import Survey

FORMAT: Final = "deniable tally"
VERSION: Final = 1

_KEYS: Final = ("format", "version", "survey", "current", "shards", "revisions")

Waves = Mapping[int, FullTally]
"""The tally of each wave; under 0 where there are none."""


@dataclass(frozen=True, eq=False)
class Tallies:
    """The tallies of a survey's revisions, of some of its reports or all.

    Parameters
    ----------
    survey : Survey
        The current revision.
    shards : frozenset of int
        Which reports it is of, see `deniable.study.tallies.shards`.
    revisions : tuple of (Survey, dict of (int: FullTally))
        Each revision with the tallies of its waves, those that have reports.
    """

    survey: Survey
    shards: Shards
    revisions: tuple[tuple[Survey, Waves], ...]

    @property
    def n(self) -> int:
        """Number of reports, to all revisions."""
        return sum(tally.n for _, waves in self.revisions for tally in waves.values())

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

    def equals(self, other: Tallies) -> bool:
        """Return whether both count the same of the same reports."""
        mine, theirs = (
            {one.revision: waves for one, waves in each.revisions if waves}
            for each in (self, other)
        )
        return (
            (self.survey.revision, self.shards) == (other.survey.revision, other.shards)
            and mine.keys() == theirs.keys()
            and all(
                waves.keys() == theirs[revision].keys()
                and all(tally.equals(theirs[revision][wave]) for wave, tally in waves.items())
                for revision, waves in mine.items()
            )
        )

    def to_json(self) -> bytes:
        """Write the tally file."""
        written = {
            "format": FORMAT,
            "version": VERSION,
            "survey": self.survey.slug,
            "current": self.survey.revision,
            "shards": shards.said(self.shards),
            "revisions": [
                {
                    "document": survey.to_json().decode(),
                    "waves": [
                        {
                            "wave": wave,
                            "n": tally.n,
                            "singles": [counts.tolist() for counts in tally.singles],
                            "pairs": [tally.pairs[key].tolist() for key in sorted(tally.pairs)],
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
        """Read a tally file strictly.

        Raises
        ------
        ValueError
            If it is none; the message says where the mistake is.
        """
        try:
            found = json.loads(written.decode())
        except json.JSONDecodeError as error:
            raise ValueError(
                f"line {error.lineno}, column {error.colno}: expected JSON ({error.msg})"
            ) from None
        except (UnicodeDecodeError, RecursionError):
            raise ValueError("expected a tally file: JSON in UTF-8") from None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ValueError(f'expected a tally file, which says "format": "{FORMAT}"')
        if found.get("version") != VERSION:
            raise ValueError(
                f"version: expected {VERSION}, found {found.get('version')!r}; another release "
                "wrote this file"
            )
        _check_keys(found, _KEYS, "the file")
        revisions = tuple(
            _read_revision(entry, f"revisions[{place}]")
            for place, entry in enumerate(_list(found["revisions"], "revisions"))
        )
        of = {survey.revision: survey for survey, _ in revisions}
        if len(of) < len(revisions):
            raise ValueError("revisions: expected each revision once, found one twice")
        if found["current"] not in of:
            raise ValueError("current: expected one of the revisions of the file")
        for place, (survey, _) in enumerate(revisions):
            if survey.slug != found["survey"]:
                raise ValueError(
                    f"revisions[{place}].document: expected the survey {found['survey']!r}, "
                    f"found {survey.slug!r}"
                )
        try:
            parts = shards.read(str(found["shards"]))
        except ValueError as mistake:
            raise ValueError(f"shards: {mistake}") from None
        return cls(of[found["current"]], parts, revisions)


def add(tallies: Iterable[tuple[str, Tallies]]) -> Tallies:
    """Add up tallies of different reports to one survey.

    Parameters
    ----------
    tallies : iterable of (str, Tallies)
        Each with what messages call it; at least one.

    Raises
    ------
    ValueError
        If they are of different surveys, or a report could be in two of them.
    """
    (_, whole), *others = tallies
    for name, other in others:
        if other.survey.slug != whole.survey.slug:
            raise ValueError(
                f"{name}: expected a tally of the survey {whole.survey.slug!r}, "
                f"found {other.survey.slug!r}"
            )
        if other.survey.revision != whole.survey.revision:
            raise ValueError(
                f"{name}: expected the current revision {whole.survey.fingerprint}, found "
                f"{other.survey.fingerprint}; make both tallies from the same export"
            )
        shards.refuse_common(whole.shards, other.shards, name)
        merged = {one.revision: (one, dict(waves)) for one, waves in whole.revisions}
        for survey, waves in other.revisions:
            _, mine = merged.setdefault(survey.revision, (survey, {}))
            for wave, tally in waves.items():
                mine[wave] = mine[wave] + tally if wave in mine else tally
        whole = replace(whole, shards=whole.shards | other.shards, revisions=tuple(merged.values()))
    return whole


def _read_revision(entry: Any, where: str) -> tuple[Survey, dict[int, FullTally]]:
    _check_keys(entry, ("document", "waves"), where)
    try:
        survey = Survey.from_json(str(entry["document"]).encode())
    except ValueError as mistake:
        raise ValueError(f"{where}.document: {mistake}") from None
    waves: dict[int, FullTally] = {}
    for place, one in enumerate(_list(entry["waves"], f"{where}.waves")):
        here = f"{where}.waves[{place}]"
        _check_keys(one, ("wave", "n", "singles", "pairs"), here)
        wave, least = one["wave"], 0 if survey.waves is None else 1
        if type(wave) is not int or not least <= wave <= (survey.waves or 0) or wave in waves:
            raise ValueError(
                f"{here}.wave: expected a wave from {least} to {survey.waves or 0}, each once, "
                f"found {wave!r}"
            )
        waves[wave] = _read_tally(one, survey, here)
        if survey.waves is not None and waves[wave].singles[-1][wave - 1] != waves[wave].n:
            raise ValueError(f"{here}.singles[{len(survey.items) - 1}]: expected wave {wave} alone")
    return survey, waves


def _read_tally(entry: Mapping[str, Any], survey: Survey, where: str) -> FullTally:
    sizes = sizes_of(survey)
    n = entry["n"]
    if type(n) is not int or not 0 <= n <= MOST_REPORTS:
        raise ValueError(f"{where}.n: expected a number of reports, found {n!r}")
    singles = _list(entry["singles"], f"{where}.singles", len(sizes))
    counted = tuple(
        _counts(counts, (size,), f"{where}.singles[{place}]")
        for place, (counts, size) in enumerate(zip(singles, sizes, strict=True))
    )
    for place, counts in enumerate(counted):
        _check_sum(counts, n, f"{where}.singles[{place}]")
    keys = list(combinations(range(len(sizes)), 2))
    tables = _list(entry["pairs"], f"{where}.pairs", len(keys))
    pairs: dict[tuple[int, int], IntArray] = {}
    for place, ((one, other), table) in enumerate(zip(keys, tables, strict=True)):
        here = f"{where}.pairs[{place}]"
        found = _counts(table, (sizes[one], sizes[other]), here)
        _check_sum(found, n, here)
        margins = (found.sum(axis=1), found.sum(axis=0))
        for item, margin in zip((one, other), margins, strict=True):
            if not np.array_equal(margin, counted[item]):
                raise ValueError(
                    f"{here}: expected as many reports as singles[{item}] says of "
                    f"{survey.items[item].id!r}, found others"
                )
        pairs[one, other] = found
    return FullTally(n, counted, pairs)


def _counts(given: Any, shape: tuple[int, ...], where: str) -> IntArray:
    """Read a table of counts, which may hold nothing else."""
    for place, entry in enumerate(_list(given, where, shape[0])):
        if len(shape) > 1:
            _counts(entry, shape[1:], f"{where}[{place}]")
        elif type(entry) is not int or not 0 <= entry <= MOST_REPORTS:
            raise ValueError(f"{where}[{place}]: expected a count, found {entry!r}")
    return np.array(given, dtype=np.int64)


def _check_sum(counts: IntArray, n: int, where: str) -> None:
    found = sum(counts.ravel().tolist())  # Python's own numbers, which have no end
    if found != n:
        raise ValueError(f"{where}: expected counts of {n} reports in all, found {found}")


def _list(given: Any, where: str, length: int | None = None) -> list[Any]:
    if not isinstance(given, list):
        raise ValueError(f"{where}: expected a list, found {type(given).__name__}")
    if length is not None and len(given) != length:
        raise ValueError(f"{where}: expected {length} entries, found {len(given)}")
    return given


def _check_keys(given: Any, keys: tuple[str, ...], where: str) -> None:
    if not isinstance(given, dict) or given.keys() != set(keys):
        found = ", ".join(map(str, given)) if isinstance(given, dict) else type(given).__name__
        raise ValueError(f"{where}: expected the keys {', '.join(keys)}, found {found}")
