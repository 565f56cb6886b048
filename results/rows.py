"""A survey's estimates in rows: one for each share, each mean, and each change between waves."""

from __future__ import annotations

from itertools import chain
from typing import Any, Final

from deniable.analysis.findings import Followed, ItemResults, Mean, Results, Share, Verdict
from deniable.analysis.waves import Change, Waves
from deniable.results.files import Export, Row, Value
from deniable.survey import Survey
from deniable.survey.items import Item

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
    "narrow",
    "observed",
    "n",
    "epsilon",
    "flip",
    "protection",
    "survey",
    "revision",
)
"""The columns, in order; `rows` says what each holds."""

FOLLOWED: Final = "followed"
"""The statistic of a row with the share of people who followed the instructions."""

WAVE_COLUMNS: Final = ("wave", "since", *COLUMNS)
"""The columns of a survey with waves, in order."""


EFFECTIVE: Final = ("effective_n", "design_effect")
"""The columns of a sample with a design effect: see `deniable.results.shares.EFFECTIVE`."""


def lay_out(results: Results | Waves, *, is_weighed: bool | None = None) -> Export:
    """Lay a survey's estimates out for a file in any of `deniable.results.files.FORMATS`.

    Parameters
    ----------
    is_weighed : bool, optional
        Whether rows have the columns of `EFFECTIVE`; by default if any row has a design effect.

    Returns
    -------
    Export
        Its ``document`` describes the survey; ``design_followed`` in it is the `verdict_document`
        of all waves together.
    """
    survey = results.survey
    document: dict[str, Any] = {
        "survey": survey.slug,
        "title": survey.title,
        "revision": survey.revision,
        "epsilon": survey.epsilon,
        "n": results.n,
        "level": results.level,
        "method": results.method,
        "design_followed": verdict_document(results.verdict),
    }
    of_waves = results.results if isinstance(results, Waves) else (results,)
    n_by_wave = {str(wave): n for wave, n in results.n_by_wave.items()}
    beside = {
        "waves": survey.document.get("waves") if isinstance(results, Waves) else None,
        "n_by_wave": survey.if_repeated(n_by_wave),
        "margins": next((one.margins for one in of_waves), None),
    }
    document |= {key: value for key, value in beside.items() if value}
    found = rows(results, is_weighed=is_weighed)
    return Export(tuple(found[0]) if found else COLUMNS, found, document)


def in_wave(survey: Survey, row: Row, wave: int, since: int | None = None) -> Row:
    """Put its wave before a row of a survey with several, and the one that it is a change since."""
    return {"wave": wave, "since": since, **row} if survey.is_repeated else row


def rows(results: Results | Waves, *, is_weighed: bool | None = None) -> list[Row]:
    """Lay the results out in rows.

    Returns
    -------
    list of dict
        One for each answer, one for the mean of a number, and one more for each answer where a
        question is asked after some answers only, with the keys of `COLUMNS`:

        - ``question``, ``item``, ``answer``: their codes; a mean has no answer;
        - ``statistic``: ``share`` of an answer, or ``mean`` of a number in its own units, among
          the people who gave one; or ``share_if_applies``, an answer's share among the people to
          whom the question applies, a ratio of two estimates; or ``followed``, the share of people
          who followed the instructions, by a control question;
        - ``estimate``, ``standard_error``, ``low``, ``high``: unbiased estimate and interval, as
          they came out: a share may be below 0 or above 1, a mean beyond all of the answers.
          Empty where the design does not tell it; ``level``, ``method`` of the interval;
        - ``maximum_likelihood``: the share, or the mean, in the most likely distribution;
        - ``clipped``: the estimate moved to the nearest possible number, for programs that need
          one: it is biased;
        - ``outside``: whether clipping moved the estimate;
        - ``narrow``: whether less than a third of the interval is possible, so that it looks more
          certain than it is;
        - ``observed``: share of the reports that name the answer, noise included;
        - ``n``: respondents who were asked the item;
        - ``epsilon``: privacy loss of the item; ``flip``: greatest chance that its report is not
          the truth, where reports are named after answers; empty for direct items;
        - ``protection``: ``randomised`` or ``direct``; ``survey``, ``revision``;
        - ``effective_n``, ``design_effect``: of a sample with weights, strata or clusters.

        For a survey with waves, with the keys of `WAVE_COLUMNS`: these rows of each wave, with its
        number as ``wave``; then one for each change, whose ``statistic`` is ``change_of_share`` or
        ``change_of_mean`` from the wave ``since`` to ``wave``. Cells that belong to a single wave
        are empty in the rows of changes.
    """
    found = _all_rows(results)
    if is_weighed or (is_weighed is None and any(row["design_effect"] for row in found)):
        return found
    return _without_effects(found)


