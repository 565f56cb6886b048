"""The result of a plan: how wide intervals will be, and how many people to ask."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from deniable import exact
from deniable.analysis.planning.advice import LEVEL, PLANNED, is_too_wide, width_words
from deniable.analysis.planning.budgets import Measure, Precision, scales
from deniable.analysis.planning.reach import check_within
from deniable.analysis.planning.together import together_words
from deniable.results.files import Export, Row
from deniable.results.result import Result
from deniable.results.table import COUNT, SHARE, CellFormat, Column, Section, Table
from deniable.results.table import Row as TableRow
from deniable.survey import Survey
from deniable.survey.questions import Protection, Question
from deniable.text.brief import beside_epsilon
from deniable.text.safety import counted
from deniable.text.sureness import (
    hundredths,
    implication,
    sureness,
    sureness_of_all,
)
from deniable.text.wording import brief_loss

_SAME: Final = (
    ". If the same people answer, that is too far where most answers stay the same, up to twice "
    "and more with a small 'redraw', and not far enough where people take turns"
)


def _price(factor: float) -> str:
    return f"{factor:.3g}" if factor < 100 else f"{factor:,.0f}"


_WIDTH: Final = CellFormat()
_PRICE: Final = CellFormat(_price)


@dataclass(frozen=True)
class Wanted:
    """The assumptions and goals of a plan.

    `respondents`: the expected number, at least 1. `within`: the largest half-width of an interval:
    .05 is five percentage points, or 5 % of the range of a number's answers. The plan then finds
    the smallest sample that reaches it. `detect`: shares of yes in two groups. The plan then finds
    how often the interval of their difference excludes 0 (its p-value is then below the
    significance), and the smallest sample with the wanted power. `power`: between the significance
    (1 − `level`) and 1. `level`: of the intervals, between 0 and 1. `design_effect`: the factor of
    the variances over those of a simple random sample, above 0: above 1 where people of the same
    cluster answer alike. `prior`: how likely an adversary thought a true answer, between 0 and 1,
    besides 50 in 100. `applies`: the share of the people who give a number that they can decline,
    and to whom a follow-up question applies; above 0. `first`: the part of the people in the first
    of the two groups, between 0 and 1. `within_of`, `applies_of`: the `within` and `applies` of
    single questions, by their ids.
    """

    respondents: int = PLANNED
    within: float | None = None
    detect: tuple[float, float] | None = None
    power: float = 0.8
    level: float = LEVEL
    design_effect: float = 1.0
    prior: float | None = None
    applies: float = 1.0
    first: float = 0.5
    within_of: Mapping[str, float] = field(default_factory=dict)
    applies_of: Mapping[str, float] = field(default_factory=dict)

    @property
    def measure(self) -> Measure:
        """The assumptions under which the widths of intervals are computed."""
        return Measure(
            self.level,
            self.applies,
            self.design_effect,
            applies_of=dict(self.applies_of),
            scale_of=scales(self.within, self.within_of),
        )

    def __post_init__(self) -> None:
        """Reject impossible values with a `ValueError` in the planner's words."""
        for within in (self.within, *self.within_of.values()):
            if within is not None:
                check_within(within)
        if not 0 < self.design_effect < math.inf:
            raise ValueError(
                f"expected a design effect above 0, such as 1.5, found {self.design_effect}"
            )
        if self.prior is not None and not 0 < self.prior < 1:
            raise ValueError(
                f"expected what somebody thought between 0 and 1, such as 0.1, found {self.prior}"
            )
        if not 0 < self.first < 1:
            raise ValueError(
                f"expected a part of the people in the first group, such as 0.3, found {self.first}"
            )
        for applies in (self.applies, *self.applies_of.values()):
            if not 0 < applies <= 1:
                raise ValueError(
                    f"expected a share above 0 to whom a question applies, found {applies}"
                )


