"""The tables of shares and means, and the notes below them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from deniable.analysis import design_test
from deniable.analysis.findings import Mean, Share
from deniable.analysis.privacy.disclosure import EVERYBODY
from deniable.analysis.results import Doubt, ItemResults, QuestionResults, Results, Verdict, verdict
from deniable.results.estimate import (
    DIVIDED_BY_NOTHING,
    EFFECTIVE,
    NARROW,
    NARROW_RATIO,
    OUTSIDE,
    estimate_columns,
    has_design_effect,
    name_of,
    row_of,
)
from deniable.results.table import SHARE, Column, Section, Table
from deniable.roles import says_yes, yes_that_counts
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import DOES_NOT_APPLY
from deniable.text.wording import asked_if_codes, percent, quantity

_BEYOND: Final = "Further outside {} than chance explains. Was the design followed?"
_OUTSIDE_RANGE: Final = (
    "Outside {}. This can happen by chance, so it is not cut off; its interval may begin or end "
    "there."
)
# A page has no daggers, so that each remark begins with a capital letter.
_NARROW: Final = f"L{NARROW.removeprefix('† l')}"
_NARROW_RATIO: Final = f"L{NARROW_RATIO.removeprefix('† of a ratio: l')}"
_WIDE: Final = (
    "Wider than the spread of the reports suggests, because a sample this small may miss some "
    "people with very different answers."
)
_DIVIDED_BY_NOTHING: Final = (
    "No estimate, because it is divided by what may be 0. The interval is what the reports do not "
    "rule out."
)


def attached(item: Item, survey: Survey) -> str:
    """Return a sentence that names the answer that is the design's yes.

    Result: empty if the answer says yes by itself, or the design treats yes and no alike.
    """
    yes = yes_that_counts(survey.question(item.question), item.channel)
    return f"Yes of the design: “{yes}”." if yes and not says_yes(yes) else ""


def share_table(
    first: str, items: Sequence[ItemResults], level: float, *, of_groups: bool = False
) -> Table:
    """Make the table of shares and means; `first` is the heading of its first column, the items."""
    sections = []
    columns = _columns(level, items)
    for item in items:
        rows = [] if item.mean is None else [row_of(item.mean, columns)]
        if item.tells_shares or not rows:
            rows += [row_of(share, columns) for share in item.shares]
        sections.append(Section(_name(item), tuple(rows), item.n if of_groups else None))
        if item.applicable:
            among = tuple(row_of(share, columns) for share in item.applicable)
            sections.append(Section("  if it applies", among, follows=True))
    return Table((first, "Answer"), columns, tuple(sections))


def mean_table(question: QuestionResults, level: float) -> Table:
    """Make the table of a page with the mean of a question's numbers."""
    mean = question.items[0].mean
    assert mean is not None  # noqa: S101  for the type checker: only numbers have this table
    columns = _columns(level, question.items[:1])[1:]
    return Table(("Statistic",), columns, (_plain("", [mean], columns),))


def question_table(question: QuestionResults, level: float, method: str) -> Table:
    """Make the table of a page with the shares of a question's answers."""
    several = len(question.items) > 1
    sections, columns = [], _columns(level, question.items)
    for item in question.items:
        sections.append(_plain(item.item.text if several else "", item.shares, columns))
        if item.applicable:
            kinds = " or ".join(item.applicable_methods) or method
            of = f"{item.item.text}: " if several else ""
            named = f"{of}among those who say that it applies ({kinds})"
            sections.append(_plain(named, item.applicable, columns))
    return Table(("Answer",), columns, tuple(sections))


def _plain(name: str, told: Sequence[Share | Mean], columns: Sequence[Column]) -> Section:
    """Make a section without daggers: a page writes remarks instead."""
    rows = (row_of(one, columns) for one in told)
    return Section(name, tuple(replace(row, narrow=False) for row in rows))


def _columns(level: float, items: Sequence[ItemResults]) -> tuple[Column, ...]:
    found = (one for item in items for one in item.findings)
    likely = Column("ML", full="Maximum likelihood (ML)", of="maximum_likelihood")
    return (
        Column("Observed", SHARE, of="observed"),
        *estimate_columns("Estimate", level, found, likely),
    )


def _name(item: ItemResults) -> str:
    return f"{item.item.id} (direct)" if item.direct else item.item.id


