"""The results of designs that only data from elsewhere have: several arms, scrambled numbers."""

from __future__ import annotations

from typing import Any

from deniable.analysis.arms import ArmsEstimate
from deniable.analysis.findings import Interval
from deniable.results.item import WEIGHED, Sample
from deniable.results.lists import Told, told_result
from deniable.results.numbers import p_said
from deniable.results.result import Result
from deniable.results.shares import EFFECTIVE
from deniable.results.source import Source
from deniable.results.table import decimals
from deniable.text.safety import counted


def arms_result(
    source: Source, column: str, found: ArmsEstimate, missing: int, level: float
) -> Result:
    """Tell the shares of a design with several arms."""
    ends = found.interval(level)
    rows = [
        Told(name, float(theta), float(se), Interval(*map(float, each)), bool(outside))
        for name, theta, se, each, outside in zip(
            found.names, found.theta, found.standard_error, ends, found.outside, strict=True
        )
    ]
    notes = [f"Respondents in each arm, in the order of the design: {_listed(found.n)}."]
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
    return told_result([head, source.law], "Share", rows, notes, document, level)


def scrambled_result(  # noqa: PLR0913  each says something else of the numbers
    name: str,
    design: str,
    column: str,
    found: Told,
    *,
    n: int,
    missing: int,
    level: float,
    sample: Sample | None,
) -> Result:
    """Tell the mean of scrambled numbers."""
    head = [f"{column}; {name}: {counted(n, 'response')}", f"{design}; ε unbounded"]
    head[0] += f", {missing:,} missing" if missing else ""
    notes = ["Mean: of the true numbers, with Wald's interval."]
    document: dict[str, Any] = {"data": name, "column": column, "design": design}
    document |= {"n": n, "missing": missing}
    if sample is not None:
        head.append(sample.words)
        notes += [*[EFFECTIVE] * (found.n is not None), WEIGHED]
        document["sample"] = sample.document
    return told_result(head, "Of", [found], notes, document, level, kind=decimals(3))


def _listed(counts: tuple[int, ...]) -> str:
    return ", ".join(f"{n:,}" for n in counts)