class PlanParts(NamedTuple):
    """The parts of a plan: what a command prints, and a page arranges.

    `notes`: what the columns mean. `quoted`: what people will read. `warnings`: advice.
    """

    title: str
    table: Table
    notes: Sequence[str]
    quoted: Sequence[str]
    warnings: Sequence[str]

    def printed(self) -> Iterator[Table | str]:
        """Yield all parts, with blank lines between them."""
        yield self.title
        yield ""
        yield self.table
        yield ""
        yield from (*self.notes, *self.quoted)
        for warning in self.warnings:
            yield ""
            yield warning


@dataclass(frozen=True, eq=False)
class Plan:
    """The precision of each question, and of its change between waves, before any report."""

    survey: Survey
    wanted: Wanted
    found: Sequence[tuple[Question, Precision]]
    rows: Sequence[Row]
    warnings: tuple[str, ...]
    changes: Sequence[Precision]

    @property
    def result(self) -> Result:
        """The plan in every form."""
        survey, wanted = self.survey, self.wanted
        document = {
            "survey": survey.slug,
            "epsilon": survey.epsilon,
            "respondents": wanted.respondents,
            "level": wanted.level,
            "within": wanted.within,
            "detect": None if wanted.detect is None else list(wanted.detect),
            "power": None if wanted.detect is None else wanted.power,
            "design_effect": wanted.design_effect,
            "prior": wanted.prior,
            "applies": wanted.applies,
            "applies_of": dict(wanted.applies_of),
            "first": None if wanted.detect is None else wanted.first,
            "sentences": [] if sureness(survey) is None else list(implication(survey)),
            "warnings": list(self.warnings),
        }
        export = Export(tuple(self.rows[0]), self.rows, document, key="questions")
        return Result([*self.parts().printed()], export)

    def parts(self) -> PlanParts:
        """Return the plan's title, table and sentences."""
        survey, respondents = self.survey, counted(self.wanted.respondents, "respondent")
        title = (
            f"{survey.title} ({survey.slug}): planned for {respondents}, "
            f"ε {brief_loss(survey.epsilon)}{beside_epsilon(survey)}"
        )
        said = () if sureness(survey) is None else implication(survey)
        quoted = [f"People will read: “{' '.join(said)}”"] if said else []
        notes = [*_notes(survey, self.found, self.wanted)]
        return PlanParts(title, self._table(), notes, quoted, self.warnings)

    def _table(self) -> Table:
        columns, rows = dict(_columns(self.wanted, has_waves=self.survey.is_repeated)), []
        for (question, one), row, change in zip(self.found, self.rows, self.changes, strict=True):
            several = f" ({counted(len(question.parts), 'item')})"
            several = several if question.has_several_items else ""
            direct = " (direct)" if question.protection is Protection.DIRECT else ""
            values = {**row, "reach": _width(one), "change": width_cell(change)}
            if self.wanted.within_of:
                values["n_within"] = _own_within(one, row)
            cells = tuple(values[key] for key in columns)
            rows.append(TableRow(question.id + several + direct, cells))
        return Table(("Question",), tuple(columns.values()), (Section("", tuple(rows)),))


def _columns(wanted: Wanted, *, has_waves: bool) -> Iterator[tuple[str, Column]]:
    yield "reach", Column(f"{100 * wanted.level:g} % interval", _WIDTH)
    if has_waves:
        yield "change", Column("Change", _WIDTH)
    if wanted.within_of:
        yield "n_within", Column("People for its own ±", CellFormat())
    elif wanted.within is not None:
        yield "n_within", Column(f"People for ±{100 * wanted.within:g}", COUNT)
    if wanted.detect is not None:
        yield "power", Column("Power", SHARE)
        yield "n_detect", Column("People to tell the groups apart", COUNT)
    yield "price", Column("× direct", _PRICE)
    yield "epsilon", Column("ε", CellFormat(brief_loss))
    yield "flip", Column("Flip", CellFormat("{:.4f}".format))
    sure = CellFormat(_chance_in_100)
    yield "sure", Column("50 in 100 becomes", sure)
    if wanted.prior is not None:
        yield "posterior", Column(f"{100 * wanted.prior:g} in 100 becomes", sure)


