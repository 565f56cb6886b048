"""How a report is drawn, in words for people without a formula, with the numbers of a design."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Protection, Question

_SHOWN: Final = 4
"""Answers that are worked out; of more, the first and the last."""

_NAMED: Final = 3
"""Codes that are named, the likeliest ones."""


def law(survey: Survey, question: Question) -> Iterator[str]:
    """Say what the device does with an answer to a question, and then with 100 people's."""
    item = survey.items_of(question)[0]
    if question.protection is Protection.DIRECT:
        yield "Nothing is drawn: the device sends the answer that is given."
        return
    if item.has_spinner:
        yield (
            "The device draws one of the two statements by chance and shows it. The person says "
            "whether it is true of them, and that reply is sent. It does not say which statement "
            "was drawn."
        )
    elif item.group is not None:
        yield from _together(survey, item)
    elif item.reports_name_truths:
        yield "The device draws by chance whether it sends the true answer or another one."
    else:
        yield (
            f"The device draws one of {len(item.reports)} codes and sends it. How often it draws "
            "each code depends on the true answer, and every code can come from every answer."
            if item.channel.ratio is not None
            else f"The device draws one of {len(item.reports)} codes, and sends it."
        )
    yield from (_of_100(item, place) for place in _worked(item))
    if item.memory is not None:
        yield (
            "It draws once which answer it keeps, and in each wave anew what it sends of that. The "
            "numbers are those of one wave."
        )


def _worked(item: Item) -> Sequence[int]:
    places = range(len(item.truths))
    return places if len(places) <= _SHOWN else (0, len(places) - 1)


def _of_100(item: Item, truth: int) -> str:
    """Say what 100 people send of whom one answer is true."""
    row = item.channel.probabilities[truth].tolist()
    answer = item.truths[truth]
    true = item.in_full(answer) if item.statements else quoted(answer.text)
    of = f"Of 100 people for whom {true} is true, about"
    if not item.reports_name_truths:
        likely = sorted(range(len(row)), key=lambda place: -row[place])[:_NAMED]
        codes = [f"{_count(row[place])} send code {place + 1}" for place in likely]
        rest = len(row) - len(likely)
        left = _count(1 - sum(row[place] for place in likely))
        said = f", and the other {rest} codes share {left}" if rest else ""
        return f"{of} {', '.join(codes)}{said}."
    others = [place for place in range(len(row)) if place != truth]
    said = f"{of} {_count(row[truth])} reports say so"
    if len(others) > 1 and len({_count(row[place]) for place in others}) == 1:
        return f"{said}, and {_count(row[others[0]])} say each of the {len(others)} other answers."
    groups = itertools.groupby(others, key=lambda place: _count(row[place]))
    named = [
        f"{count} say {' and '.join(quoted(item.reports[place].text) for place in places)}"
        + (" each" if len(places) > 1 else "")
        for count, some in groups
        for places in ([*some],)
    ]
    return f"{said}, and {', '.join(named)}."


def _together(survey: Survey, item: Item) -> Iterator[str]:
    assert item.group is not None  # noqa: S101  for the type checker
    group = item.group
    names = " and ".join(quoted(survey.question(id).text) for id in group.questions)
    kept, *others = sorted(group.channel.probabilities[0].tolist(), reverse=True)
    yield (
        f"The answers to {names} are drawn as one. Of 100 people with the same true answers, about "
        f"{_count(kept)} send these, and {_count(others[0])} each of the {len(others)} other "
        "combinations that can be true. Of this question alone:"
    )


def quoted(text: str) -> str:
    """Quote a text, which may run from right to left, in a sentence that does not."""
    turns = any(unicodedata.bidirectional(one) in ("R", "AL") for one in text)
    return f"\N{FIRST STRONG ISOLATE}“{text}”\N{POP DIRECTIONAL ISOLATE}" if turns else f"“{text}”"


def _count(share: float) -> str:
    """Write so many of 100, with one decimal where it is not whole."""
    if 0 < share < 0.0005:
        return "fewer than 0.1"
    return f"{100 * share:.1f}".removesuffix(".0")
