"""What a draft, or a new file, can begin from: one question, an example, a question of a study.

A meeting can also begin from a question that is ready for a class.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

import yaml

BLANK: Final = """\
version: 1
survey: my-survey  # its name in addresses
title: My survey
introduction: Say in a few words who asks, and what for.
epsilon: 1  # the most that all randomised answers of one person reveal
questions:
  - id: first
    text: Have you ever …?
    type: single
    answers: [No, Yes]
"""

CHECKABLE: Final = ("last-digit", "first-quarter")
"""Ready questions whose share a class knows, far from one half: the best ones to begin with."""

_TITLE: Final = re.compile(
    r"^title:[ \t]*(?:"
    r"\{[ \t]*[\"']?\w+[\"']?:[ \t]*(\"[^\"\n]*\"|'[^'\n]*'|[^,}\s][^,}\n]*)"
    r"|(?:\n[ \t]+\w+:[ \t]*)?([^#\s{|>&*!].*?)[ \t]*(?:#.*)?$)",
    re.MULTILINE,
)
"""On its own line; in several languages, that of the first."""


@cache
def examples() -> Mapping[str, str]:
    """Return the text of each example, by the name of its file."""
    return _texts(files("deniable") / "examples")


@cache
def published_questions() -> Mapping[str, str]:
    """Return the text of each question of a published study, with its source and a design."""
    return _texts(files("deniable") / "examples" / "published")


@cache
def ready_questions() -> Mapping[str, str]:
    """Return the text of each question that is ready for a class, `CHECKABLE` first."""
    found = _texts(files("deniable") / "examples" / "classroom")
    return {name: found[name] for name in (*CHECKABLE, *sorted({*found} - {*CHECKABLE}))}


def _texts(folder: Traversable) -> Mapping[str, str]:
    found = (file for file in folder.iterdir() if file.name.endswith(".yaml"))
    return {
        file.name.removesuffix(".yaml"): file.read_text("utf-8")
        for file in sorted(found, key=lambda file: file.name)
    }


@cache
def asked_in(name: str) -> str:
    """Return what a question that is ready asks."""
    asked: str = yaml.safe_load(ready_questions()[name])["questions"][0]["text"]["en"]
    return asked


def shown_by(text: str) -> str:
    """Return what an example shows, as its first line says."""
    return text.partition("\n")[0].removeprefix("# ")


def under(text: str, slug: str) -> str:
    """Return the text of a survey file under another name."""
    return re.sub(r"(?m)^survey:[ \t]*[^\s#]*", f"survey: {slug}", text, count=1)


def title_of(text: str) -> str:
    """Return the title in a text that is perhaps full of mistakes."""
    found = _TITLE.search(text)
    return (found[1] or found[2]).strip("\"' ") if found else "Without a title"
