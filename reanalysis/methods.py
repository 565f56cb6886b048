"""The methods of this package, as ``deniable analyse`` chooses among them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

from deniable import designs, reanalysis
from deniable.reanalysis import designs as of_arms
from deniable.reanalysis import scrambling
from deniable.results.item import Sample
from deniable.results.regression import Options
from deniable.results.result import Result
from deniable.study.tables import Kind

Cells: TypeAlias = Mapping[str, Sequence[str]]
"""The cells of each column of a data file."""


@dataclass(frozen=True)
class Asked:
    """The options of the command on a data file; None for an option that was not given.

    `design`: as in `deniable.designs.from_mapping`. `formula`: the column of the reports and its
    covariates. `codes`, `arms`: the codes in the columns of the reports and of the arms, in the
    order of the design's; of lists short and long. `yes`: of two codes, the design's yes.
    `nuisance`: in a regression, the covariates of the design's nuisance. `second_list`: the counts
    of a second list, long for people whose first list was short. `sample`: the sampling design, if
    not simple. `kinds`: what is known of columns beside their cells.
    """

    design: Mapping[str, Any] | None = None
    column: str | None = None
    formula: str | None = None
    codes: Sequence[str] | None = None
    yes: str | None = None
    arm: str | None = None
    arms: Sequence[str] | None = None
    nuisance: str | None = None
    lists: str | None = None
    second_list: str | None = None
    direct: str | None = None
    sample: Sample | None = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    options: Options = Options("logit")  # noqa: RUF009  it is frozen


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


METHODS: Final[tuple[Method, ...]] = (
    Method(
        chosen_by="lists",
        own=frozenset({"second_list", "direct"}),
        takes=frozenset({"arm", "arms"}),
        needs={"arm": "the column that says who had the long list"},
        designs=(),
        read=dict,
        result=lambda *of: reanalysis.list_experiment(*of),  # noqa: PLW0108  it loads slowly
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
        result=lambda *of: reanalysis.several_arms(*of),  # noqa: PLW0108  it loads slowly
    ),
    Method(
        chosen_by=None,
        own=frozenset(),
        takes=frozenset({"design", "column", "weights", "strata", "clusters", "margins", "trim"}),
        needs={"column": "scrambled numbers have a mean"},
        designs=scrambling.BY_NAME,
        read=scrambling.from_mapping,
        result=lambda *of: reanalysis.scrambled(*of),  # noqa: PLW0108  it loads slowly
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
