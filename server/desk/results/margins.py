"""The desk's form of margins: known shares of a population, to which results are weighted.

The adversary looks for a person among direct answers by crafted margins. What margins could reveal
is suppressed where results are shown (`suppression`). Margins are kept in the survey file, under a
key that no respondent gets.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from http import HTTPStatus

from flask import Blueprint, abort, render_template, request
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.desk.context import or_404, see_other, store
from deniable.server.desk.editor.beginnings import MAX_TEXT
from deniable.server.desk.editor.fields import MARGINS
from deniable.server.desk.editor.preview import one_at_a_time
from deniable.server.desk.permissions import Right
from deniable.server.desk.results.files import sentence
from deniable.server.desk.results.study import reports_of, study_of
from deniable.server.store.registering import register
from deniable.study.population import MOST_GROUPS
from deniable.study.weighing import Margins, margins_in
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Protection
from deniable.survey_file.patch import Editable
from deniable.survey_file.plan import NEAR

margins = Blueprint("margins", __name__, url_prefix="/desk/surveys/<slug>/margins")


@margins.get("", needs=Right.CHANGE_SURVEY)
def page(slug: str) -> str:
    """Show the form of margins."""
    survey = or_404(store.survey, slug)
    kept = study_of(slug).margins
    typed = {
        f"{name}:{answer}": f"{100 * part:.6g}"
        for name, parts in kept.items()
        for answer, part in parts.items()
    }
    return _page(survey, typed)


@margins.post("", needs=Right.CHANGE_SURVEY)
def keep(slug: str) -> BaseResponse | tuple[str, HTTPStatus]:
    """Keep margins in the survey's file, or remove them."""
    with one_at_a_time:
        survey = or_404(store.survey, slug)
        text = store.source(slug, survey.revision)
        if not text:
            abort(HTTPStatus.CONFLICT, "The server does not have the file of this survey.")
        try:
            wanted = {} if "remove" in request.form else _wanted(survey)
            if wanted:
                study = replace(reports_of(slug), margins=wanted)
                if study.n:
                    study.among(study.item(next(iter(wanted))))
            written = _written(text, wanted)
        except (ValueError, ArithmeticError) as mistake:
            shown = _page(survey, request.form, sentence(mistake))
            return shown, HTTPStatus.UNPROCESSABLE_ENTITY
        if len(written.encode()) > MAX_TEXT:
            abort(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        register(store, survey, written)
    texts = [f"“{one.text}”" for one in _direct(survey) if one.id in wanted]
    told = f"Results are weighted by {' and '.join(texts)}." if wanted else "Nothing is weighted."
    return see_other("results.page", told, slug=slug)


def _page(survey: Survey, typed: Mapping[str, str], mistake: str = "") -> str:
    return render_template(
        "desk/margins.html",
        survey=survey,
        items=[item for item in _direct(survey) if len(item.truths) <= MOST_GROUPS],
        typed=typed,
        mistake=mistake,
        margins=study_of(survey.slug).margins,
        has_file=bool(store.source(survey.slug, survey.revision)),
    )


def _direct(survey: Survey) -> list[Item]:
    return [item for item in survey.items if item.protection is Protection.DIRECT]


def _wanted(survey: Survey) -> Margins:
    """Read the typed margins, as shares by the codes of answers, or raise `ValueError`."""
    pasted = request.form.get("csv", "").strip()
    direct = {item.id: item for item in _direct(survey)}
    given = margins_in(pasted, "the table") if pasted else _fields(direct.values())
    if not given:
        raise ValueError("expected percentages of at least one question, found none")
    found = {}
    for name, parts in given.items():
        if name not in direct:
            raise ValueError(
                f"expected a question that is asked directly ({', '.join(direct)}), found {name!r}"
            )
        text, codes = direct[name].text, {one.text: one.code for one in direct[name].truths}
        by_code = {codes.get(answer, answer): part for answer, part in parts.items()}
        for answer in by_code:
            if answer not in codes.values():
                raise ValueError(
                    f"“{text}”: expected one of the answers {', '.join(codes.values())}, found "
                    f"{answer!r}"
                )
        total = sum(by_code.values())
        if not pasted and abs(total - 100) > NEAR:
            raise ValueError(f"“{text}”: expected percentages that sum to 100, found {total:.6g}")
        found[name] = {answer: part / total for answer, part in by_code.items()}
    return found


def _fields(items: Iterable[Item]) -> Margins:
    """Read the form's percentages; an empty field and a 0 mean that nobody gives the answer."""
    found: dict[str, dict[str, float]] = {}
    for item in items:
        for answer in item.truths:
            cell = request.form.get(f"{item.id}:{answer.code}", "").strip().rstrip("%").strip()
            try:
                part = float(cell.replace(",", ".") or 0)
            except ValueError:
                part = math.nan
            if not 0 <= part <= 100:
                raise ValueError(
                    f"“{item.text}”, {answer.text}: expected percent from 0 to 100, found {cell!r}"
                )
            if part:
                found.setdefault(item.id, {})[answer.code] = part
    return found


def _written(text: str, wanted: Margins) -> str:
    """Return a survey file with the margins in percent, or without margins."""
    if not wanted:
        return Editable(text).remove(MARGINS).text
    parts = {
        name: {answer: f"{100 * part:.10g}" for answer, part in of.items()}
        for name, of in wanted.items()
    }
    return Editable(text).put(MARGINS, parts).text
