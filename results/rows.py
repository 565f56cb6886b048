"""A survey's estimates in rows: one for each share, each mean, and each change between waves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Final

from deniable.analysis.findings import Change, Followed, Mean, Share
from deniable.analysis.results import ItemResults, Results, Verdict
from deniable.analysis.waves import Waves
from deniable.results.estimate import EFFECTIVE_CELLS, ESTIMATE_CELLS, cells
from deniable.results.files import Export, Row
from deniable.survey import Survey
from deniable.survey.items import Item

COLUMNS: Final = (
    "question",
    "item",
    "answer",
    "statistic",
    *ESTIMATE_CELLS,
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


def lay_out(results: Results | Waves, *, is_weighed: bool | None = None) -> Export:
    """Lay a survey's estimates out for a file in any of `deniable.results.files.FORMATS`.

    Parameters
    ----------
    is_weighed : bool, optional
        Whether rows have the columns of `EFFECTIVE_CELLS`; by default if any has a design effect.

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
    found = rows(results)
    columns: tuple[str, ...] = COLUMNS
    if survey.is_repeated and isinstance(results, Waves):
        columns = (*in_wave(survey, {}, 0), *COLUMNS, "p_value", "comparisons")
    if is_weighed or (is_weighed is None and any(row["design_effect"] for row in found)):
        columns = (*columns, *EFFECTIVE_CELLS)
    return Export.of(columns, found, document)


def in_wave(survey: Survey, row: Row, wave: int, since: int | None = None) -> Row:
    """Put its wave before a row of a survey with several, and the one that it is a change since."""
    return {**(survey.if_repeated({"wave": wave, "since": since}) or {}), **row}


def rows(results: Results | Waves) -> list[Row]:
    """Lay the results out in rows.

    Returns
    -------
    list of dict
        One for each answer, one for the mean of a number, and one more for each answer where a
        question is asked after some answers only, with these keys:

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
        - ``outside``: whether clipping moved the estimate; its interval may begin or end
          at the estimate;
        - ``narrow``: whether less than a third of the interval is possible, so that it looks more
          certain than it is;
        - ``observed``: share of the reports that name the answer, noise included;
        - ``n``: respondents who were asked the item;
        - ``epsilon``: privacy loss of the item; ``flip``: greatest chance that its report is not
          the truth, where reports are named after answers; empty for direct items;
        - ``protection``: ``randomised`` or ``direct``; ``survey``, ``revision``;
        - ``effective_n``, ``design_effect``: of a sample with weights, strata or clusters.

        For a survey with waves, these rows of each wave, with its number as ``wave``; then one for
        each change, whose ``statistic`` is ``change_of_share``, ``change_of_share_if_applies`` or
        ``change_of_mean`` from the wave ``since`` to ``wave``. Cells that belong to a single wave
        are empty in the rows of changes. The ends of so many changes as ``comparisons`` says hold
        together (Bonferroni), and ``p_value``, of no change, is adjusted likewise.
    """
    if isinstance(results, Waves):
        of_each = zip(results.waves, results.results, strict=True)
        laid_out = ((wave, row) for wave, each in of_each for row in rows(each))
        return [
            *(in_wave(results.survey, row, wave) for wave, row in laid_out),
            *(_change_row(results, change) for change in results.changes),
        ]
    of_items = (_rows_of_item(results, item) for one in results.questions for item in one.items)
    return [
        *chain(*of_items),
        *(_row(results, one.item, one, FOLLOWED) for one in results.followed),
    ]


def rows_of_item(results: Results, item: ItemResults) -> Sequence[Row]:
    """Lay the results of one item out in rows with the columns of `COLUMNS`, see `rows`."""
    return Export.of(COLUMNS, _rows_of_item(results, item), {}).rows


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
                "answer": None if doubt.found.answer is None else doubt.found.answer.code,
                "estimate": doubt.found.estimate,
            }
            for doubt in verdict.doubts
        ],
    }


def _estimate_row(results: Results, item: ItemResults, one: Share | Mean, statistic: str) -> Row:
    return {
        **_row(results, item.item, one, statistic),
        "answer": None if one.answer is None else one.answer.code,
        "observed": one.observed,
        "n": item.n,
        "flip": None if item.item.flips is None else max(item.item.flips),
    }


def _change_row(waves: Waves, one: Change) -> Row:
    of, answer = ("mean", None) if one.answer is None else ("share", one.answer.code)
    row = _row(waves, one.item, one, f"change_of_{of}{'_if_applies' * one.if_applies}")
    empty = {"clipped": None, "outside": None, "n": None}
    tested = {"p_value": one.p_value, "comparisons": one.comparisons}
    return in_wave(waves.survey, {**row, "answer": answer, **empty, **tested}, one.wave, one.since)


def _row(
    results: Results | Waves, item: Item, one: Share | Mean | Followed | Change, statistic: str
) -> Row:
    return {
        "question": item.question,
        "item": item.id,
        "statistic": statistic,
        **cells(one, results.level),
        "p_value": None,  # of a single wave it is that of the design, which has its own verdict
        "epsilon": item.epsilon,
        "protection": item.protection.value,
        "survey": results.survey.slug,
        "revision": results.survey.revision,
    }
