"""The results of these methods, with their own notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from deniable.analysis.counts.data_file import ReportColumn
from deniable.analysis.findings import Finding, findings_of
from deniable.reanalysis.arms import ArmsEstimate
from deniable.reanalysis.designs import Arms
from deniable.reanalysis.lists import CombinedList, ListShare
from deniable.reanalysis.regression import ArmsFit
from deniable.results import files
from deniable.results.estimate import (
    EFFECTIVE,
    EFFECTIVE_CELLS,
    ESTIMATE_CELLS,
    cells,
    estimate_columns,
    has_design_effect,
    named_row,
)
from deniable.results.item import WEIGHED, Sample
from deniable.results.numbers import number, p_said
from deniable.results.regression import Regression, errors_said, fit_said
from deniable.results.result import Result
from deniable.results.source import Source
from deniable.results.table import SHARE, CellFormat, Section, Table, decimals
from deniable.text.safety import counted
from deniable.text.wording import percent

_DOUBT: Final = 0.05

_NO_EPSILON: Final = (
    "No noise hides a count: ε is unbounded, and who counts all or none of a long list has told."
)


def list_result(
    name: str, asked: str, missing: int, found: ListShare | CombinedList, level: float
) -> Result:
    """Return the result of a list experiment; `asked`: the columns, in words."""
    told = {"lists": found if isinstance(found, ListShare) else found.conventional}
    if isinstance(found, CombinedList):
        told = {"both": found.combined, "direct question": found.direct, **told}
    short, long = next(iter(told.values())).n
    head = f"{asked}; {name}: {short:,} with the short list, {long:,} with the long one"
    head += f", {missing:,} missing" if missing else ""
    notes = ["Lists: mean count of the long list less that of the short one.", _NO_EPSILON]
    if isinstance(found, CombinedList):
        notes += ["Both: who says yes directly is believed, and the lists tell of the others."]
        notes += _placebo(found)
    if any(one.outside for one in told.values()):
        notes.append("* outside 0 to 100 %: chance, or the lists were not answered as meant.")
    rows = {by: _share(one, level) for by, one in told.items()}
    if next(iter(rows.values())).interval is None:
        notes.append("No interval: all counts of a list are alike.")
    document = {"data": name, "short": short, "long": long, "missing": missing}
    more = {by: {"short": one.n[0], "long": one.n[1]} for by, one in told.items()}
    return told_result([head], "By", rows, notes, document, level, more=more)


def _share(found: ListShare, level: float) -> Finding:
    ends = found.interval(level)
    return findings_of([Finding], found.theta, found.standard_error, ends)[0]


def told_result(  # noqa: PLR0913  each says something else of the estimates
    head: Sequence[str],
    heading: str,
    found: Mapping[str, Finding],
    notes: Sequence[str],
    document: Mapping[str, Any],
    level: float,
    *,
    kind: CellFormat = SHARE,
    more: Mapping[str, files.Row] = MappingProxyType({}),
) -> Result:
    """Return a result of named estimates; `more`: further fields of their rows."""
    columns = estimate_columns("Estimate", level, found.values(), kind=kind)
    shown = (replace(named_row(name, one, columns), narrow=False) for name, one in found.items())
    table = Table((heading,), columns, (Section("", tuple(shown)),))
    rows = [
        {heading.lower(): name, **cells(one, level), **more.get(name, {})}
        for name, one in found.items()
    ]
    names = [heading.lower(), *ESTIMATE_CELLS, "outside", "level"]
    names += EFFECTIVE_CELLS if has_design_effect(found.values()) else ()
    names += next(iter(more.values()), {})
    export = files.Export.of(names, rows, {**document, "level": level})
    return Result([*head, "", table, "", *notes], export)


def _placebo(found: CombinedList) -> list[str]:
    """Return sentences on the two tests of the assumptions."""
    said = []
    if found.among_yes is not None:
        p = float(found.among_yes.p_value(1))
        said.append(
            f"Of those who said yes directly, the lists find "
            f"{percent(float(found.among_yes.theta))} "
            f"(100 % expected, p {p_said(p)}){_verdict(p)}"
        )
    p = float(found.of_list.p_value())
    said.append(
        f"Direct yes after the long list less that after the short one: "
        f"{percent(float(found.of_list.theta))} (0 % expected, p {p_said(p)}){_verdict(p)}"
    )
    return said


def _verdict(p: float) -> str:
    return ": do not use both together." if p < _DOUBT else "."


@dataclass(frozen=True, kw_only=True)
class SourceOfArms(Source):
    """The source of responses by a design with several arms; `channel`: of the first arm."""

    arms: Arms

    @property
    def epsilon(self) -> float:
        """The greatest ε of a report in any arm."""
        return max(channel.epsilon for channel in self.arms.channels)

    @property
    def rates(self) -> str:
        """The chance of a yes of each latent class in each arm, in words."""
        says_yes = [each.probabilities[:, 1] for each in self.arms.channels]
        return "; ".join(
            f"P(yes | {name}) {' or '.join(f'{arm[index]:.4f}' for arm in says_yes)}"
            for index, name in enumerate(self.arms.classes)
        )


def arms_result(
    source: SourceOfArms, column: str, found: ArmsEstimate, missing: int, level: float
) -> Result:
    """Return the result of a design with several arms."""
    of_each = findings_of(
        [Finding] * len(found.names), found.theta, found.standard_error, found.interval(level)
    )
    rows = dict(zip(found.names, of_each, strict=True))
    in_arms = ", ".join(f"{n:,}" for n in found.n)
    notes = [f"Respondents in each arm, in the order of the design: {in_arms}."]
    if found.degrees_of_freedom > 0:
        fit = found.goodness_of_fit()
        notes.append(
            f"Does the design fit? χ² = {fit.statistic:.2f} on {fit.degrees_of_freedom} df, "
            f"p {p_said(fit.p_value)}."
        )
    if found.outside.any():
        notes.append("* outside 0 to 100 %: chance, or the design was not followed.")
    head = f"{column}; {source.name}: {counted(sum(found.n), 'response')}"
    head += f", {missing:,} missing" if missing else ""
    document = {
        "data": source.name,
        "column": column,
        "design": source.design,
        "epsilon": source.epsilon,
        "n": found.n,
        "missing": missing,
    }
    return told_result([head, source.design_line], "Share", rows, notes, document, level)


def scrambled_result(  # noqa: PLR0913  each says something else of the numbers
    name: str,
    design: str,
    column: str,
    found: Finding,
    *,
    n: int,
    missing: int,
    level: float,
    sample: Sample | None,
) -> Result:
    """Return the result for the mean of scrambled numbers."""
    head = [f"{column}; {name}: {counted(n, 'response')}", f"{design}; ε unbounded"]
    head[0] += f", {missing:,} missing" if missing else ""
    notes = ["Mean: of the true numbers, with Wald's interval."]
    document: dict[str, Any] = {"data": name, "column": column, "design": design}
    document |= {"n": n, "missing": missing}
    if sample is not None:
        head.append(sample.words)
        notes += [*[EFFECTIVE] * (found.n is not None), WEIGHED]
        document["sample"] = sample.document
    return told_result(head, "Of", {"mean": found}, notes, document, level, kind=decimals(3))


def regression_result(
    found: Regression, fit: ArmsFit, asked: ReportColumn, more: Mapping[str, str]
) -> Result:
    """Return the result of a regression; `asked`: each person's arm; `more`: document fields."""
    return _ArmsRegression(
        *(found.source, fit, found.coefficients, found.options, found.missing, found.aliases),
        more=more,
        arms_fit=fit,
        asked=asked,
    ).result