def _chance_in_100(share: float) -> str:
    return hundredths(round(100 * share))


def _notes(
    survey: Survey,
    found: Sequence[tuple[Question, Precision]],
    wanted: Wanted,
) -> Iterator[str]:
    """Explain the columns, and quote what respondents will read."""
    level, within, detect = wanted.level, wanted.within, wanted.detect
    yield f"Interval: {reach_words([one for _, one in found])}"
    yield (
        "× direct: how many times as many people it takes as a direct question, where both take "
        "most."
    )
    yield from applies_words([one for _, one in found])
    if survey.is_repeated:
        yield (
            "Change: about how far the interval of a change between two waves reaches, if as many "
            f"people answer both{survey.if_kept(_SAME)}. All changes of the survey hold together "
            "(Bonferroni), as in results."
        )
    own = wanted.within_of
    if within is not None and any(one.span is not None and of.id not in own for of, one in found):
        yield f"±{100 * within:g} of a number: in hundredths of what its answers span."
    if detect is not None:
        low, high = (f"{100 * share:g} %" for share in detect)
        sizes = "equal size"
        if wanted.first != 0.5:
            sizes = f"{100 * wanted.first:g} and {100 * (1 - wanted.first):g} % of the people"
        yield (
            f"Groups: of {sizes}, {low} of the one and {high} of the other say yes (of "
            f"other answers, the second one). Power: how often a test at {100 * (1 - level):.3g} % "
            f"then finds the difference. With the people in the next column, in both groups "
            f"together, it does {100 * wanted.power:g} % of the time."
        )
    if wanted.design_effect != 1:
        yield (
            f"With a design effect of {wanted.design_effect:g}, {wanted.respondents:,} people "
            f"tell as much as {wanted.respondents / wanted.design_effect:,.0f} of a simple random "
            "sample."
        )
    yield from together_words(survey, wanted.respondents / wanted.design_effect, level)
    if sureness(survey) is None:
        return
    yield (
        "Becomes: how sure somebody can get, in 100, from one answer by itself, who thought it so "
        "likely. From all protected answers, if they point to the same thing: "
        f"{' and '.join(_together(survey, wanted))}."
    )


def _together(survey: Survey, wanted: Wanted) -> Iterator[str]:
    for prior in (0.5, *([] if wanted.prior is None else [wanted.prior])):
        number = sureness_of_all(survey, exact.fraction(prior))
        yield f"{100 * prior:g} can become {hundredths(number or 0)}"


def width_cell(found: Precision) -> str:
    """Write the half-width of an item's interval in a table, whose heading says the unit."""
    about = "" if found.is_most else "about "
    return width_words(found).replace(" points", "").replace("±", f"{about}±")


def reach_words(found: Sequence[Precision]) -> str:
    """Explain the half-widths that `width_cell` writes for these items."""
    said = "how far it reaches at most, in percentage points to either side of a possible estimate"
    means = ", or of a mean in its own units" if any(one.span is not None for one in found) else ""
    about = "" if all(one.is_most for one in found) else " About: it can reach a little further."
    return f"{said}{means}.{about}"


def applies_words(found: Sequence[Precision]) -> Iterator[str]:
    """Say of how many people the half-widths of follow-ups and of declinable numbers are."""
    shares = {one.item.question: one.applies for one in found if one.is_of_some}
    if shares:
        some = ", ".join(f"{id} {100 * share:g} %" for id, share in shares.items())
        yield (
            f"Assumed to apply to, or to be given by, so many of the people: {some}. With half as "
            "many, the interval is about twice as wide."
        )


def _own_within(found: Precision, row: Row) -> str | None:
    """Write how many people it takes for the half-width in brackets."""
    within, people = row["within"], row["n_within"]
    if not isinstance(within, float) or not isinstance(people, int):
        return None
    return f"{people:,} (±{within * (found.span or 100):g})"


def _width(found: Precision) -> str:
    return width_cell(found) + (" (of no use)" if is_too_wide(found) else "")
