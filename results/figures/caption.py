"""The caption of a figure: what is shown, its intervals, of how many people, and the design.

It is in the file, so that a figure that is passed on still says it, and a file of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from deniable.analysis.findings import Mean, Share
from deniable.analysis.results import ItemResults, QuestionResults
from deniable.results.estimate import has_design_effect
from deniable.results.numbers import number
from deniable.survey.items import Item
from deniable.survey.questions import Protection
from deniable.text.wording import noise

_METHODS: Final = {
    "feldman-cousins": "Feldman and Cousins 1998",
    "tail": "both tails of a test, DiCiccio and Romano 1990",
    "wald": "Wald’s",
}
"""The kinds of intervals in words, where these say more than the name."""


class Caption(NamedTuple):
    """The title of a figure, and what stands below it in a paper."""

    title: str
    text: str

    @property
    def whole(self) -> str:
        """Both, as one paragraph."""
        return f"{self.title}{'' if self.title.endswith(('?', '.', '!')) else '.'} {self.text}"


def of_question(question: QuestionResults, level: float, by: Item | None = None) -> Caption:
    """Return the caption of a question's figure; `by`: the item whose answers are its groups."""
    return Caption(question.question.text, " ".join(_question_lines(question.items, level, by)))


def _question_lines(items: Sequence[ItemResults], level: float, by: Item | None) -> Iterator[str]:
    if items[0].direct and by is None:
        yield f"Dots are shares of {_of_whom(items, 'the answers')}, and means of numbers."
    else:
        whom = _of_whom(items, "all people")
        yield f"Filled dots are estimates of {whom}, with the noise taken out."
        if any(one.observed is not None for item in items for one in item.told_first):
            yield "Hollow dots are the shares of the noisy reports."
    if any(one.outside for item in items for one in _drawn(item)):
        yield "Diamonds are estimates beyond what is possible, which chance alone can make."
    yield from _sureness(items, level)
    yield f"{people(items)}."
    if by is not None and by.protection is not Protection.DIRECT:
        yield f"Of the groups: {noise(by)}"
    yield from _design(items)


def shares_of(items: Sequence[ItemResults]) -> str:
    """Return of whom the shares of a figure are."""
    return f"share of {_of_whom(items, 'people')}"


def _of_whom(items: Sequence[ItemResults], everybody: str) -> str:
    return "those to whom it applies" if items[0].is_told_of_some else everybody


def of_waves(waves: Sequence[tuple[int, QuestionResults]], level: float) -> Caption:
    """Return the caption of a question's figure over waves."""
    items = [item for _, one in waves for item in one.items]
    counted = ", ".join(f"{people(one.items)} in wave {wave}" for wave, one in waves)
    whom = _of_whom(items, "all people")
    parts = [
        f"Marks are estimates of {whom} in each wave, with the noise taken out.",
        *_sureness(items, level),
        f"{counted}.",
        *_design(items),
    ]
    return Caption(waves[0][1].question.text, " ".join(parts))


def people(items: Iterable[ItemResults], before: str = "n = ") -> str:
    """Return of how many people the estimates are, such as "n = 480 to 520"."""
    return f"{before}{_range(sorted(item.n for item in items), '{:,}'.format)}"


def _sureness(items: Sequence[ItemResults], level: float) -> Iterator[str]:
    methods = dict.fromkeys(
        _METHODS.get(one.method, one.method)
        for item in items
        for one in _drawn(item)
        if one.method is not None
    )
    if methods:
        yield f"Lines are {100 * level:g} % intervals ({' or '.join(methods)})."
    if any(has_design_effect(item.findings) for item in items):
        yield "Estimates and intervals count how people were drawn."


def _drawn(item: ItemResults) -> Iterator[Share | Mean]:
    yield from item.told_first
    if item.mean is not None:
        yield item.mean


def _design(items: Sequence[ItemResults]) -> Iterator[str]:
    yield from dict.fromkeys(noise(item.item) for item in items)
    losses = sorted({item.item.epsilon for item in items if item.item.epsilon is not None})
    if losses:
        yield f"ε = {_range(losses, number)}."


def _range(sorted_values: Sequence[float], write: Callable[[float], str]) -> str:
    ends = dict.fromkeys((sorted_values[0], sorted_values[-1]))
    return " to ".join(write(one) for one in ends)