@dataclass(frozen=True, eq=False, kw_only=True)
class _ArmsRegression(Regression):
    """A fit with its coefficients and each person's arm."""

    arms_fit: ArmsFit
    asked: ReportColumn

    @property
    def notes(self) -> Iterator[str]:
        splits = self.arms_fit.arms.splits
        of = splits[0].name + "".join(f"; of the logit of {split.name}" for split in splits[1:])
        yield errors_said(self.arms_fit, self.options, of)
        yield from self._mean_shares()
        yield from fit_said(self, self.arms_fit)

    def _mean_shares(self) -> Iterator[str]:
        """Yield the number of people in each arm, and the shares at the mean of all covariates."""
        fit, level = self.arms_fit, self.options.level
        in_arms = np.bincount(fit.likelihood.arm, minlength=len(self.asked.codes))
        people = (f"{code} ({n:,})" for code, n in zip(self.asked.codes, in_arms, strict=True))
        yield f"Respondents in each arm, in the order of the design: {', '.join(people)}."
        mean = fit.likelihood.X.mean(axis=0)
        for split in fit.arms.splits:
            found = fit.split(split.name, mean, kind=self.options.errors)
            low, high = 100 * found.interval(level)[0]
            yield (
                f"At the mean of all covariates: {split.name} "
                f"{number(100 * found.theta[0], 1)} %"
                f" ({100 * level:g} % interval {number(low, 1)} to {number(high, 1)} %)."
            )
