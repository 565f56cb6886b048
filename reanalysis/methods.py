"""The methods of this package, as ``deniable analyse`` chooses among them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from deniable import designs, reanalysis
from deniable.reanalysis import designs as of_arms
from deniable.reanalysis import scrambling
from deniable.results.item import Sample
from deniable.results.regression import Options
from deniable.results.result import Result

Cells: TypeAlias = Mapping[str, Sequence[str]]
"""The cells of each column of a data file."""


@dataclass(frozen=True)
class Asked:
    """The options of the command on a data file; None for an option that was not given.

    `design`: as in `deniable.designs.from_mapping`. `codes`, `arms`: the codes in the columns of
    the reports and of the arms. `yes`: of two codes, the design's yes. `sample`: the sampling
    design, if not simple.
    """

    design: Mapping[str, Any] | None
    column: str | None
    formula: str | None
    codes: Sequence[str] | None
    yes: str | None
    arm: str | None
    arms: Sequence[str] | None
    nuisance: str | None
    lists: str | None
    second_list: str | None
    direct: str | None
    sample: Sample | None
    options: Options


class Method(NamedTuple):
    """A method of analysis for data that none of our browsers collected.

    `chosen_by`: the option that chooses the method; if None, its own designs do. `own`: further
    options that only this method has. `takes`: shared options that it accepts, besides those for
    the output. `needs`: its required options, each with an explanation. `designs`: names of its own
    designs. `read`: reads a design, to validate it.
    """

    chosen_by: str | None
    own: frozenset[str]
    takes: frozenset[str]
    needs: Mapping[str, str]
    designs: Collection[str]
    read: Callable[[Mapping[str, Any]], object]
    result: Callable[[Cells, str, Asked], Result]


def _analyse_lists(cells: Cells, source: str, asked: Asked) -> Result:
    return reanalysis.list_experiment(
        cells,
        source,
        str(asked.lists),
        arm=str(asked.arm),
        second=asked.second_list,
        direct=asked.direct,
        arm_codes=asked.arms,
        level=asked.options.level,
    )


def _analyse_arms(cells: Cells, source: str, asked: Asked) -> Result:
    return reanalysis.several_arms(
        cells,
        source,
        asked.formula or str(asked.column),
        arm=str(asked.arm),
        design=asked.design or {},
        codes=asked.codes,
        yes=asked.yes,
        arm_codes=asked.arms,
        nuisance=asked.nuisance or "~ 1",
        options=asked.options,
    )


def _analyse_numbers(cells: Cells, source: str, asked: Asked) -> Result:
    return reanalysis.scrambled(
        cells,
        source,
        str(asked.column),
        asked.design or {},
        sample=asked.sample,
        level=asked.options.level,
    )


METHODS: Final[tuple[Method, ...]] = (
    Method(
        chosen_by="lists",
        own=frozenset({"second_list", "direct"}),
        takes=frozenset({"arm", "arms"}),
        needs={"arm": "the column that says who had the long list"},
        designs=(),
        read=dict,
        result=_analyse_lists,
    ),
    Method(
        chosen_by="arm",
        own=frozenset({"arms", "nuisance"}),
        takes=frozenset(
            {"design", "column", "formula", "codes", "yes", "link", "errors", "ends"},
        ),
        needs={"arm": "the column that says in which arm each person was"},
        designs=of_arms.BY_NAME,
        read=of_arms.from_mapping,
        result=_analyse_arms,
    ),
    Method(
        chosen_by=None,
        own=frozenset(),
        takes=frozenset({"design", "column", "weights", "strata", "clusters", "margins", "trim"}),
        needs={"column": "scrambled numbers have a mean"},
        designs=scrambling.BY_NAME,
        read=scrambling.from_mapping,
        result=_analyse_numbers,
    ),
)
"""Methods for list experiments, designs of several arms, and scrambled numbers."""


def method_of(design: str | None, given: Collection[str]) -> Method | None:
    """Return the method for the name of a design and the given options.

    None if the design has a single channel.
    """
    for method in METHODS:
        is_own = design in method.designs and design not in designs.BY_NAME
        if method.chosen_by in given or is_own:
            return method
    return None
