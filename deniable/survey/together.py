"""Questions that are randomised as one answer: one draw for all of them, over their *cells*.

A cell is a combination of their answers that can be true. The device reports the true cell, or one
of the others, each with the same weight. The report of one question, or of some, is a part of the
cell: because all other cells have the same weight, its distribution depends on its own truth
alone, and is a channel whose integers are exact sums. A report still has a byte for each question.
In waves a device keeps a noisy cell for each cell, and draws each report from the noisy cell of the
true one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, Final, TypeAlias

from deniable.channel import ROW_SUM, Channel
from deniable.survey.questions import DOES_NOT_APPLY, PREFER_NOT_TO_SAY, Question
from deniable.survey.waves import Memory, redraw_weight

MAX_CELLS: Final = 254
"""The most cells of a group."""

_MOST: Final = 2**16
"""The most combinations of answers, possible or not, among which to search for cells."""

Cells: TypeAlias = tuple[tuple[int, ...], ...]
"""For each cell, the place of the truth of each question."""


@dataclass(frozen=True)
class Group:
    """A group of questions that are randomised as one answer.

    `questions`: their ids, in the order of the survey. `other`: the weight, of 2^32, with which a
    report is each one of the cells that are not true, less than the weight of the true cell.
    `memory`: in waves, what a device keeps of the cells.
    """

    questions: tuple[str, ...]
    cells: Cells
    other: int
    memory: Memory | None = None

    def __post_init__(self) -> None:
        if len(self.cells) < 2:
            raise ValueError(f"{self.questions}: expected answers that can all be true, found none")
        most = ROW_SUM // len(self.cells)
        if type(self.other) is not int or not 0 < self.other < most:
            raise ValueError(
                f"expected 1 to {most - 1} as the weight of each other cell, found {self.other!r}"
            )
        if self.memory is not None and self.memory.compose() != self.channel:
            raise ValueError(f"{self.questions}: the weights are not what its redraw makes")

    @cached_property
    def channel(self) -> Channel:
        """The channel of a report of all questions, with a row and a column for each cell."""
        return self.marginal(*self.questions)[1]

    def marginal(self, *questions: str) -> tuple[Cells, Channel]:
        """Return the cells of some questions of the group, and the channel of their report."""
        at = [self.questions.index(id) for id in questions]
        sizes = Counter(tuple(cell[place] for place in at) for cell in self.cells)
        kept = ROW_SUM - len(self.cells) * self.other
        cells = tuple(sorted(sizes))
        return cells, Channel(
            [sizes[report] * self.other + kept * (report == truth) for report in cells]
            for truth in cells
        )

    def remember(self, flip: Fraction) -> Group:
        """Return the group prepared for waves, see `deniable.survey.items.remember`."""
        memory = Memory(self.channel, redraw_weight(flip, len(self.cells)))
        return replace(self, other=memory.compose().weights[0][1], memory=memory)

    def sample(self, cell: int, word: int, kept: Sequence[int] = ()) -> int:
        """Draw the reported cell, by one uniform 32-bit word.

        `kept`: in waves, the noisy cell of each cell.
        """
        if self.memory is None:
            return self.channel.sample(cell, word)
        return self.memory.instantaneous.sample(kept[cell], word)

    def cell(self, truths: Sequence[int]) -> int:
        """Return the place of the cell of these truths; a `ValueError` if it is impossible."""
        if tuple(truths) not in self.cells:
            raise ValueError(
                f"{' and '.join(self.questions)}: expected answers that can all be true, found "
                f"the truths {', '.join(map(str, truths))}"
            )
        return self.cells.index(tuple(truths))

    def document(self) -> dict[str, Any]:
        """Return the group as JSON-ready values; its cells follow from the questions."""
        return {"questions": list(self.questions), "other": self.other}


def group_of(questions: Sequence[Question], other: int, memory: Memory | None = None) -> Group:
    """Make the group of these questions."""
    return Group(tuple(one.id for one in questions), cells_of(questions), other, memory)


def cells_of(questions: Sequence[Question]) -> Cells:
    """Return the cells of questions of one item each; the truth of the last one varies fastest."""
    if math.prod(len(one.truths) for one in questions) > _MOST:
        raise ValueError(f"expected at most {_MOST} combinations of answers to go through")
    return tuple(
        cell
        for cell in product(*(range(len(one.truths)) for one in questions))
        if _is_possible(questions, cell)
    )


def _is_possible(questions: Sequence[Question], cell: Sequence[int]) -> bool:
    """Return whether the answers of a cell can all be true, as `core/together.js` does."""
    codes = {one.id: one.truths[truth].code for one, truth in zip(questions, cell, strict=True)}
    for question in questions:
        needed = [one for one in question.ask_if if one.item in codes]
        said = [codes[question.id], *(codes[one.item] for one in needed)]
        if not needed or PREFER_NOT_TO_SAY in said:
            continue
        holds = all(codes[one.item] in one.answers for one in needed)
        applies = said[0] != DOES_NOT_APPLY
        # It may also not apply because a condition outside the group fails.
        if applies != holds and (applies or len(needed) == len(question.ask_if)):
            return False
    return True
