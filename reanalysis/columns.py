"""These methods applied to the columns of a data file, and their results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from deniable import exact
from deniable.analysis.counts.data_file import MISSING, ReportColumn, listed
from deniable.analysis.findings import Finding, findings_of
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.regression.formulas import reader
from deniable.analysis.sampling.debiased import direct_values
from deniable.analysis.sampling.design_based import mean
from deniable.reanalysis import scrambling
from deniable.reanalysis.arms import estimate_arms
from deniable.reanalysis.designs import Arms, from_mapping
from deniable.reanalysis.lists import (
    CombinedList,
    ListShare,
    combined_list,
    double_list,
    list_share,
)
from deniable.reanalysis.methods import Asked, Cells
from deniable.reanalysis.told import (
    SourceOfArms,
    arms_result,
    list_result,
    regression_result,
    scrambled_result,
)
from deniable.results.result import Result
from deniable.roles import no_then_yes
from deniable.study.collected import by_role, coded, written
from deniable.study.regression import aliases_of, regression_of
from deniable.study.reports import covariate
from deniable.study.tables import UNKNOWN
from deniable.text.doors import placed


def several_arms(cells: Cells, source: str, asked: Asked) -> Result:
    """Estimate the shares of a design with several arms, or regress the trait.

    Raises a ValueError for cells that cannot be read, or a share that is not identifiable.
    """
    design, formula, arm = asked.design or {}, asked.formula or str(asked.column), str(asked.arm)
    response, _, terms = (part.strip().strip("`") for part in formula.partition("~"))
    arms, codes, options = from_mapping(design), asked.codes, asked.options
    if codes is not None:
        codes = by_role(codes, arms.channels[0], asked.yes)
    for name, given in ((response, codes), (arm, asked.arms)):
        if given is None:
            asked.kinds.get(name, UNKNOWN).check(name)
    reports = coded(_column(cells, response), response, arms.channels[0].reports, codes)
    of_arm = coded(_column(cells, arm), arm, len(arms.channels), asked.arms, "arm")
    said = reports.codes[1] if arms.channels[0].reports == 2 else ""
    named = SourceOfArms(source, written(design), arms.channels[0], said, arms=arms)
    if not terms:
        return _shares(named, response, arms, reports, of_arm, options.level)
    import pandas as pd  # noqa: PLC0415  it takes a while to load

    from deniable.reanalysis.regression import regress_arms_formula  # noqa: PLC0415  loads slowly

    nuisance = asked.nuisance or "~ 1"
    aliases = aliases_of(f"{terms} + {nuisance.partition('~')[2]}", [*cells])
    known = {**cells, **{short: cells[name] for short, name in aliases.items()}}
    columns = [name for name in known if name not in (response, arm)]
    trait = reader.read(formula, columns)
    beside = reader.read(nuisance, columns, one_sided=True)
    kinds = {
        **asked.kinds,
        **{short: asked.kinds.get(of, UNKNOWN) for short, of in aliases.items()},
    }
    frame = {
        name: covariate(name, known[name], kind=kinds.get(name, UNKNOWN))
        for name in (*trait.names, *beside.names)
    }
    frame |= {response: _or_nan(reports), arm: _or_nan(of_arm)}
    fit = regress_arms_formula(
        trait, pd.DataFrame(frame), arms, arm=arm, nuisance=beside, link=options.link
    )
    found = replace(regression_of(named, fit, response, options), aliases=aliases)
    return regression_result(found, fit, of_arm, {"arm": arm, "nuisance": nuisance})


def _shares(
    source: SourceOfArms,
    column: str,
    arms: Arms,
    reports: ReportColumn,
    arm: ReportColumn,
    level: float,
) -> Result:
    there = reports.answered & arm.answered
    counts = [reports.counts(there & (arm.reports == place)) for place in range(len(arm.codes))]
    if not all(one.any() for one in counts):
        empty = arm.codes[[bool(one.any()) for one in counts].index(False)]
        raise ValueError(f"expected responses in each arm, found none in {empty!r}")
    found = estimate_arms(counts, arms)
    return arms_result(source, column, found, int((~there).sum()), level)


def _or_nan(column: ReportColumn) -> FloatArray:
    return np.where(column.answered, column.reports, np.nan)


def scrambled(cells: Cells, source: str, asked: Asked) -> Result:
    """Estimate the mean of scrambled numbers.

    Raises a ValueError for cells that are no numbers, or an invalid design.
    """
    design, column, level = asked.design or {}, str(asked.column), asked.options.level
    scrambled = scrambling.from_mapping(design)
    with placed(f"column {column!r}"):
        numbers = np.array(
            [
                np.nan if one.lower() in MISSING else float(exact.fraction(one))
                for one in _column(cells, column)
            ]
        )
    there = ~np.isnan(numbers)
    if not there.any():
        raise ValueError(f"column {column!r}: expected responses, found none")
    number = partial(Finding, least=-np.inf, greatest=np.inf)
    design_of = None if asked.sample is None else asked.sample.unlike
    if design_of is None:
        plain = scrambling.estimate_mean(numbers[there], scrambled)
        told = findings_of([number], plain.theta, plain.standard_error, plain.interval(level))
    else:
        truths = np.full(len(numbers), np.nan)
        truths[there] = scrambled.unscramble(numbers[there])
        whole = mean(direct_values(truths), design_of)
        told = findings_of(
            [number],
            whole.theta,
            whole.standard_error,
            whole.interval(level, "wald"),
            n=whole.n,
            design_effect=whole.design_effect,
        )
    n = int(there.sum())
    return scrambled_result(
        *(source, written(design), column, told[0]),
        n=n,
        missing=len(numbers) - n,
        level=level,
        sample=asked.sample,
    )


def list_experiment(cells: Cells, source: str, asked: Asked) -> Result:
    """Estimate a share from a list experiment, from the columns of counts and of arms."""
    counts, arm = str(asked.lists), str(asked.arm)
    second, direct = asked.second_list, asked.direct
    if direct is not None and second is not None:
        raise ValueError("expected a second list or a direct question, found both")
    codes = asked.arms and no_then_yes(asked.arms)
    long = coded(_column(cells, arm), arm, 2, codes, "arm").reports
    answered = {
        one: _whole(_column(cells, one), one) for one in (counts, second) if one is not None
    }
    if direct is not None:
        answered[direct] = coded(_column(cells, direct), direct, 2, None).reports
    kept = np.logical_and.reduce([long >= 0, *(of >= 0 for of in answered.values())])
    of = {one: column[kept] for one, column in answered.items()}
    found: ListShare | CombinedList
    if second is not None:
        found = double_list(of[counts], of[second], long[kept])
    elif direct is not None:
        found = combined_list(of[counts], long[kept], of[direct])
    else:
        found = list_share(of[counts], long[kept])
    missing = int((~kept).sum())
    return list_result(source, ", ".join(answered), missing, found, asked.options.level)


def _whole(cells: Sequence[str], column: str) -> npt.NDArray[np.int64]:
    """Return counts from cells; -1 for a missing count."""
    for row, cell in enumerate(cells):
        if not cell.isdecimal() and cell.lower() not in MISSING:
            raise ValueError(
                f"column {column!r}: expected how many statements each person counted, found "
                f"{cell!r} in row {row + 1}"
            )
    return np.array([int(cell) if cell.isdecimal() else -1 for cell in cells], dtype=np.int64)


def _column(cells: Cells, name: str) -> Sequence[str]:
    if name not in cells:
        raise ValueError(f"expected a column {name!r}, found {listed([*cells])}")
    return cells[name]