def _methods_in_words(methods: Iterable[Iterable[str]]) -> str:
    """Name each kind of interval once, in brackets; empty if there are none."""
    names = dict.fromkeys(name for some in methods for name in some if name)
    return f" ({' or '.join(names)})" if names else ""


def asked(items: Sequence[ItemResults]) -> Iterator[str]:
    """Say how many were asked each of some items, if not as many each."""
    if len({item.n for item in items}) > 1:
        yield f"n, how many were asked: {', '.join(f'{_name(one)} {one.n:,}' for one in items)}."


def notes(items: Sequence[ItemResults], level: float, *, of_groups: bool = False) -> Iterator[str]:
    """Explain the columns and the marks of the table of shares."""
    written = f"{100 * level:g} %"
    methods = _methods_in_words(item.methods for item in items)
    means = [(item, item.mean) for item in items if item.mean is not None]
    yield "Observed: share of the reports, with the noise that is in them."
    yield f"Estimate: with the noise taken out; its {written} interval{methods}."
    yield "SE: standard error of the estimate."
    yield "ML: maximum likelihood, the shares from 0 to 100 % that make these reports most likely."
    if not of_groups:
        yield from asked(items)
    yield from _statements(items)
    if means:
        yield (
            "Mean: of the numbers that were given, in their own units, with its "
            f"{written} interval{_methods_in_words([[mean.method or ''] for _, mean in means])}."
        )
    if not all(item.tells_shares for item, _ in means):
        yield "Mean alone: the design of that question does not tell the shares of its answers."
    applicable = [item for item in items if item.applicable]
    if applicable:
        methods = _methods_in_words(item.applicable_methods for item in applicable)
        yield (
            "If it applies: among the people who say that the question applies. A ratio of two "
            f"estimates, with its {written} interval{methods}."
        )
    among = [share for item in applicable for share in item.applicable]
    if any(share.outside for item in items for share in (*item.shares, *item.applicable)):
        yield OUTSIDE
    if any(mean.outside for _, mean in means):
        yield (
            "* of a mean: outside the range of the answers. Chance can cause this. It is not cut "
            "off, and its interval may begin or end there."
        )
    shares = (share for item in items for share in item.shares)
    if any(one.narrow for one in (*shares, *(mean for _, mean in means))):
        yield NARROW
    yield from _ratio_notes(among, [mean for _, mean in means])
    for item, mean in means:
        if mean.wide:
            yield f"{item.item.id}: the interval of the mean is w{_WIDE.removeprefix('W')}"
    yield from doubts(verdict(items))
    yield from _lacking(items)
    below = max((item.hidden_below for item in items), default=0)
    if below == EVERYBODY:
        yield "– of a direct answer: it is shown for all revisions together, not for one."
    elif below:
        yield (
            f"– of a direct answer: fewer than {below} people gave it, or it could be worked out "
            "from the others."
        )
    if any(item.direct for item in items):
        yield "direct: asked without noise, so an ordinary proportion."


def _ratio_notes(among: Sequence[Share], means: Sequence[Mean]) -> Iterator[str]:
    """Explain ratios without an estimate, and intervals of ratios that mislead."""
    if any(one.is_divided_by_nothing for one in (*among, *means)):
        yield DIVIDED_BY_NOTHING
    if any(share.narrow for share in among):
        yield NARROW_RATIO


def _statements(items: Sequence[ItemResults]) -> Iterator[str]:
    for item in {one.item.statements: one.item for one in items if one.item.statements}.values():
        yield "; ".join(map(item.in_full, item.truths))


def said_to_apply(results: Results) -> Iterator[tuple[str, str]]:
    """Give, for each follow-up, the share to whom it applies and that of the answer it needs."""
    survey = results.survey
    by_id = {item.item.id: item for one in results.questions for item in one.items}
    for one in results.questions:
        question = one.question
        for item in one.items if survey.is_shown_to_all(question) else ():
            here = 1 - _estimate(item, (DOES_NOT_APPLY,))
            needed = [
                f"{asked_if_codes(survey, replace(question, ask_if=(each,))).removeprefix('if ')}"
                f" for {percent(_estimate(by_id[each.item], each.answers))}"
                for each in question.ask_if
                if each.item in by_id
            ]
            yield (
                question.id,
                f"{item.item.id}: {percent(here)} say that it applies; {', '.join(needed)}.",
            )


