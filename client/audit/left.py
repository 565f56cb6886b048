"""What a browser has left on the device: of what names the page, all but what may be there."""

import json
import re
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

_MAY_BE_THERE: Final = frozenset(
    {
        # What is kept there is compared between visits.
        *("Local Storage", "Session Storage"),
        # What was asked for, all of which is heard, and its icon.
        *("Cache", "Code Cache", "Network Action Predictor", "Network Persistent State"),
        *("Favicons", "Top Sites"),
        # That the audit asked what else is kept.
        *("File System: Origins", "WebStorage: QuotaManager"),
        # Where somebody was, which is looked at below, how often and for how long.
        *("History", "Sessions", "Sessions_Encrypted", "DIPS"),
        *("Preferences: media_engagement", "Preferences: site_engagement"),
    }
)
_OF_SEVERAL_KINDS: Final = ("File System", "WebStorage")
_CODES: Final = ("utf-8", "utf-16-le")


def left_on(profile: Path, own: Collection[str], empty: str) -> list[str]:
    """Say what is wrong with what the profile of a browser that has ended holds.

    `own`: the addresses that were visited; `empty`: that of an empty page of the same server. What
    names this one too is what the browser keeps of any page.
    """
    folder, host = profile / "Default", urlsplit(empty).netloc
    places = {*_places(folder, host, empty.encode())} - _MAY_BE_THERE
    problems = [f"it leaves something on the device, in {place}" for place in sorted(places)]
    if any(host in url for url in _addresses(folder / "History") - {*own, empty}):
        problems.append("the browser's history keeps an address that is not the page's")
    return problems


def _places(folder: Path, host: str, empty: bytes) -> Iterator[str]:
    """Name each place that names a host, and not its empty page as well."""
    in_names = re.compile(re.escape(host).replace(":", "[:_]"))  # as a file's name has its port
    for file in folder.rglob("*"):
        parts = file.relative_to(folder).parts
        place = ": ".join(parts[: 1 + (parts[0] in _OF_SEVERAL_KINDS)])
        content = file.read_bytes() if file.is_file() else b""
        if in_names.search("/".join(parts)):
            yield place
        elif place == "Preferences":
            kept = json.loads(content)
            # One for each permission and the like.
            each = kept.get("profile", {}).get("content_settings", {}).pop("exceptions", {})
            of = {**kept, **each}
            yield from (f"{place}: {name}" for name in of if host in json.dumps(of[name]))
        elif empty not in content and any(host.encode(how) in content for how in _CODES):
            yield place


def _addresses(history: Path) -> set[str]:
    """Return all addresses of a history; none if it is not there, or not whole."""
    try:
        with closing(sqlite3.connect(f"{history.as_uri()}?immutable=1", uri=True)) as opened:
            return {url for (url,) in opened.execute("SELECT url FROM urls")}
    except sqlite3.Error:
        return set()
