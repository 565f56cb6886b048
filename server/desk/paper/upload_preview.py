"""Sheets between the look and the entering: counted, and carried by the page in a signed field."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import Counter
from collections.abc import Sequence
from typing import Final

from flask import current_app
from itsdangerous import BadData, URLSafeSerializer

from deniable import paper
from deniable.report import NOT_ASKED
from deniable.server.desk.paper.importer import sheet_columns, sheet_items
from deniable.survey import Survey
from deniable.survey.items import Item

_FEW: Final = 12
"""Answers whose zeros are shown too."""


def columns_of(
    survey: Survey, sheets: Sequence[bytes]
) -> list[tuple[str, Item, list[tuple[str, str, int]]]]:
    """Return name, item and counted answers of each column of the sheets."""
    places = sorted(paper.places_on_sheet(survey))
    return [
        (name, item, _counts(item, Counter(sheet[place] for sheet in sheets)))
        for name, item, place in zip(
            sheet_columns(survey), sheet_items(survey), places, strict=True
        )
    ]


def _counts(item: Item, counts: Counter[int]) -> list[tuple[str, str, int]]:
    """Return code, text and number of each answer, of a number only those that there are."""
    few = len(item.reports) <= _FEW
    return [
        (report.code, report.text, counts[place])
        for place, report in enumerate(item.reports)
        if few or counts[place]
    ]


def _signing() -> URLSafeSerializer:
    key = current_app.secret_key
    assert key is not None  # noqa: S101  for mypy: made when the desk was
    return URLSafeSerializer(key, salt="sheets")


def carry(survey: Survey, sheets: Sequence[bytes], form: str) -> str:
    """Pack sheets for the form that enters them, a byte for each item that they ask."""
    places = sorted(paper.places_on_sheet(survey))
    packed = bytes(sheet[place] for sheet in sheets for place in places)
    text = urlsafe_b64encode(packed).decode()
    fields = {"slug": survey.slug, "revision": survey.revision, "form": form, "sheets": text}
    return str(_signing().dumps(fields))


def carried(text: str) -> dict[str, str] | None:
    """Return what a form carried; None if this desk has not signed it."""
    try:
        fields: dict[str, str] = _signing().loads(text)
    except BadData:
        return None
    return fields


def unpacked(survey: Survey, text: str) -> list[bytes]:
    """Return the sheets that were packed."""
    packed = urlsafe_b64decode(text)
    places = sorted(paper.places_on_sheet(survey))
    sheets = []
    for start in range(0, len(packed), len(places)):
        sheet = bytearray([NOT_ASKED] * len(survey.items))
        for place, answer in zip(places, packed[start : start + len(places)], strict=True):
            sheet[place] = answer
        sheets.append(bytes(sheet))
    return sheets
