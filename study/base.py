"""What is asked of a survey whatever is known of its reports: all of them, or their tally."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches

from deniable.analysis.control import told
from deniable.analysis.findings import Results
from deniable.analysis.mean_of_waves import people_said, waves_named
from deniable.analysis.results import numbers
from deniable.results.item import Sample, ways_said
from deniable.results.result import Result
from deniable.results.rows import lay_out
from deniable.results.shares import notes, share_table
from deniable.results.source import Source
from deniable.study import shares
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Protection, Question
from deniable.survey.waves import COLUMN
from deniable.text.safety import counted


class BaseStudy(ABC):
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
        if self.survey.waves is not None and name == COLUMN:
            raise ValueError(
                f"{name!r} is which wave it is: ask for one by its number, or for all of them and "
                "their changes by waves() and changes()"
            )
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

    @property
    @abstractmethod
    def n_by_wave(self) -> Mapping[int, int]:
        """How many people answered in each wave that has reports; under 0 if there are no waves."""

    @property
    def n(self) -> int:
        """Number of respondents; of a survey with waves, the most in one of them."""
        return max(self.n_by_wave.values(), default=0)

    @property
    def _respondents(self) -> str:
        if len(self.n_by_wave) > 1:
            return people_said(self.n_by_wave)
        return counted(self.n, "respondent")

    def _asking(self, item: Item, by: str | None = None) -> shares.Asking:
        return shares.Asking(item, self._values(item), self._question(item), by)

    def _two(self, first: str, second: str) -> tuple[Item, Item]:
        one, other = self.item(first), self.item(second)
        if one is other:
            raise ValueError(f"expected two different items, found {one.id!r} twice")
        return one, other

    def _check_single_wave(self, what: str) -> None:
        """Refuse what waves cannot be joined for: the same people may have answered each time."""
        waves = [*self.n_by_wave]
        if len(waves) > 1:
            raise ValueError(
                f"expected one wave for {what}, found the waves {waves_named(waves)}, in which the "
                f"same people may have answered: name one, such as wave={waves[-1]} (on the "
                f"command line --wave {waves[-1]})"
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
        known = {one.id: one for one in self.survey.questions}
        return known.get(question) or self._question(self.item(question))

    def _source(self, item: Item) -> Source:
        design = "asked directly" if item.protection is Protection.DIRECT else self.survey.title
        return Source(self.source, design, item.channel)


def refuse_sample(what: str, given: Mapping[str, str]) -> None:
    """Refuse weights, strata and clusters for what is found of the respondents alone.

    Raises
    ------
    TypeError
        If something else was given.
    ValueError
        If one of these was.
    """
    unknown = given.keys() - {"weights", "strata", "clusters"}
    if unknown:
        raise TypeError(f"{what} takes no {', '.join(sorted(unknown))}")
    if given:
        raise ValueError(
            f"{what} is of the respondents, and not of the population that they were drawn from: "
            f"expected no {', '.join(given)} (shares, means and groups take them: shares() and "
            "by())"
        )


def all_shares(results: Results, source: str, sample: Sample | None = None) -> Result:
    """Show every estimate of a survey; over waves, their means.

    Parameters
    ----------
    results : Results
    source : str
        Where the reports come from.
    sample : Sample, optional
        How people were drawn, if not alike.
    """
    items = [item for question in results.questions for item in question.items]
    several = len(results.n_by_wave) > 1
    people = people_said(results.n_by_wave) if several else counted(results.n, "respondent")
    export = lay_out(results)
    if sample is not None:
        export = replace(export, document={**export.document, "sample": sample.document})
    return Result(
        [
            f"{results.survey.title}; {source}: {people}",
            *([] if sample is None else [sample.words]),
            "",
            share_table("Item", items, results.level),
            "",
            *notes(items, results.level),
            *ways_said(results.n_by_wave, sample),
            *(told(one, results.level) for one in results.followed),
        ],
        export,
    )
