"""A survey's estimates as CSV and JSON, one row an answer."""

from __future__ import annotations

import csv
import io
import json
from typing import Final, TypeAlias

from deniable.analysis.results import ItemResults, Results, Share

Value: TypeAlias = str | float | bool | None
"""What a cell can hold; None is an empty cell, and JSON's null."""

COLUMNS: Final = (
    "question",
    "item",
    "answer",
    "estimate",
    "standard_error",
    "low",
    "high",
    "level",
    "method",
    "maximum_likelihood",
    "clipped",
    "outside",
    "observed_noisy",
    "n",
    "epsilon",
    "flip",
    "protection",
    "survey",
    "revision",
)
"""The columns, in order; `rows` says what each holds."""


def rows(results: Results) -> list[dict[str, Value]]:
    """Lay the results out in rows.

    Parameters
    ----------
    results : Results

    Returns
    -------
    list of dict
        One an answer, with the keys of `COLUMNS`:

        - ``question``, ``item``, ``answer``: their codes;
        - ``estimate``, ``standard_error``, ``low``, ``high``: unbiased estimate and interval of the
          share, as they came out, which may be below 0 or above 1; ``level``, ``method`` of the
          interval;
        - ``maximum_likelihood``: the share in the most likely distribution;
        - ``clipped``: the estimate moved to the nearest number in [0, 1], for those who must have
          one there: it is biased;
        - ``outside``: whether that moved it;
        - ``observed_noisy``: share of the reports that name the answer (randomised items only);
        - ``n``: respondents who were asked the item;
        - ``epsilon``: privacy loss of the item; ``flip``: greatest chance that its report is not
          the truth, where reports are named after answers; empty for direct items;
        - ``protection``: ``randomised`` or ``direct``; ``survey``, ``revision``.
    """
    return [
        _row(results, item, share)
        for question in results.questions
        for item in question.items
        for share in item.shares
    ]


def estimates_csv(results: Results) -> str:
    """Write the results as CSV (RFC 4180): a header, and a line an answer.

    Numbers have all their digits, truth values are ``true`` and ``false``, and what is unknown is
    left empty.
    """
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    writer.writerows([_csv_cell(row[name]) for name in COLUMNS] for row in rows(results))
    return file.getvalue()


def estimates_json(results: Results) -> str:
    """Write the results as JSON: the survey, and under ``estimates`` the rows of the CSV.

    What is unknown is null; there is no NaN, which JSON has no word for.
    """
    document = {
        "survey": results.survey.slug,
        "title": results.survey.title,
        "revision": results.survey.revision,
        "epsilon": results.survey.epsilon,
        "n": results.n,
        "level": results.level,
        "method": results.method,
        "estimates": rows(results),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _row(results: Results, item: ItemResults, share: Share) -> dict[str, Value]:
    return {
        "question": item.item.question,
        "item": item.item.id,
        "answer": share.answer.code,
        "estimate": share.estimate,
        "standard_error": share.standard_error,
        "low": share.low,
        "high": share.high,
        "level": results.level,
        "method": results.method,
        "maximum_likelihood": share.maximum_likelihood,
        "clipped": None if share.estimate is None else min(max(share.estimate, 0.0), 1.0),
        "outside": share.outside,
        "observed_noisy": None if item.direct else share.observed,
        "n": item.n,
        "epsilon": item.item.epsilon,
        "flip": None if item.item.flips is None else max(item.item.flips),
        "protection": item.item.protection.value,
        "survey": results.survey.slug,
        "revision": results.survey.revision,
    }


def _csv_cell(value: Value) -> Value:
    return str(value).lower() if isinstance(value, bool) else value
