"""What a desk shows to everybody of a survey, computed again from the reports on its board."""

import json
import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from deniable.crypto.board import Board, BoardError
from deniable.server.store.records import Snapshot
from deniable.server.store.schedule import State
from deniable.survey import Survey

_NEAR: Final = 1e-6
"""By how much two computers may differ in an estimate."""


def check_results(path: Path, survey: Survey, surveys: Mapping[str, Survey], board: Board) -> None:
    """Check that the results that everybody may see are those that a board's reports give."""
    # Late, for they load the analysis.
    from deniable.server.desk.results.public import results_of, write_results  # noqa: PLC0415

    try:
        told = json.loads(path.read_bytes())
        revision, state, count = told["revision"], State(told["state"]), told["n"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BoardError(f"{path}: expected the results of a public page") from None
    if revision != survey.revision:
        raise BoardError(f"{path}: are of another revision than the one that is asked now")
    snapshot = _snapshot(board)
    answered = [surveys[one] for one in snapshot.tallies]
    results = results_of(snapshot, survey, answered, state)
    found = json.loads(write_results(survey, results, state))
    if count != found["n"]:
        raise BoardError(
            f"{path}: are of {count!r} reports, and the last board gives results of "
            f"{found['n']:,}: compare them when the survey is closed"
        )
    if not _agree(told, found):
        raise BoardError(f"{path}: the reports on the last board do not give these results")


def _snapshot(board: Board) -> Snapshot:
    """Count the reports on a board as the desk counts those that it shows."""
    groups: dict[str, dict[int, list[bytes]]] = {}
    for entry in board.entries:
        report = entry.report
        groups.setdefault(report.revision, {}).setdefault(report.wave, []).append(report.answers)
    return Snapshot(
        {
            revision: {
                wave: tuple(Counter(places) for places in zip(*answers, strict=True))
                for wave, answers in waves.items()
            }
            for revision, waves in groups.items()
        }
    )


def _agree(told: Any, found: Any) -> bool:
    """Return whether two documents are the same but for the last digits of numbers."""
    if isinstance(found, dict):
        return (
            isinstance(told, dict)
            and told.keys() == found.keys()
            and all(_agree(told[key], value) for key, value in found.items())
        )
    if isinstance(found, list):
        return (
            isinstance(told, list)
            and len(told) == len(found)
            and all(_agree(*pair) for pair in zip(told, found, strict=True))
        )
    if isinstance(found, float) and isinstance(told, int | float):
        return math.isclose(told, found, rel_tol=_NEAR, abs_tol=_NEAR)
    return bool(told == found)
