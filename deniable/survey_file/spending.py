"""How the questions share ε.

Questions with an ε, a flip probability or a design of their own are charged first. The other
questions share the rest of the survey's ε, or as many of them as a respondent is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from deniable import budget, exact
from deniable.designs.families import Family
from deniable.survey.draws import MAX_CHANCE, check_chances, linked, unit_ids
from deniable.survey.fair_draws import claims_of, even_chances
from deniable.survey.questions import Ask
from deniable.survey.together import cells_of, group_of
from deniable.survey_file.channels import Draft, family_of
from deniable.survey_file.located import Wrong
from deniable.survey_file.rules import COSTS
from deniable.survey_file.schema import SurveyFields


@dataclass(frozen=True)
class Spending:
    """The spending of a survey's ε.

    `promised`: the ε of all randomised answers of one respondent, in millionths. `sharing`: the ids
    of the questions that share the rest of it. `split`: how they share it: ``"equal"``,
    ``"weight"``, ``"even"`` or ``"optimal"``. `ask`: the draw of their units; None if everybody is
    asked all.
    """

    promised: int
    sharing: tuple[str, ...]
    split: str
    ask: Ask | None


def spend(
    fields: SurveyFields, drafts: Sequence[Draft], groups: Sequence[Sequence[Draft]]
) -> tuple[Spending, list[Wrong]]:
    """Share the rest of the survey's ε after the questions with a cost of their own.

    Sets the channels of the questions that share it, and their groups.
    """
    sharing = [draft for draft in drafts if draft.shares]
    split = fields.split or "equal"
    ids = tuple(draft.question.id for draft in sharing)
    as_one = [[draft.question.id for draft in group] for group in groups]
    whole = {*(fields.chances or ())}
    units = tuple(unit_ids([draft.question for draft in drafts], ids, as_one, whole))
    wrong: list[Wrong] = []
    if fields.ask is not None and units:
        wrong += _check_linked(drafts, as_one)
    # If a question could not be read, it is unknown whether it shares too.
    if len(drafts) == len(fields.questions or []):
        wrong += _check_ask(fields, units)
    ask = None if fields.ask is None or fields.ask >= len(units) else Ask(fields.ask, units)
    promised = charged = sum(draft.cost for draft in drafts if not draft.shares)
    if fields.epsilon is None:
        wrong += _check_paid(sharing) if "epsilon" not in fields.model_fields_set else ()
    else:
        promised = int(exact.MILLION * fields.epsilon)
        if charged > promised:
            said = (
                f"the budget is overspent: the questions with a flip, epsilon or design of their "
                f"own cost {charged / exact.MILLION}, found an epsilon of {float(fields.epsilon)}"
            )
            wrong.append(Wrong(("epsilon",), said))
        elif sharing and all(one.is_note for one in wrong):
            ask, unpaid = _share(promised - charged, sharing, groups, split, ask)
            wrong += unpaid
    if ask is not None and fields.chances is not None:
        chances = tuple(min(fields.chances.get(unit, 1), MAX_CHANCE) for unit in ask.units)
        try:
            check_chances(chances, ask.count, len(units))
        except ValueError as mistake:
            wrong.append(Wrong(("chances",), str(mistake)))
            chances = ()
        ask = replace(ask, chances=chances if len({*chances}) > 1 else ())
    return Spending(promised, ids, split, ask), wrong


def _check_paid(sharing: Sequence[Draft]) -> Iterator[Wrong]:
    # A cost with a mistake counts as written: its mistake is reported already.
    for draft in sharing:
        if draft.fields.model_fields_set.isdisjoint(COSTS):
            yield draft.mistake_at(
                "epsilon",
                f"question {draft.question.id!r} has no flip, epsilon or design, and the survey "
                "has no epsilon to share: expected one of them, or 'protection: direct' to "
                "ask without noise",
            )


def _check_ask(fields: SurveyFields, units: Sequence[str]) -> Iterator[Wrong]:
    """Find an `ask` or `chances` without a meaning or an effect."""
    if fields.ask is None:
        if fields.chances is not None:
            said = "these chances have no effect where all are asked (without 'ask')"
            yield Wrong(("chances",), said, is_note=True)
        return
    if not units:
        yield Wrong(("ask",), "no question shares an epsilon, so there is no question to draw")
        return
    if fields.ask > len(units):
        yield Wrong(
            ("ask",),
            f"expected at most {len(units)}, because {', '.join(units)} share the survey's "
            f"epsilon, found {fields.ask}",
        )
    elif fields.ask == len(units):
        said = f"'ask' has no effect: everybody is asked all {len(units)} that share the epsilon"
        yield Wrong(("ask",), said, is_note=True)
    for id, chance in (fields.chances or {}).items():
        if id not in units:
            said = f"expected one of {', '.join(units)}, found {id!r}"
            yield Wrong(("chances", id), said, at_key=True)
        elif chance > MAX_CHANCE:
            said = f"expected a chance of 1 to {MAX_CHANCE}, found {chance}"
            yield Wrong(("chances", id), said)


def _check_linked(drafts: Sequence[Draft], groups: Sequence[Sequence[str]]) -> Iterator[Wrong]:
    """Find a sharing question that is drawn together with a question with an ε of its own."""
    shares = {draft.question.id: draft.shares for draft in drafts}
    for draft in drafts:
        others = linked([one.question for one in drafts], draft.question.id, groups)
        paid = [id for id in others if not shares[id]]
        if draft.shares and paid:
            yield draft.mistake_at(
                "epsilon",
                f"question {draft.question.id!r} is drawn together with {paid[0]!r}: expected both "
                "to share the survey's epsilon, found one of its own",
            )


def _share(
    left: int,
    sharing: Sequence[Draft],
    groups: Sequence[Sequence[Draft]],
    split: str,
    ask: Ask | None,
) -> tuple[Ask | None, list[Wrong]]:
    """Set channels by the rest of the budget; return the draw with its chances, and mistakes."""
    wrong = []
    weighs = split not in {"equal", "even"}
    if not weighs:
        said = f"this weight has no effect: the survey has 'split: {split}'"
        weighted = [draft for draft in sharing if draft.fields.weight is not None]
        wrong = [draft.mistake_at("weight", said, is_note=True) for draft in weighted]
    units = [[draft] for draft in sharing if not any(draft in group for group in groups)]
    units += map(list, groups)
    claims = [_claim(unit, weighs=weighs) for unit in units]
    if ask is not None:
        shares, ask = _share_drawn(left, units, claims, split, ask)
    elif split in budget.SEARCHES:
        shares = budget.SEARCHES[split](left, claims)
    else:
        whole = [one.weight for one in claims]
        shares = budget.share(left, whole, [one.asked for one in claims])
    for unit, claim, each in zip(units, claims, shares, strict=True):
        first = unit[0]
        try:
            channel = budget.channel_for(each, claim.family)
        except ValueError as mistake:
            said = (
                f"question {first.question.id!r} gets an epsilon of {each / exact.MILLION} for "
                f"each item, which is too little to ask it: {mistake}"
            )
            wrong.append(first.mistake_at("epsilon", said))
            continue
        if len(unit) == 1:
            first.channels = [channel] * len(first.question.parts)
            continue
        group = group_of([one.question for one in unit], channel.weights[0][1])
        for draft in unit:
            draft.group, draft.channels = group, [group.marginal(draft.question.id)[1]]
    return ask, wrong


def _share_drawn(
    left: int,
    asked: Sequence[Sequence[Draft]],
    claims: Sequence[budget.Claim],
    split: str,
    ask: Ask,
) -> tuple[list[int], Ask]:
    """Share the rest of the budget over the drawn units, and find their chances."""
    ids = [[draft.question.id for draft in some] for some in asked]
    by_id = {some[0]: claim for some, claim in zip(ids, claims, strict=True)}
    questions = [draft.question for some in asked for draft in some]
    units = claims_of(ask.units, questions, by_id, [some for some in ids if len(some) > 1])
    found, widths = budget.share_drawn(left, units, ask.count, split)
    if split != "weight":
        ask = replace(ask, chances=even_chances(widths, ask.count))
    return [found[some[0]] for some in ids], ask


def _claim(unit: Sequence[Draft], *, weighs: bool) -> budget.Claim:
    """Return the claim of a question, or of a group that is randomised as one answer."""
    first = unit[0]
    weights = (one.fields.weight if weighs else None for one in unit)
    weight = sum((one or Fraction(1) for one in weights), start=Fraction())
    if len(unit) == 1:
        family = family_of(first.fields, first.question)
        return budget.Claim(family, len(first.question.parts), first.asked, weight)
    cells = len(cells_of([one.question for one in unit]))
    return budget.Claim(Family("k_ary", cells, None, 0), weight=weight)
