"""Who adds up all that is shown of direct answers, and looks for a cell of few people."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, milp

from deniable.analysis.counts.rows import direct_places
from deniable.analysis.privacy.disclosure import LEAST
from deniable.survey import Survey

WIDE = LEAST - 1
"""How far the greatest and the least possible number of people in a small cell are apart."""

Group = npt.NDArray[np.float64]


@dataclass
class Attacker:
    """What somebody knows of how many people gave each combination of direct answers.

    `kinds`, shape (kinds, items): all combinations of direct answers that the survey allows.
    `people`, shape (kinds,): the truth, which makes the right side of each equation and is used for
    nothing else. `not_empty`: groups of which the rule of suppression tells that somebody is there.
    """

    survey: Survey
    kinds: npt.NDArray[np.uint8]
    people: npt.NDArray[np.int64]
    equations: list[Group] = field(default_factory=list)
    not_empty: list[Group] = field(default_factory=list)

    @classmethod
    def of(cls, survey: Survey, answers: npt.NDArray[np.uint8]) -> Attacker:
        """Return the attacker of people who were all asked everything, shape (people, items)."""
        direct = direct_places(survey)
        kinds = np.array([*_possible(survey, direct)], dtype=np.uint8)
        matches = (answers[:, np.newaxis, direct] == kinds).all(axis=2)
        assert (matches.sum(axis=1) == 1).all()
        return cls(survey, kinds, matches.sum(axis=0))

    @cached_property
    def places(self) -> dict[str, int]:
        """The position of each direct item among the columns of the kinds."""
        direct = [self.survey.items[place].id for place in direct_places(self.survey)]
        return {name: place for place, name in enumerate(direct)}

    def gave(self, **answers: Sequence[int]) -> Group:
        """Return which kinds gave one of some answers to each of some items."""
        found = np.ones(len(self.kinds), dtype=bool)
        for name, those in answers.items():
            found &= np.isin(self.kinds[:, self.places[name]], those)
        return found.astype(np.float64)

    def learn(self, group: Group, told: float) -> None:
        """Take in how many people are in a group, or the sum of what its people stand for."""
        assert abs(group @ self.people - told) < 1e-6 * max(1, abs(told)), (told, self.people)
        self.equations.append(group)

    def small_cells(self) -> Iterator[tuple[dict[str, int], Group]]:
        """Yield each combination of direct answers that one to four people gave."""
        for size in range(1, len(self.places) + 1):
            for names in itertools.combinations(self.places, size):
                some = self.kinds[:, [self.places[name] for name in names]]
                for answers in np.unique(some, axis=0).tolist():
                    cell = dict(zip(names, answers, strict=True))
                    group = self.gave(**{name: [answer] for name, answer in cell.items()})
                    if 0 < group @ self.people < LEAST:
                        yield cell, group

    def found(self) -> list[tuple[dict[str, int], int, int]]:
        """Return the small cells that follow: their answers, least and greatest possible number.

        They follow if the range is less wide than "0 to 4", or is one number for somebody who
        knows the rule too.
        """
        tables, knowing = [self.people], [self.people]
        cells = [
            (cell, *self._range(group, tables, WIDE), *self._range(group, knowing, 1, knows=True))
            for cell, group in self.small_cells()
        ]
        return [
            (cell, least, greatest)
            for cell, least, greatest, known_least, known_greatest in cells
            if greatest - least < WIDE or known_greatest == known_least
        ]

    def _range(
        self,
        group: Group,
        tables: list[npt.NDArray[np.int64]],
        enough: int,
        *,
        knows: bool = False,
    ) -> tuple[int, int]:
        """Return the least and greatest possible number in a group, or two that are enough apart.

        `tables`: those known to look the same, to which the ones found are added.
        """
        for sign in (1, -1):
            seen = [round(float(group @ table)) for table in tables]
            if max(seen) - min(seen) >= enough:
                break
            tables.append(self._table(sign * group, knows=knows))
        seen = [round(float(group @ table)) for table in tables]
        return min(seen), max(seen)

    def _table(self, least: Group, *, knows: bool) -> npt.NDArray[np.int64]:
        """Return the table that looks the same in which a sum is least."""
        equations = np.unique([np.ones(len(self.people)), *self.equations], axis=0)
        told = equations @ self.people
        constraints = [LinearConstraint(equations, told, told)]
        if knows and self.not_empty:
            constraints.append(LinearConstraint(np.array(self.not_empty), 1, np.inf))
        found = milp(
            least,
            constraints=constraints,
            integrality=np.ones(len(self.people), dtype=np.int64),
            bounds=Bounds(0, np.inf),
        )
        assert found.x is not None, found.message
        table: npt.NDArray[np.int64] = np.rint(found.x).astype(np.int64)
        assert (equations @ table == told).all()
        return table


def _possible(survey: Survey, direct: Sequence[int]) -> Iterator[list[int]]:
    """Yield the combinations of direct answers that the survey's follow-ups allow."""
    items = [survey.items[place] for place in direct]
    for answers in itertools.product(*(range(len(item.truths)) for item in items)):
        said = {item.id: item.truths[a].code for item, a in zip(items, answers, strict=True)}
        if all(
            (a != question.skipped) == all(said[one.item] in one.answers for one in question.ask_if)
            for item, a in zip(items, answers, strict=True)
            for question in [survey.question(item.question)]
            if question.ask_if
        ):
            yield list(answers)
