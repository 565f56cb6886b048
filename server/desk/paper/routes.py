"""The desk's page for paper: print the sheet, look at what was answered on it, and enter that.

The adversary is a mistake. A report cannot be found again, so each step shows what it does: the
sheets are counted before they are entered, the same ones are known when they come again, and the
last ones can be taken back.

Between the look and the entering the sheets are in the page alone, in a field that the desk has
signed: what is entered is what was looked at, and nothing of it lies on a disk that nobody empties.
Which reports were of the last entry is known to the desk's memory alone, for an hour or until the
next entry. On the disk it would tell for ever who of all respondents answered on paper. The desk
shows sheets at once, so no batch could say from when on they count as shown.
"""

import io
import secrets
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final, TypeAlias

from flask import Blueprint, Response, abort, current_app, render_template, request
from werkzeug.wrappers import Response as BaseResponse

from deniable.disc import ticks
from deniable.paper import draws_on_sheet, left_to_chance
from deniable.results.files import csv_of
from deniable.server.desk.context import (
    attachment,
    catalogue,
    find_survey,
    link_of,
    see_other,
    store,
)
from deniable.server.desk.paper.importer import (
    EnteredBeforeError,
    EntryError,
    enter_sheets,
    is_entered,
    read_sheets,
    sheet_columns,
    sheet_items,
    take_back,
)
from deniable.server.desk.paper.undo import Entries
from deniable.server.desk.paper.upload_preview import carried, carry, columns_of, unpacked
from deniable.server.web.body import MAX_BODY
from deniable.survey import Survey
from deniable.text.safety import counted

Answer: TypeAlias = BaseResponse | tuple[str, HTTPStatus]

_MISTAKES: Final = 50
"""That are shown; who has more has them for one reason."""


sheets = Blueprint("sheets", __name__, url_prefix="/desk/surveys/<slug>")


def _entries() -> Entries:
    found: Entries = current_app.extensions.setdefault("entries", Entries())
    return found


def _page(survey: Survey, mistakes: Sequence[str] = (), **more: object) -> str:
    return render_template(
        "desk/sheets.html",
        survey=survey,
        mistakes=mistakes[:_MISTAKES],
        others=len(mistakes[_MISTAKES:]),
        rows=[*zip(sheet_columns(survey), sheet_items(survey), strict=True)],
        revisions=[catalogue.remembered(survey.slug, one) for one in store.revisions(survey.slug)],
        current=store.current_revision(survey.slug),
        state=store.state(survey.slug),
        left_to_chance=left_to_chance(survey),
        draws=bool(draws_on_sheet(survey)),
        sheet=f"{link_of(survey).partition('#')[0]}sheet",
        kilobytes=MAX_BODY // 1024,
        last=_entries().last(survey.slug),
        ticks=ticks,
        **more,
    )


def _refused(survey: Survey, mistakes: Sequence[str]) -> Answer:
    return _page(survey, mistakes), HTTPStatus.UNPROCESSABLE_ENTITY


def _look(survey: Survey, sheets: Sequence[bytes], form: str, *, untold: bool = False) -> str:
    return _page(
        survey,
        number=len(sheets),
        columns=columns_of(survey, sheets),
        carried=carry(survey, sheets, form),
        again=is_entered(store, survey, sheets),
        untold=untold,
        wave=None if survey.waves is None else store.wave(survey.slug),
    )


@sheets.get("/sheets")
def page(slug: str) -> str:
    """Show the page for paper."""
    return _page(find_survey(slug, request.args.get("revision")))


@sheets.post("/sheets")
def upload(slug: str) -> Answer:
    """Show a preview of the sheets that were uploaded."""
    survey = find_survey(slug, request.form.get("revision", ""))
    uploaded = request.files.get("sheets")
    if uploaded is None:
        abort(HTTPStatus.BAD_REQUEST)
    lines = io.TextIOWrapper(uploaded.stream, encoding="utf-8", newline="")
    try:
        found = read_sheets(lines, survey)
    except EntryError as mistake:
        return _refused(survey, mistake.mistakes)
    return _look(survey, found, secrets.token_hex(16)), HTTPStatus.OK


@sheets.post("/sheets/entered")
def enter(slug: str) -> Answer:
    """Store the sheets of the preview."""
    found_in = carried(request.form.get("carried", ""))
    if found_in is None or found_in["slug"] != slug:
        stale = "The desk was started again since you looked at the sheets. Choose the file again"
        return _refused(find_survey(slug), [stale])
    survey = find_survey(slug, found_in["revision"])
    found = unpacked(survey, found_in["sheets"])
    again = request.form.get("again") == "yes"
    # A second click, or reloading, must not count the sheets again.
    if not _entries().begin(found_in["form"]):
        return see_other("sheets.page", slug=slug)
    try:
        entry = enter_sheets(store, survey, found, again=again)
    except EnteredBeforeError:
        _entries().undo(found_in["form"])
        told = _look(survey, found, found_in["form"], untold=True)
        return told, HTTPStatus.UNPROCESSABLE_ENTITY
    except EntryError as mistake:
        _entries().undo(found_in["form"])
        return _refused(survey, mistake.mistakes)
    _entries().keep(slug, entry)
    shown = store.snapshot(slug).count()
    told = (
        f"Entered {counted(len(found), 'sheet')}. With them the desk shows "
        f"{counted(shown, 'report')} to this survey."
    )
    return see_other("sheets.page", told, slug=slug)


@sheets.post("/sheets/back")
def undo(slug: str) -> BaseResponse:
    """Remove the sheets that were entered last."""
    entry = _entries().take(slug, request.form.get("entry", ""))
    if entry is not None and take_back(store, entry):
        told = f"Removed {counted(len(entry.reports), 'sheet')}."
    else:
        told = "Nothing was removed: other sheets were entered since."
    return see_other("sheets.page", told, slug=slug)


@sheets.get("/sheets.csv")
def empty(slug: str) -> Response:
    """Return a CSV with the columns of a sheet."""
    survey = find_survey(slug, request.args.get("revision"))
    name = f"{survey.slug}-{survey.revision[:8]}-sheets.csv"
    return attachment(csv_of([sheet_columns(survey)]), "text/csv", name)
