"""What is asked of a survey whatever is known of its reports: all of them, or their tally."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from deniable.analysis.control import told
from deniable.analysis.export import lay_out
from deniable.analysis.numerics.arrays import IntArray
from deniable.analysis.results import Results, numbers
from deniable.items import Item
from deniable.questions import Answer, Protection, Question
from deniable.study import share_table, shares
from deniable.study.analysed import Analysed, Source
from deniable.survey import Survey


class Asked:
    """A survey's items by their names, and where its reports come from.

    Attributes
    ----------
    survey : Survey
    source : str
        Where the reports come from.
    """

    survey: Survey
    source: str

    def item(self, name: str) -> Item:
        """Find an item by its id, or by that of its question if it is the only one.

        Raises
        ------
        ValueError
            If there is none, or the question has several.
        """
        known = {item.id: item for item in self.survey.items}
        if name in known:
            return known[name]
        several = [item.id for item in self.survey.items if item.question == name]
        if several:
            raise ValueError(f"{name!r} has several items: expected one of {', '.join(several)}")
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
        raise ValueError(f"{self.survey.slug}: there is no item {name!r}; {hint}")

    def _values(self, item: Item) -> list[float] | None:
        return numbers(item) if self._question(item).is_number else None

    def _compared(
        self,
        found: Item,
        groups: Item,
        counts: Mapping[Answer, IntArray],
        missing: int,
        level: float,
        method: str,
    ) -> Analysed:
        """Compare an item between groups of people, those that have no reports left out."""
        there = {group: count for group, count in counts.items() if count.any()}
        if len(there) < 2:
            raise ValueError(
                f"expected at least two groups of {groups.id!r} with reports of {found.id!r}, "
                f"found {len(there)}"
            )
        return shares.compare(
            self._source(found),
            found,
            there,
            by=groups.id,
            values=self._values(found),
            level=level,
            method=method,
            missing=missing,
        )

    def _question(self, item: Item) -> Question:
        return self.survey.question(item.question)

    def _waves_of(self) -> int:
        if self.survey.waves is None:
            raise ValueError(f"{self.survey.slug} is asked once: expected a survey with waves")
        return self.survey.waves

    def _asked(self, question: str | None) -> Question | None:
        """Find a question by its id, or by that of one of its items."""
        if question is None:
            return None
        known = {one.id: one for one in self.survey.asked_questions}
        return known.get(question) or self._question(self.item(question))

    def _source(self, item: Item) -> Source:
        design = "asked directly" if item.protection is Protection.DIRECT else self.survey.title
        return Source(self.source, design, item.channel)


def all_shares(results: Results, source: str) -> Analysed:
    """Show every estimate of a survey."""
    items = [item for question in results.questions for item in question.items]
    printed = share_table.make("Item", results.level)
    for item in items:
        share_table.add(printed, item)
    return Analysed(
        table=[
            f"{results.survey.title}; {source}: {results.n:,} respondents",
            "",
            printed,
            "",
            *share_table.notes(items, results.level),
            *(told(one, results.level) for one in results.followed),
        ],
        export=lay_out(results),
    )
