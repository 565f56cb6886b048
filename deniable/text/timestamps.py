"""Dates and times as people write and read them, in the time zone of this machine."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

_MINUTES: Final = "%Y-%m-%dT%H:%M"
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")


def read_moment(text: str) -> int:
    """Read a date and time such as ``2026-12-01T08:00``, in seconds since 1970."""
    try:
        return int(datetime.fromisoformat(text.strip()).timestamp())
    except (ValueError, OverflowError, OSError):
        raise ValueError(
            "expected a date and a time such as 2026-12-01T08:00 or 2026-12-01T08:00+01:00, "
            f"found {text!r}"
        ) from None


def read_end(text: str) -> int:
    """Read the date and time of an end; a day alone means its last minute."""
    moment = read_moment(text)  # refuses a day that no month has, as it was typed
    return read_moment(f"{text.strip()}T23:59") if _DAY.fullmatch(text.strip()) else moment


def write_moment(seconds: int) -> str:
    """Write a time, to the minute, so that `read_moment` reads it on this machine."""
    return datetime.fromtimestamp(seconds).astimezone().strftime(_MINUTES)


def zone_at(seconds: int) -> str:
    """Return the time zone of this machine at a time, such as ``UTC+01:00``."""
    offset = datetime.fromtimestamp(seconds).astimezone().strftime("%z")
    return "UTC" if offset == "+0000" else f"UTC{offset[:3]}:{offset[3:5]}"


def told_moment(seconds: int) -> str:
    """Write a time in English, with its time zone: ``1 December 2026, 08:00 (UTC)``."""
    there = datetime.fromtimestamp(seconds).astimezone()
    return f"{there.day} {there:%B %Y, %H:%M} ({zone_at(seconds)})"
