"""Jupyter notebooks for students who program: all pages' Python lines, and a homework."""

from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from deniable.lab.homework import TASKS, P, Task
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
    return _written(cells)


_HOMEWORK: Final = """\
# Homework: what coins hide, and what they tell

800 made-up people answered a question, and each report was flipped with probability {p}. Write five
functions, each in the place of the three dots, and run the cell. Below each one a check says
whether it is right, and why if not. Your data are your own: set `student` to your
number.

Only the first two cells use the program that your teacher runs. All others are NumPy alone."""

_NEAR: Final = """

*{where}. For use at home, the teacher puts the files of `deniable lab --export` where all can reach
them.*"""

_SET_UP: Final = """\
# Once: the lab's program from your teacher's address, and what draws. Python 3.11 or newer.
%pip install --quiet "{wheel}" matplotlib"""

_DATA: Final = """\
import numpy as np
import matplotlib.pyplot as plt

from deniable.lab.homework import Homework

student = "{student}"  # your number, between the marks; letters may be in it
homework = Homework(student)
reports, p, check = homework.reports, {p}, homework.check
print(f"{{len(reports)}} reports, {{reports.sum()}} of them 1. The first: {{reports[:20]}}")"""

_PLOT: Final = """\
# What your functions tell as more people answer, and the share that you estimate in the end.
if estimate(reports, p) is None or margin(reports, p) is None:
    print("This picture needs estimate and margin.")
else:
    counts = range(20, len(reports) + 1, 20)
    found = np.array([estimate(reports[:n], p) for n in counts])
    away = np.array([margin(reports[:n], p) for n in counts])
    plt.plot(counts, found)
    plt.fill_between(counts, found - away, found + away, alpha=0.3)
    plt.axhline(estimate(reports, p), linestyle="--")
    plt.xlabel("People")
    plt.ylabel("Estimated share, 95 %")
    plt.show()"""


def homework(wheel: str, student: int, *, solved: bool = False) -> dict[str, Any]:
    """Return the homework's notebook, whose first cell installs the program from an address."""
    host = urlsplit(wheel).hostname
    where = f"The address {host} works in this room only" if host else "This copy is the teacher’s"
    near = _NEAR.format(where=where) if not host or _is_near(host) else ""
    cells = [
        _text("about", _HOMEWORK.format(p=P) + near),
        _source("set-up", _SET_UP.format(wheel=wheel)),
        _source("data", _DATA.format(student=student, p=P)),
    ]
    for place, task in enumerate(TASKS, 1):
        cells += [
            _text(f"task-{place}", f"## {place}. `{task.name}`\n\n{task.what}"),
            _source(f"write-{place}", _function(task, solved=solved)),
        ]
        if solved:
            cells.append(_text(f"why-{place}", f"*Why*: {task.why}"))
        if task.name == "margin":
            cells.append(_source("plot", _PLOT))
    cells.append(_source("summary", "print(homework.summary())"))
    return _written(cells)


def _is_near(host: str) -> bool:
    """Whether an address reaches only machines of one network."""
    named = host == "localhost" or host.endswith(".local")
    return named or (host[-1:].isdigit() and ip_address(host).is_private)


def _function(task: Task, *, solved: bool) -> str:
    lines = task.body if solved else ("...",)
    return "\n".join(
        [task.head, *(f"    {one}" for one in lines), "", "", f"print(check({task.name}))"]
    )


def _written(cells: list[dict[str, Any]]) -> dict[str, Any]:
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
    first = page.shown(page.read({}))
    # The last line of a cell is what a notebook shows.
    shown = "".join(f'    "{one.name}": {one.name},\n' for one in first.values)
    return _source(f"{page.slug}-code", f"{page.program(page.read({}))}\n{{\n{shown}}}")


def _source(id: str, code: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": id,
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
