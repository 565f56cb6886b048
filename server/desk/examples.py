"""What a new draft can begin from: nothing but a question, or one of the examples shipped."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

BLANK: Final = """\
version: 1
survey: my-survey  # its name in addresses
title: My survey
introduction: Say in a few words who asks, and what for.
epsilon: 1  # the most that all answers of one person reveal
questions:
  - id: first
    text: Have you ever …?
    type: single
    answers: [No, Yes]
"""

_TITLE: Final = re.compile(
    r"^title:[ \t]*(?:\n[ \t]+\w+:[ \t]*)?([^#\s{|>&*!].*?)[ \t]*(?:#.*)?$", re.MULTILINE
)
"""On its own line; in several languages, that of the first."""


@cache
def examples() -> Mapping[str, str]:
    """Return the text of each example, by the name of its file."""
    folder = files("deniable") / "examples"
    found = (file for file in folder.iterdir() if file.name.endswith(".yaml"))
    return {
        file.name.removesuffix(".yaml"): file.read_text("utf-8")
        for file in sorted(found, key=lambda file: file.name)
    }


def title_of(text: str) -> str:
    """Return the title in a text that is perhaps full of mistakes."""
    found = _TITLE.search(text)
    return found[1].strip("\"'") if found else "Without a title"
