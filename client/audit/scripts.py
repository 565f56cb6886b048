"""Scripts that the audit runs in the page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from deniable.client.audit.engine import AUDIT_FOLDER
from deniable.crypto.blind import mark_of
from deniable.report import ID_BYTES
from deniable.survey import Survey

KEPT: Final = """(async () => ({
  local: { ...localStorage },
  session: { ...sessionStorage },
  cookie: document.cookie,
  name: window.name,
  databases: (await indexedDB.databases()).map(({ name }) => name),
}))()"""
# A page asks nothing above a person's limit, and whoever audits would raise it.
FORGET: Final = (
    'localStorage.clear(); sessionStorage.clear(); window.name = "";'
    """localStorage.setItem("deniable:", '{"limit":1e12}')"""
)


def trap(binding: str, words: Sequence[int]) -> str:
    """Return `trap.js`, which hands out these words and tells the binding what the page does."""
    source = (AUDIT_FOLDER / "trap.js").read_text(encoding="utf-8")
    source = source.replace('"NAME"', json.dumps(binding))
    return source.replace('"WORDS"', json.dumps(json.dumps(list(words))))


def invited(survey: Survey, link: str, words: Sequence[int], wave: int) -> str:
    """Return what makes the page find a token for the id of these words, fetched the day before."""
    if not survey.is_by_invitation:
        return ""
    id = "".join(f"{word:08x}" for word in words[: ID_BYTES // 4])
    kept = {"key": mark_of(survey.token_key(wave) or ""), "id": id, "token": "00"}
    address, name = json.dumps(link.partition("#")[0]), json.dumps(f"deniable:{survey.slug}")
    return (
        f"if (location.href.split('#')[0] === {address} && !localStorage.getItem({name})) "
        f"localStorage.setItem({name}, {json.dumps(json.dumps({'admission': kept}))});\n"
    )