def _estimate(item: ItemResults, codes: Sequence[str]) -> float:
    """Add up the estimated shares of some answers; nan if one is unknown."""
    shares = (share.estimate for share in item.shares if share.answer.code in codes)
    return sum(math.nan if share is None else share for share in shares)


def doubts(found: Verdict) -> Iterator[str]:
    """Name the estimates that chance does not explain, if any, in two sentences."""
    if found.doubts:
        yield (
            "Was the design followed? Chance does not explain "
            f"{'; '.join(_doubt(one) for one in found.doubts)}."
        )
        yield if_followed()


def if_followed(over: str = "") -> str:
    """Say how rarely a survey shows the doubt if the design was followed, and what it may mean."""
    return (
        f"If everybody follows the design, at most {100 * (1 - design_test.LEVEL):.0f} % of "
        f"surveys show this question{over}. Perhaps some respondents did not follow the design, or "
        "the reports belong to another design."
    )


def _doubt(one: Doubt) -> str:
    found = one.found
    if found.answer is None:
        return f"{one.item.id}, mean {quantity(found.estimate or 0, found.span)}"
    return f"{one.item.id}, {found.answer.text} {percent(found.estimate or 0)}"


def _lacking(items: Sequence[ItemResults]) -> Iterator[str]:
    """Explain the last columns, and dashes that have other causes than a lack of reports."""
    if has_design_effect(one for item in items for one in item.findings):
        yield EFFECTIVE
    for item in items:
        if item.no_interval is not None:
            yield f"{item.item.id}: no intervals: {item.no_interval}."
        if item.lacks_maximum_likelihood:
            yield f"{item.item.id}: the maximum likelihood shares could not be found."


def remarks(question: QuestionResults, verdict: Verdict) -> tuple[str, ...]:
    """Return the remarks of a page on a question's estimates."""
    said = list[str]()
    for item in question.items:
        item_name = f"{item.item.text}: " if len(question.items) > 1 else ""
        said += [f"{item_name}{one}" for one in _item_remarks(item, verdict)]
    return tuple(said)


def narrow_remarks(question: QuestionResults) -> Iterator[str]:
    """Name the answers less than a third of whose interval is possible; a sentence per item."""
    for item in question.items:
        told: list[Share | Mean] = [] if item.mean is None else [item.mean]
        told += item.shares
        of = [item.item.text] if len(question.items) > 1 else []
        for some, more, said in (
            (told, "", _NARROW),
            (item.applicable, ", if it applies", _NARROW_RATIO),
        ):
            narrow = [f"{name_of(one)}{more}" for one in some if one.narrow]
            if narrow:
                yield ": ".join([*of, ", ".join(narrow), said])


def _item_remarks(item: ItemResults, verdict: Verdict) -> Iterator[str]:
    if item.mean is not None:
        sentence = _remark(item.mean, verdict)
        if sentence:
            yield f"Mean: {sentence}"
    if item.tells_shares:
        yield from _once((one, _remark(one, verdict)) for one in item.shares)
    for one in _once((one, _remark(one, verdict, _NARROW_RATIO)) for one in item.applicable):
        yield f"Among those who say that it applies: {one}"


def _remark(one: Share | Mean, verdict: Verdict, narrow: str = _NARROW) -> str:
    possible = "the range of the answers" if one.answer is None else "0–100 %"
    if one.is_divided_by_nothing:
        return _DIVIDED_BY_NOTHING
    if verdict.rejects(one.p_value):
        return _BEYOND.format(possible)
    said = [narrow] if one.narrow else []
    if one.outside:
        said = [_OUTSIDE_RANGE.format(possible), *said]
    elif isinstance(one, Mean) and one.wide:
        said = [_WIDE, *said]
    return " ".join(said)


def _once(said: Iterable[tuple[Share, str]]) -> Iterator[str]:
    """Yield each sentence once, after all the answers that it is about."""
    of: dict[str, list[str]] = {}
    for share, sentence in said:
        if sentence:
            of.setdefault(sentence, []).append(share.answer.text)
    for sentence, answers in of.items():
        yield f"{', '.join(answers)}: {sentence}"