def rows_of_item(results: Results, item: ItemResults) -> list[Row]:
    """Lay the results of one item out in rows, see `rows`; without the columns of `EFFECTIVE`."""
    return _without_effects(_rows_of_item(results, item))


def _without_effects(found: list[Row]) -> list[Row]:
    return [{name: cell for name, cell in row.items() if name not in EFFECTIVE} for row in found]


def _all_rows(results: Results | Waves) -> list[Row]:
    """Lay the results out, with the columns of `EFFECTIVE`."""
    if isinstance(results, Waves):
        of_each = zip(results.waves, results.results, strict=True)
        laid_out = ((wave, row) for wave, each in of_each for row in _all_rows(each))
        return [
            *(in_wave(results.survey, row, wave) for wave, row in laid_out),
            *(_change_row(results, change) for change in results.changes),
        ]
    of_items = (_rows_of_item(results, item) for one in results.questions for item in one.items)
    return [*chain(*of_items), *(_followed_row(results, one) for one in results.followed)]


def _rows_of_item(results: Results, item: ItemResults) -> list[Row]:
    laid_out = [_estimate_row(results, item, share, "share") for share in item.shares]
    laid_out += [
        _estimate_row(results, item, share, "share_if_applies") for share in item.applicable
    ]
    if item.mean is not None:
        laid_out.append(_estimate_row(results, item, item.mean, "mean"))
    return laid_out


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    """Lay out the test of whether respondents followed the design.

    Returns
    -------
    dict
        ``tested``: how many shares and means were tested together; ``p_value``: that of all of
        them; ``doubted``: the ``item``, ``answer`` (null for a mean) and ``estimate`` of the ones
        that chance does not explain, empty in at least 95 % of surveys in which everybody follows
        the design.
    """
    return {
        "tested": verdict.tested,
        "p_value": verdict.p_value,
        "doubted": [
            {
                "item": doubt.item.id,
                "answer": None if doubt.answer is None else doubt.answer.code,
                "estimate": doubt.estimate,
            }
            for doubt in verdict.doubts
        ],
    }


def _estimate_row(results: Results, item: ItemResults, one: Share | Mean, statistic: str) -> Row:
    return _row(
        results,
        item.item,
        one,
        statistic,
        answer=one.answer.code if isinstance(one, Share) else None,
        maximum_likelihood=one.maximum_likelihood,
        clipped=_clipped(one.estimate, one.least, one.greatest),
        outside=one.outside,
        observed=one.observed if isinstance(one, Share) else None,
        n=item.n,
        **effective_row(item.n, one.design_effect),
        flip=None if item.item.flips is None else max(item.item.flips),
    )


def _followed_row(results: Results, one: Followed) -> Row:
    clipped = _clipped(one.estimate, 0.0, 1.0)
    return _row(results, one.item, one, FOLLOWED, clipped=clipped, outside=one.outside, n=one.n)


def _change_row(waves: Waves, one: Change) -> Row:
    of, answer = ("mean", None) if one.answer is None else ("share", one.answer.code)
    more = effective_row(one.n, one.design_effect)
    row = _row(waves, one.item, one, f"change_of_{of}", answer=answer, **more)
    return in_wave(waves.survey, row, one.wave, one.since)


def _row(
    results: Results | Waves,
    item: Item,
    one: Share | Mean | Followed | Change,
    statistic: str,
    **more: Value,
) -> Row:
    """Return the cells of all columns; None where the finding has no such value."""
    cells: dict[str, Value] = {
        "question": item.question,
        "item": item.id,
        "statistic": statistic,
        "estimate": one.estimate,
        "standard_error": one.standard_error,
        "low": one.low,
        "high": one.high,
        "level": results.level,
        "method": one.method,
        "narrow": one.narrow,
        "epsilon": item.epsilon,
        "protection": item.protection.value,
        "survey": results.survey.slug,
        "revision": results.survey.revision,
        **more,
    }
    return {column: cells.get(column) for column in (*COLUMNS, *EFFECTIVE)}


def effective_row(n: int | None, design_effect: float | None) -> Row:
    """Return the cells of `EFFECTIVE` for n people; no cells if n is None."""
    if n is None:
        return {}
    return dict(
        zip(EFFECTIVE, (n / design_effect if design_effect else None, design_effect), strict=True)
    )


def _clipped(estimate: float | None, least: float, greatest: float) -> float | None:
    return None if estimate is None else min(max(estimate, least), greatest)
