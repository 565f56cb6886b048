"""What a survey's tallies tell, wave by wave, whatever else is known of its reports."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Final, Self

from deniable.analysis import intervals
from deniable.analysis.counts.tally import Tally
from deniable.analysis.results import Results, summarise
from deniable.analysis.waves import ItemReports, Waves, reports_in, waves_of
from deniable.results.item import Sample
from deniable.study.weighing import Margins
from deniable.survey import Survey
from deniable.survey.items import Item

LEVEL: Final = 0.95


class BaseStudy(ABC):
    """A survey with its tallies, and where its reports come from.

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
            self._check_repeated()
            raise ValueError(f"expected a wave from 1 to {self.survey.waves}, found {wave}")
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

    def _check_repeated(self) -> None:
        if not self.survey.is_repeated:
            raise ValueError(f"{self.survey.slug} is asked once: expected a survey with waves")

    def _source_of(self, wave: int) -> str:
        return f"{self.source}{self.survey.in_waves(f', wave {wave}')}"
