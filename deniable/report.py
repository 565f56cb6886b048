"""The report: all that ever leaves a respondent's device.

A report is the survey, its revision, a random 128-bit id, in a survey with waves the wave, and one
byte for each item: its length does not depend on the answers. On the wire it is JSON with hex
digits, so that length does not depend on them either.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence, Set
from operator import lt
from typing import Any, Final, NamedTuple

from deniable.survey import Survey
from deniable.survey.document import REVISION_DIGITS
from deniable.survey.draws import can_draw

NOT_ASKED: Final = 255
"""The byte of an item that was not asked, or reported before; no channel has that many reports."""

NOT_DRAWN: Final = 254
"""The byte of an item that chance did not draw; no channel of a drawn item has this report."""

ID_BYTES: Final = 16
"""Bytes of a report's id: 128 random bits, drawn by the device that sends it."""

_ID_DIGITS: Final = 2 * ID_BYTES

OUTDATED: Final = (
    "the survey has changed since this page was opened, and its old questions are no longer taken; "
    "load the page again to answer"
)
"""The error for a report under a revision that this server does not know: of another form, as an
older program wrote it, or of another store."""

KEYS: Final = frozenset({"survey", "revision", "id", "answers"})
"""The keys of a report on the wire, all strings. A survey with waves adds `WAVE`."""

WAVE: Final = "wave"

_HEX: Final = re.compile(r"(?:[0-9a-f]{2})*")
REVISION: Final = re.compile(rf"[0-9a-f]{{{REVISION_DIGITS}}}")
"""How a revision is written."""

_WRITTEN: Final = re.compile(
    rb'{"survey":"([ !#-\[\]-~]*)","revision":"([0-9a-f]{%d})","id":"([0-9a-f]{%d})",'
    rb'(?:"wave":"([0-9a-f]{2})",)?"answers":"((?:[0-9a-f]{2})*)"}' % (REVISION_DIGITS, _ID_DIGITS)
)
"""A valid report as `Report.to_json` and the browsers' ``JSON.stringify`` write it, with a slug
that needs no escapes."""


class ReportError(ValueError):
    """A report that the server rejects."""


class SyntaxMistake(ReportError):
    """The body is not a report at all: not JSON, other keys, other types."""


class ValueMistake(ReportError):
    """The body has the form of a report, but not of a report to this survey."""


class Report(NamedTuple):
    """One respondent's noisy answers. No other object is made as often: hence a named tuple.

    `id`: 16 random bytes. `answers`: one byte for each item: the index of a report of its channel,
    `NOT_ASKED` or `NOT_DRAWN`. `wave`: from 1; 0 if it names none, see `Survey.on_wire`.
    """

    survey: str
    revision: str
    id: bytes
    answers: bytes
    wave: int = 0

    @property
    def row(self) -> bytes:
        """The bytes that a store and a tally keep: one for each item, and one for the wave, if any.

        `Survey.row_length` bytes, which `deniable.analysis.counts.tally.by_wave` reads.
        """
        return self.answers + bytes([self.wave - 1]) if self.wave else self.answers

    def to_json(self) -> bytes:
        """Write the report as it goes over the wire."""
        fields = {
            "survey": self.survey,
            "revision": self.revision,
            "id": self.id.hex(),
            **({WAVE: f"{self.wave:02x}"} if self.wave else {}),
            "answers": self.answers.hex(),
        }
        return json.dumps(fields, separators=(",", ":")).encode()

    @classmethod
    def from_json(cls, body: bytes) -> Report:
        """Read a report strictly.

        Raises
        ------
        SyntaxMistake
            If it is not such JSON. The message repeats no part of the body, so that an error can be
            shown or logged without an answer in it.
        ValueMistake
            If revision, id, wave or answers are not the right number of lower-case hex digits.
        """
        # One expression reads what our own pages send. The JSON reader reads the same from it, and
        # takes several times as long.
        written = _WRITTEN.fullmatch(body)
        if written is not None:
            survey, revision, id, wave, answers = map(bytes.decode, written.groups(b"00"))
            return cls(survey, revision, bytes.fromhex(id), bytes.fromhex(answers), int(wave, 16))
        fields = read_strings(body, KEYS, WAVE)
        if not REVISION.fullmatch(fields["revision"]):
            raise ValueMistake(OUTDATED)
        if len(fields["id"]) != _ID_DIGITS or not _HEX.fullmatch(fields["id"]):
            raise ValueMistake(f"expected an id of {_ID_DIGITS} lower-case hex digits")
        if not _HEX.fullmatch(fields["answers"]):
            raise ValueMistake("expected answers of two lower-case hex digits an item")
        wave = fields.get(WAVE, "00")
        if len(wave) != 2 or not _HEX.fullmatch(wave):
            raise ValueMistake("expected a wave of two lower-case hex digits")
        return cls(
            survey=fields["survey"],
            revision=fields["revision"],
            id=bytes.fromhex(fields["id"]),
            answers=bytes.fromhex(fields["answers"]),
            wave=int(wave, 16),
        )

    def check(self, survey: Survey) -> None:
        """Check that the report fits the survey that it names, or raise a `ValueMistake`.

        Any item may be `NOT_ASKED`: a device does not report again what it has reported under an
        earlier revision.
        """
        if (self.survey, self.revision) != (survey.slug, survey.revision):
            raise ValueMistake("expected the survey and revision of the protocol document")
        if self.wave not in survey.waves_on_wire:
            several = survey.in_waves(f"a wave from 01 to {survey.waves:02x}, in hex digits")
            raise ValueMistake(f"expected {several or 'no wave, the survey is asked once'}")
        items = len(survey.items)
        answers = self.answers
        if survey.draws:
            answers = answers.replace(bytes([NOT_DRAWN]), bytes([NOT_ASKED]))
        check_answers(answers, survey.report_counts)
        if answers.count(NOT_ASKED) == items:
            raise ValueMistake("expected an answer to something, found none")
        drawn = [answer != NOT_DRAWN for answer in self.answers]
        if survey.draws and not can_draw(survey.draws, drawn):
            raise ValueMistake("expected the items that chance can draw together, found others")
        check_groups(answers, survey)
        check_follow_ups(answers, survey)


