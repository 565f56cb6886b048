"""What is asked of one question or of two, whatever is known of the reports."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from itertools import combinations
from types import MappingProxyType
from typing import Final, Self

from deniable.analysis import intervals
from deniable.analysis.counts.tally import Tally
from deniable.analysis.mean_of_waves import mean_of_results, method_of_each, waves_named
from deniable.analysis.means import mean_is_identifiable
from deniable.analysis.results import Results, numbers, summarise
from deniable.analysis.waves import ItemReports, Waves, reports_in, waves_of
from deniable.results.associations import correlation_result, ratios_result
from deniable.results.changes import all_waves, only_changes
from deniable.results.item import Sample, all_shares
from deniable.results.result import Result
from deniable.results.source import Source
from deniable.roles import treats_alike, yes_of
from deniable.study import crossing, shares
from deniable.study.weighing import Margins
from deniable.survey import Survey
from deniable.survey.collected import Collected
from deniable.survey.items import Item
from deniable.survey.questions import Protection, Question
from deniable.survey.waves import COLUMN
from deniable.text.doors import RefusalError
from deniable.text.near import meant
from deniable.text.safety import composed

LEVEL: Final = 0.95

NO_SHARES: Final = (
    "the reports tell the mean of the answers, but not the share of each, which this needs"
)


class QuestionStudy(ABC):
    """A survey that answers questions on its items, from all reports or from their counts.

    Attributes
    ----------
    source : str
        Where the reports come from.
    """

    survey: Survey
    source: str
    sample: Sample | None = None
    margins: Margins = MappingProxyType({})
    others: tuple[str, ...] = ()
    beside: Mapping[str, Sequence[str]] = MappingProxyType({})
    called: Mapping[str, str] = MappingProxyType({})

    @property
    def min_cell_size(self) -> int:
        """How many people a direct answer needs to be published."""
        return 1

    @property
    def n_by_wave(self) -> Mapping[int, int]:
        """How many people answered in each wave that has reports, or in the first."""
        return {wave: tally.n for wave, tally in self.tallies.items()}

    @cached_property
    @abstractmethod
    def tallies(self) -> dict[int, Tally]:
        """The tally of each item by itself, of each wave that has reports, or of the first."""

    @abstractmethod
    def _one_wave(self, wave: int) -> Self:
        """Return one wave alone."""

    def wave(self, wave: int) -> Self:
        """Return one wave alone.

        Raises
        ------
        ValueError
            If the survey has no such wave.
        """
        if wave not in self.survey.wave_numbers:
            survey = self.survey
            raise ValueError(
                f"expected a wave of {survey.slug}, which has {survey.waves}, found {wave}"
            )
        return self._one_wave(wave)

    def estimates(
        self, level: float = LEVEL, method: str = intervals.DEFAULT, only: str | None = None
    ) -> Waves:
        """Estimate everything in each wave that has reports, and the changes between these.

        Parameters
        ----------
        only : str, optional
            The id of the only question to estimate.
        """
        found = self._results_by_wave(level, method, only)
        return waves_of(self.survey, found, self.reports_on, level, method)

    def reports_on(self, wave: int, item: Item) -> ItemReports:
        """Return the reports of a wave on an item."""
        return reports_in(self.survey, self.tallies, wave, item)

    def _results_by_wave(
        self, level: float, method: str, only: str | None = None
    ) -> dict[int, Results]:
        return {
            wave: self._summarise(tally, level, method, only)
            for wave, tally in self.tallies.items()
        }

    def _summarise(self, tally: Tally, level: float, method: str, only: str | None) -> Results:
        return summarise(
            self.survey, tally, level, method, min_cell_size=self.min_cell_size, only=only
        )

    @property
    def n(self) -> int:
        """Number of respondents; of a survey with waves, the most in one of them."""
        return max(self.n_by_wave.values(), default=0)

    def _source_of(self, wave: int) -> str:
        return f"{self.source}{self.survey.in_waves(f', wave {wave}')}"

    def among(
        self,
        asked: Item,  # noqa: ARG002  `Population` knows of whom
        groups: Sequence[Item] = (),  # noqa: ARG002
    ) -> Self:
        """Return the people of whom an item may be told in groups of others."""
        return self

    def item(self, name: str) -> Item:
        """Find an item by its id, or by that of its question if it is the only one.

        Raises
        ------
        ValueError
            If there is none, or the question has several.
        """
        name, known = composed(name), {item.id: item for item in self.survey.items}
        if self.survey.is_repeated and name == COLUMN:
            raise RefusalError(
                f"{name!r} is which wave it is",
                python="take one by wave(), or all and their changes by waves() and changes()",
                command="take one by --wave, or all and their changes by 'deniable estimate'",
                desk="choose one, or see the changes of all on the page of results",
            )
        if name in known:
            return known[name]
        of_question = [item for item in self.survey.items if item.question == name]
        if len(of_question) == 1:
            return of_question[0]
        if of_question:
            several = ", ".join(item.id for item in of_question)
            raise ValueError(f"{name!r} has several items: expected one of {several}")
        hint = meant(name, known)
        if name in self.beside:
            hint = (
                f"it is a column beside those of the survey or the dictionary ({', '.join(known)}),"
                " where it needs an entry, such as {protection: direct}"
            )
        raise ValueError(f"{self.survey.slug}: there is no item {name!r}; {hint}")

    @property
    def repeated(self) -> str:
        """What several waves may have in common; empty if they are independent samples."""
        if self.survey.same_people:
            return "people"
        drawn = {} if self.sample is None else self.sample.columns
        return "clusters" if "clusters" in drawn else ""

    def _level_values(self, item: Item) -> list[float] | None:
        return numbers(item) if self._question(item).is_number else None

    @abstractmethod
    def _responses(self, item: Item, groups: Item | None) -> Mapping[int, shares.GroupedReports]:
        """Return what was reported of an item in each wave, in groups of a direct item."""

    @abstractmethod
    def _pair(self, one: Item, other: Item) -> crossing.Pair:
        """Count the pairs of reports of two items."""

    def _weighed(
        self,
        asked: crossing.Pair,  # noqa: ARG002  `Reports` weighs the reports
        *items: Item,  # noqa: ARG002
    ) -> crossing.Weighed | None:
        """Return who sent which pair, and how they were drawn, if not alike."""
        return None

    def waves(
        self, question: str | None = None, *, level: float = LEVEL, method: str = intervals.DEFAULT
    ) -> Result:
        """Estimate everything in each wave, and the changes from each to the next.

        Parameters
        ----------
        question : str, optional
            One question alone, which can be drawn; by default all of the survey.

        Raises
        ------
        ValueError
            If the survey has no such question, or there are no reports.
        """
        found, of = self._estimates_of_waves(level, method), self._find_question(question)
        return all_waves(found, self.source, of, self.sample)

    def changes(
        self, question: str | None = None, *, level: float = LEVEL, method: str = intervals.DEFAULT
    ) -> Result:
        """Estimate the changes alone, see `waves`.

        Raises
        ------
        ValueError
            As `waves`, and if only one wave has reports.
        """
        found = self._estimates_of_waves(level, method)
        if len(found.waves) == 1:
            only = waves_named(found.waves)
            raise ValueError(f"expected reports of two waves, found those of wave {only} alone")
        return only_changes(found, self.source, self._find_question(question), self.sample)

    def shares(
        self,
        item: str | None = None,
        *,
        level: float = LEVEL,
        method: str = intervals.DEFAULT,
    ) -> Result:
        """Estimate the share of every answer and the mean of every number.

        Of several waves it is their mean. Its error is that of independent samples where the survey
        asks other people each time, and else one that holds although the same people may have
        answered, see `deniable.analysis.mean_of_waves`.

        Parameters
        ----------
        item : str, optional
            One item alone; by default all of the survey.
        method : str
            Of the shares' intervals, one of `deniable.analysis.intervals.NAMES`; with weights
            one of `deniable.analysis.sampling.effective.METHODS`.
        """
        if item is None:
            found = self._results(level, method)
            return all_shares(found, self.source, self.sample, self.repeated)
        named = self.item(item)
        return self.among(named).estimated(named, None, level, method)

    def by(
        self,
        group: str,
        item: str,
        *,
        level: float = LEVEL,
        method: str = intervals.DEFAULT,
    ) -> Result:
        """Estimate an item within groups of people, and compare the groups.

        Parameters
        ----------
        group : str
            Whose answers make the groups. If it was asked directly, the groups are people; if it
            was randomised, nobody knows who is in which, and their shares are estimated too. Of a
            number the means are compared; in groups that were randomised, these alone.
        level, method
            As for `shares`. A mean over waves is of those in which all groups have reports.

        Raises
        ------
        ValueError
            If there is no such item or column, both are the same, or fewer than two groups
            have reports; if the groups were randomised, and there are several waves, or weights.
        """
        found, groups = self.two(item, group)
        people = self.among(found, [groups])
        found, groups = people.two(item, group)
        if groups.protection is Protection.DIRECT:
            return people.estimated(found, groups, level, method)
        people._check_unweighted(f"groups of {groups.id!r}, which was randomised")
        people._check_single_wave(f"groups of {groups.id!r}, which was randomised")
        pair, values = people._pair(groups, found), self._level_values(found)
        if values is not None and mean_is_identifiable(found.channel, values):
            return crossing.means(self._source(found), pair, level)
        return crossing.within(self._source(found), pair, level)

    def cross(self, first: str, second: str, *, level: float = LEVEL) -> Result:
        """Estimate how many people gave each pair of answers to two items.

        Parameters
        ----------
        first, second : str
            Items, randomised or direct.

        Raises
        ------
        ValueError
            If there is no such item, both are the same, nobody was asked both, or several waves
            have reports: the same people may have answered each, and of other people a table of all
            would show what changed between the waves as an association.
        """
        one, other = self.two(first, second)
        self._check_single_wave("two questions together")
        for item in (one, other):
            refuse_without_shares(item)
        people = self.among(other, [one])
        one, other = people.two(first, second)
        pair = people._pair(one, other)
        return crossing.cross(self._source(other), pair, level, people._weighed(pair, one, other))

    def correlation(self, first: str, second: str, *, level: float = LEVEL) -> Result:
        """Estimate the correlation of two items, of numbers or of two answers (0 and 1).

        Of a number that was asked directly it is among those who gave one.

        Parameters
        ----------
        first, second
            As for `cross`.

        Raises
        ------
        ValueError
            As for `cross`, and if an item has other answers, as a randomised number has that can be
            skipped or does not apply to all, or answers exclude each other.
        """
        one, other = self.two(first, second)
        self._check_single_wave("two questions together")
        people = self.among(other, [one])
        one, other = people.two(first, second)
        people._check_unweighted("a correlation")
        values = map(people._level_values, (one, other))
        found = crossing.correlate(people._pair(one, other), [*values])
        return correlation_result(self._source(other), (one, other), found, level)

    def ratios(
        self,
        group: str,
        item: str,
        *,
        odds: bool = False,
        level: float = LEVEL,
        method: str = intervals.DEFAULT,
    ) -> Result:
        """Estimate how many times as great the shares of an item are in one group as in another.

        Parameters
        ----------
        group : str
            Whose answers make the groups; it was asked directly.
        odds : bool
            Whether the odds are compared, and not the shares.
        level, method
            Of the intervals, see `deniable.analysis.joint.ratios.Ratio.interval`; those of several
            pairs of groups hold together.

        Raises
        ------
        ValueError
            If there is no such item, the groups were randomised, fewer than two groups have
            reports, or several waves have.
        """
        found, groups = self.two(item, group)
        self._check_single_wave("ratios of groups")
        refuse_without_shares(found)
        if groups.protection is not Protection.DIRECT:
            raise ValueError(
                f"{groups.id!r} was randomised, so nobody knows who is in which group: expected a "
                "direct item for ratios (by and cross take two randomised items)"
            )
        people = self.among(found, [groups])
        found, groups = people.two(item, group)
        responses = people._responses(found, groups)
        there, seen = shares.groups_seen(found, groups.id, responses)
        (one,) = seen.values()
        compared = zip(combinations(there, 2), one.ratios(found, there, odds=odds), strict=True)
        pairs = [(*two, ratio) for two, ratio in compared]
        return ratios_result(
            self._source(found), (found, groups), pairs, level, method, people.sample
        )

    def estimated(
        self,
        item: Item,
        groups: Item | None,
        level: float,
        method: str,
        values: Sequence[float] | None = None,
    ) -> Result:
        """Estimate an item, perhaps with `values` of its truths."""
        if values:
            self._check_unweighted("values of the truths")
        question = None if values else self._question(item)
        return shares.estimate_item(
            self._source(item),
            shares.Asking(item, values or self._level_values(item), question, groups),
            self._responses(item, groups),
            level=level,
            method=method,
            sample=self.sample,
        )

    def _estimates_of_waves(self, level: float, method: str) -> Waves:
        if not self.n:
            raise ValueError(f"{self.survey.slug} has no reports yet, of any wave")
        return self.estimates(level, method)

    def _results(self, level: float, method: str) -> Results:
        """Estimate the whole survey; of several waves the mean."""
        intervals.check_method(method)
        kind = method_of_each(method, len(self.tallies))
        found = self._results_by_wave(level, kind)
        return mean_of_results(found, level, method, independent=not self.repeated)

    def two(self, first: str, second: str) -> tuple[Item, Item]:
        """Return two items, or raise a ValueError if they are one or nobody is asked both."""
        one, other = self.item(first), self.item(second)
        if one is other:
            raise ValueError(f"expected two different items, found {one.id!r} twice")
        refuse_not_drawn(self.survey, one, other)
        return one, other

    def _check_single_wave(self, what: str) -> None:
        """Refuse what waves cannot be joined for."""
        waves = [*self.n_by_wave]
        if len(waves) > 1:
            why = (
                ", in which the same people may have answered"
                if self.survey.same_people
                else ": what changed from wave to wave would look like an association"
            )
            raise RefusalError(
                f"expected one wave for {what}, found the waves {waves_named(waves)}{why}",
                python=f"take one, such as .wave({waves[-1]}) of the study",
                command=f"take one, such as --wave {waves[-1]}",
                desk="choose one",
            )

    def _check_unweighted(self, what: str) -> None:
        if self.sample is not None:
            only = "it is told of the respondents alone"
            raise RefusalError(
                f"{what}: expected a study without weights, strata or clusters, found "
                f"{', '.join(self.sample.columns)}",
                python=f"{only}, by weights() without arguments",
                command=f"{only}, by --unweighted",
                desk=f"{only}, after “Take the weights away”",
            )

    def _question(self, item: Item) -> Question:
        return self.survey.question(item.question)

    def _find_question(self, question: str | None) -> Question | None:
        """Find a question by its id, or by that of one of its items."""
        if question is None:
            return None
        known = {one.id: one for one in self.survey.questions}
        return known.get(question) or self._question(self.item(question))

    def _source(self, item: Item) -> Source:
        place = yes_of(self._question(item))
        of = partial(Source, yes_at=1 if place is None else place, repeated=self.repeated)
        if item.protection is Protection.DIRECT:
            return of(self.source, "asked directly", item.channel)
        matters = isinstance(self.survey, Collected) or not treats_alike(item.channel)
        yes = "" if place is None or not matters else item.truths[place].text
        return of(
            self.source,
            self.survey.title,
            item.channel,
            yes=self.called.get(item.id, yes),
            all_waves=None if item.memory is None else item.epsilon,
        )


def refuse_not_drawn(survey: Survey, one: Item, other: Item) -> None:
    """Refuse two items that nobody is asked together."""
    if survey.share_asked([survey.items.index(item) for item in (one, other)]) == 0:
        raise ValueError(
            f"nobody is asked both {one.id!r} and {other.id!r}, because chance draws one of "
            f"them: 'together: [{one.id}, {other.id}]' in the survey file asks both as one"
        )


def refuse_without_shares(item: Item, name: str = "") -> None:
    """Refuse an item whose reports tell only the mean, under its id or another name."""
    if not item.channel.identifiable:
        raise ValueError(f"{name or repr(item.id)}: {NO_SHARES}")
