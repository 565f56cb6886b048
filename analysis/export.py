"""A survey's estimates as CSV and JSON: a row for each share, and one for each mean."""

from __future__ import annotations

import csv
import io
import json
from typing import Any, Final, TypeAlias

from deniable.analysis.results import ItemResults, Mean, Results, Share, Verdict

Value: TypeAlias = str | float | bool | None
"""What a cell can hold; None is an empty cell, and JSON's null."""

COLUMNS: Final = (
    "question",
    "item",
    "answer",
    "statistic",
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
        One an answer, one more for the mean of a number, and one more an answer where a question is
        asked after some answers only, with the keys of `COLUMNS`:

        - ``question``, ``item``, ``answer``: their codes; a mean is of no answer;
        - ``statistic``: ``share`` of an answer, or ``mean`` of a number in its own units, among
          those who gave one; or ``share_if_applies``, an answer's share among those to whom the
          question applies, a ratio of two estimates;
        - ``estimate``, ``standard_error``, ``low``, ``high``: unbiased estimate and interval, as
          they came out: a share may be below 0 or above 1, a mean beyond all of the answers.
          Empty where the design does not tell it; ``level``, ``method`` of the interval;
        - ``maximum_likelihood``: the share in the most likely distribution, or that one's mean;
        - ``clipped``: the estimate moved to the nearest number that is possible, for those who must
          have one: it is biased;
        - ``outside``: whether that moved it;
        - ``observed_noisy``: share of the reports that name the answer (randomised items only);
        - ``n``: respondents who were asked the item;
        - ``epsilon``: privacy loss of the item; ``flip``: greatest chance that its report is not
          the truth, where reports are named after answers; empty for direct items;
        - ``protection``: ``randomised`` or ``direct``; ``survey``, ``revision``.
    """
    laid_out: list[dict[str, Value]] = []
    for question in results.questions:
        for item in question.items:
            laid_out += [_share_row(results, item, share) for share in item.shares]
            laid_out += [_applicable_row(results, item, share) for share in item.applicable]
            if item.mean is not None:
                laid_out.append(_mean_row(results, item, item.mean))
    return laid_out


def estimates_csv(results: Results) -> str:
    """Write the results as CSV (RFC 4180): a header, and a line for each of `rows`.

    Numbers have all their digits, truth values are ``true`` and ``false``, and what is unknown is
    left empty.
    """
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    writer.writerows([csv_cell(row[name]) for name in COLUMNS] for row in rows(results))
    return file.getvalue()


def estimates_json(results: Results) -> str:
    """Write the results as JSON: the survey, and under ``estimates`` the rows of the CSV.

    ``design_followed`` is what `verdict_document` says of the whole survey.

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
        "design_followed": verdict_document(results.verdict),
        "estimates": rows(results),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def verdict_document(found: Verdict) -> dict[str, Any]:
    """Lay out whether respondents can have followed the design.

    Parameters
    ----------
    found : Verdict

    Returns
    -------
    dict
        ``tested``: how many shares and means were tested together; ``p_value``: that of all of
        them; ``doubted``: the ``item``, ``answer`` (null for a mean) and ``estimate`` of those that
        chance does not explain, empty in at least 95 % of surveys in which everybody follows the
        design.
    """
    return {
        "tested": found.tested,
        "p_value": found.p_value,
        "doubted": [
            {
                "item": one.item.id,
                "answer": None if one.answer is None else one.answer.code,
                "estimate": one.estimate,
            }
            for one in found.doubts
        ],
    }


def _share_row(results: Results, item: ItemResults, share: Share) -> dict[str, Value]:
    return _row(
        results,
        item,
        share,
        answer=share.answer.code,
        statistic="share",
        clipped=_clipped(share.estimate, 0.0, 1.0),
        observed_noisy=None if item.direct else share.observed,
    )


def _applicable_row(results: Results, item: ItemResults, share: Share) -> dict[str, Value]:
    return _row(
        results,
        item,
        share,
        answer=share.answer.code,
        statistic="share_if_applies",
        clipped=_clipped(share.estimate, 0.0, 1.0),
    )


def _mean_row(results: Results, item: ItemResults, mean: Mean) -> dict[str, Value]:
    return _row(
        results,
        item,
        mean,
        statistic="mean",
        clipped=_clipped(mean.estimate, mean.least, mean.greatest),
    )


def _row(
    results: Results, item: ItemResults, estimated: Share | Mean, **own: Value
) -> dict[str, Value]:
    cells: dict[str, Value] = {
        "question": item.item.question,
        "item": item.item.id,
        "estimate": estimated.estimate,
        "standard_error": estimated.standard_error,
        "low": estimated.low,
        "high": estimated.high,
        "level": results.level,
        "method": estimated.method,
        "maximum_likelihood": estimated.maximum_likelihood,
        "outside": estimated.outside,
        "n": item.n,
        "epsilon": item.item.epsilon,
        "flip": None if item.item.flips is None else max(item.item.flips),
        "protection": item.item.protection.value,
        "survey": results.survey.slug,
        "revision": results.survey.revision,
        **own,
    }
    return {column: cells.get(column) for column in COLUMNS}


def _clipped(estimate: float | None, least: float, greatest: float) -> float | None:
    return None if estimate is None else min(max(estimate, least), greatest)


def csv_cell(value: Value) -> Value:
    """Return what a CSV has in a cell: truth values are written in small letters."""
    return str(value).lower() if isinstance(value, bool) else value
