"""The estimates of a survey with waves as CSV and JSON: those of each wave, and the changes."""

from __future__ import annotations

import csv
import io
import json
from typing import Final

from deniable.analysis.export import COLUMNS, Value, csv_cell, rows, verdict_document
from deniable.analysis.waves import Change, Waves

WAVE_COLUMNS: Final = ("wave", "since", *COLUMNS)
"""The columns, in order; `wave_rows` says what the first two hold."""


def wave_rows(waves: Waves) -> list[dict[str, Value]]:
    """Lay the estimates out in rows.

    Parameters
    ----------
    waves : Waves

    Returns
    -------
    list of dict
        First those of each wave, as `deniable.analysis.export.rows` has them, with the wave's
        number as ``wave``. Then one for each change, whose ``statistic`` is ``change of share`` or
        ``change of mean`` from the wave ``since`` to ``wave``; cells that belong to a single wave
        are empty.
    """
    laid_out: list[dict[str, Value]] = []
    for wave, results in zip(waves.waves, waves.results, strict=True):
        laid_out += [{"wave": wave, "since": None, **row} for row in rows(results)]
    laid_out += [_change_row(waves, change) for change in waves.changes]
    return laid_out


def waves_csv(waves: Waves) -> str:
    """Write the estimates as CSV, as `deniable.analysis.export.estimates_csv` does."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(WAVE_COLUMNS)
    writer.writerows([csv_cell(row[name]) for name in WAVE_COLUMNS] for row in wave_rows(waves))
    return file.getvalue()


def waves_json(waves: Waves) -> str:
    """Write the estimates as JSON: the survey with its ε, and under ``estimates`` the rows."""
    survey = waves.survey
    document = {
        "survey": survey.slug,
        "title": survey.title,
        "revision": survey.revision,
        "epsilon": survey.epsilon,
        "waves": survey.document["waves"],
        "n": waves.n,
        "n_by_wave": {
            str(wave): results.n for wave, results in zip(waves.waves, waves.results, strict=True)
        },
        "design_followed": verdict_document(waves.verdict),
        "estimates": wave_rows(waves),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _change_row(waves: Waves, change: Change) -> dict[str, Value]:
    of = "mean" if change.answer is None else "share"
    cells: dict[str, Value] = {
        "wave": change.wave,
        "since": change.since,
        "question": change.item.question,
        "item": change.item.id,
        "answer": None if change.answer is None else change.answer.code,
        "statistic": f"change of {of}",
        "estimate": change.estimate,
        "standard_error": change.standard_error,
        "low": change.low,
        "high": change.high,
        "level": waves.level,
        "method": change.method,
        "epsilon": change.item.epsilon,
        "protection": change.item.protection.value,
        "survey": waves.survey.slug,
        "revision": waves.survey.revision,
    }
    return {column: cells.get(column) for column in WAVE_COLUMNS}
