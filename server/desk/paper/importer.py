"""Entering sheets that were answered on paper: each becomes a report under a fresh random id."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from deniable import paper
from deniable.analysis.counts.reports_csv import columns, read_reports
from deniable.report import ID_BYTES, Report
from deniable.server.store import Store
from deniable.server.store.records import Outcome
from deniable.survey import Survey
from deniable.survey.items import Item

_REFUSED: Final = {
    Outcome.CLOSED: "the survey {!r} is closed: open it again to enter sheets",
    Outcome.PAUSED: "the survey {!r} is paused: open it again to enter sheets",
    Outcome.PLANNED: "the survey {!r} is not open yet",
    Outcome.FULL: "the survey {!r} is full: its cap leaves no room for all of these sheets",
    Outcome.OVER: "another wave has begun meanwhile: enter the sheets again for that one",
    Outcome.UNKNOWN: "the store has no revision {1} of {0!r}",
}


class EntryError(ValueError):
    """Sheets that cannot be entered, of which nothing was stored, by their mistakes."""

    def __init__(self, *mistakes: str) -> None:
        super().__init__("\n".join(mistakes))
        self.mistakes = mistakes


class EnteredBeforeError(EntryError):
    """The very same sheets were entered before."""


@dataclass(frozen=True)
class Entry:
    """Sheets that were entered, and the pile that the store knows them by."""

    reports: tuple[Report, ...]
    pile: bytes


def sheet_items(survey: Survey) -> tuple[Item, ...]:
    """Return the items that a sheet asks, in order."""
    return tuple(survey.items[place] for place in sorted(paper.places_on_sheet(survey)))


def sheet_columns(survey: Survey) -> tuple[str, ...]:
    """Return the columns that a CSV of sheets needs: those of the items that a sheet asks."""
    names = columns(survey)
    return tuple(names[place] for place in sorted(paper.places_on_sheet(survey)))


def read_sheets(lines: Iterable[str], survey: Survey) -> list[bytes]:
    """Read the final answers of sheets, a byte an item, from a CSV of a row a sheet.

    Raise `EntryError`, which names every wrong cell by line and column, or says that there is none.
    """
    mistakes: list[str] = []
    try:
        asked, draws = paper.places_on_sheet(survey), paper.draws_on_sheet(survey)
        answers = b"".join(read_reports(lines, survey, asked, draws=draws, mistakes=mistakes))
    except UnicodeDecodeError:
        raise EntryError("expected a CSV in UTF-8") from None
    except ValueError as mistake:
        raise EntryError(*mistakes, str(mistake)) from None
    if mistakes:
        raise EntryError(*mistakes)
    starts = range(0, len(answers), survey.row_length)
    sheets = [answers[start : start + len(survey.items)] for start in starts]
    if not sheets:
        raise EntryError("expected a row for each sheet, found none")
    return sheets


def is_entered(store: Store, survey: Survey, sheets: Sequence[bytes]) -> bool:
    """Return whether these very sheets were entered before, in any order, and not taken back."""
    return store.is_entered(survey.slug, _pile(survey, _wave(store, survey), sheets))


def enter_sheets(
    store: Store, survey: Survey, sheets: Sequence[bytes], *, again: bool = False
) -> Entry:
    """Store sheets as reports, in one durable transaction, for the wave that is on.

    Sheets that were entered before are entered `again` only, and count twice then. Reports lie in
    the store in the order of their random ids, so nothing is left of the order of the pile.
    """
    paper.check_sheets(sheets, survey)
    wave = _wave(store, survey)
    pile = _pile(survey, wave, sheets)
    if not again and store.is_entered(survey.slug, pile):
        raise EnteredBeforeError("the very same sheets were entered before")
    reports = tuple(
        Report(
            survey.slug,
            survey.revision,
            os.urandom(ID_BYTES),
            sheet,
            wave,
        )
        for sheet in sheets
    )
    outcomes = set(store.enter(reports, pile))
    for outcome, told in _REFUSED.items():
        if outcome in outcomes:
            raise EntryError(told.format(survey.slug, survey.revision))
    store.erase_order()
    return Entry(reports, pile)


def take_back(store: Store, entry: Entry) -> bool:
    """Remove sheets that were entered; False if they are not all there any more."""
    taken = store.take_back(entry.reports, entry.pile)
    if taken:
        store.erase_order()
    return taken


def _wave(store: Store, survey: Survey) -> int:
    """Return the wave that is on; 0 if there are no waves."""
    return 0 if survey.waves is None else store.wave(survey.slug)


def _pile(survey: Survey, wave: int, sheets: Sequence[bytes]) -> bytes:
    """Write sheets as they are known again, in whatever order, and however they were typed."""
    of_wave = bytes([wave - 1] if wave else [])
    return b"".join([bytes.fromhex(survey.revision), of_wave, *sorted(sheets)])
