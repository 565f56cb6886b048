"""All pages' Python lines as one Jupyter notebook, for students who program."""

from __future__ import annotations

from typing import Any, Final

from deniable.lab.page import Page
from deniable.lab.pages import PAGES

_FIRST: Final = (
    "# The lab, in Python\n\n"
    "Each part is a page of the lab: what it is about, the lines that compute its numbers, and its "
    "exercises. Change the numbers and run a part again. All people are made up."
)


def notebook() -> dict[str, Any]:
    """Return the notebook, as its file has it (version 4.5 of the format)."""
    cells = [_text("about", _FIRST)]
    for page in PAGES.values():
        cells += [
            _text(page.slug, "\n\n".join([f"## {page.title}", *page.paragraphs])),
            _code(page),
            _text(f"{page.slug}-exercises", _exercises(page)),
        ]
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _text(id: str, text: str) -> dict[str, Any]:
    return {
        "cell_type": "markdown",
        "id": id,
        "metadata": {},
        "source": text.splitlines(keepends=True),
    }


def _code(page: Page) -> dict[str, Any]:
    first = page.compute(page.read({}))
    # The last line of a cell is what a notebook shows.
    shown = "".join(f'    "{one.name}": {one.name},\n' for one in first.values)
    code = f"{first.code}\n{{\n{shown}}}"
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": f"{page.slug}-code",
        "metadata": {},
        "outputs": [],
        "source": code.splitlines(keepends=True),
    }


def _exercises(page: Page) -> str:
    parts = [
        f"{place}. {one.question}\n\n   *Answer:* {one.answer}"
        for place, one in enumerate(page.exercises, 1)
    ]
    return "\n\n".join(["### Exercises", *parts])
