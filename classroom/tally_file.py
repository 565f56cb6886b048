"""The tally of a class as a file, to be shown beside another class."""

import json
from typing import Any, Final

from deniable.channel import Channel
from deniable.classroom.class_state import Class, Kept
from deniable.survey import Survey
from deniable.text.languages import in_english as say
from deniable.text.safety import check_plain

_WHAT: Final = "a class"
_LONGEST: Final = 100
_MOST: Final = 1_000_000
_KEYS: Final = {"tally", "name", "question", "answers", "channel", "counts"}


def write_kept(shown: Class, name: str) -> str:
    """Write the tally of a class, from phones and on paper."""
    document = {
        "tally": _WHAT,
        "name": name,
        "question": shown.survey.questions[0].text,
        "answers": [one.code for one in shown.item.truths],
        "channel": shown.channel.weights,
        "counts": shown.totals,
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def read_kept(text: str, survey: Survey) -> Kept:
    """Read what `write_kept` wrote, to show it beside a class."""
    found = _document(text)
    codes = [one.code for one in survey.items[0].truths]
    if found["answers"] != codes:
        asked = ", ".join(codes)
        raise ValueError(say("Expected a class that was asked for {answers}.", answers=asked))
    name, rows, counts = found["name"], found["channel"], found["counts"]
    if not isinstance(name, str) or not 1 <= len(name) <= _LONGEST or not _is_plain(name):
        raise ValueError(say("“name” in the file: expected 1 to {most} letters.", most=_LONGEST))
    channel = _channel(rows)
    if channel is None or channel.truths != len(codes) or not channel.identifiable:
        raise ValueError(
            say("“channel” in the file: expected weights by which the shares can be found.")
        )
    if (
        not isinstance(counts, list)
        or len(counts) != channel.reports
        or any(type(one) is not int or not 0 <= one <= _MOST for one in counts)
    ):
        raise ValueError(
            say(
                "“counts” in the file: expected {n} numbers from 0 to {most}.",
                n=channel.reports,
                most=float(_MOST),
            )
        )
    return Kept(name, channel, tuple(counts))


def _document(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(say("Expected the file of a class, which is JSON.")) from None
    if not isinstance(found, dict) or found.keys() != _KEYS or found["tally"] != _WHAT:
        raise ValueError(say("Expected the file of a class, as it was saved from a meeting."))
    return found


def _is_plain(name: str) -> bool:
    try:
        check_plain(name)
    except ValueError:
        return False
    return True


def _channel(rows: object) -> Channel | None:
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        return None
    try:
        return Channel(rows)
    except ValueError:
        return None