def read_strings(body: bytes, keys: Set[str], optional: str = "") -> dict[str, str]:
    """Read a JSON object of strings with exactly these keys, and perhaps the optional one."""
    try:
        fields = _DECODER.decode(body.decode())
    except SyntaxMistake:
        raise
    except (ValueError, RecursionError):  # not UTF-8, not JSON, numbers or nesting without end
        raise SyntaxMistake("expected a JSON object in UTF-8") from None
    named = ", ".join(sorted(keys))
    if not isinstance(fields, dict) or fields.keys() - {optional} != keys:
        raise SyntaxMistake(f"expected a JSON object with exactly the keys {named}")
    if not all(isinstance(value, str) for value in fields.values()):
        raise SyntaxMistake(f"expected strings for {named}")
    return fields


def check_answers(answers: bytes, reports: Sequence[int]) -> None:
    """Check that each item has one byte: `NOT_ASKED`, or below its channel's number of reports."""
    if len(answers) != len(reports):
        raise ValueMistake(f"expected answers to {len(reports)} items, found {len(answers)}")
    if all(map(lt, answers, reports)):  # as nearly all are
        return
    for place, (answer, count) in enumerate(zip(answers, reports, strict=True)):
        if count <= answer != NOT_ASKED:
            raise ValueMistake(f"item {place + 1}: expected a number below {count}")


def check_groups(answers: bytes, survey: Survey, *, partly: bool = False) -> None:
    """Check that the answers to each group of questions can all be true, or were not asked.

    `partly`: whether some questions of a group may be missing, as in another revision.
    """
    for group, places in zip(survey.groups, survey.places_together, strict=True):
        sent = tuple(answers[place] for place in places)
        left_out = NOT_ASKED in sent if partly else {*sent} == {NOT_ASKED}
        if sent not in group.cells and not left_out:
            raise ValueMistake(
                f"expected answers to {' and '.join(group.questions)} that can all be true, "
                "or to none of them"
            )


def check_follow_ups(answers: bytes, survey: Survey) -> None:
    """Check that direct follow-ups were asked where they apply after direct answers, only there.

    Where an earlier answer is `NOT_ASKED`, as in a report to the next revision, both may be true.
    """
    applied: dict[str, bool | None] = {}  # None if it may apply or not
    for one in survey.direct_follow_ups:
        applies: bool | None = True
        for question, place, fitting in one.conditions:
            answer, asked = answers[place], applied.get(question, True)
            if asked is False or (answer != NOT_ASKED and answer not in fitting):
                applies = False
                break
            if asked is None or answer == NOT_ASKED:
                applies = None
        sent = [answers[place] for place in one.places if answers[place] != NOT_ASKED]
        if sent and not one.fits(applies, sent):
            raise ValueMistake(
                f"expected an answer to {one.question} where it applies after the other answers, "
                "and that it does not apply elsewhere"
            )
        if applies is None and sent and not one.offers_skipped:
            applies = one.skipped not in sent
        applied[one.question] = applies


def _unique(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    """Reject a repeated key: parsers differ on which value counts."""
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise SyntaxMistake("expected every key once")
    return fields


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique)  # made once: it is the hot path
