"""Who gets which part of ε.

Questions with an ε, a flip probability or a design of their own are charged first. What is left of
the survey's ε is shared over the others, or over those of the others that a respondent is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from deniable import budget, designs, exact
from deniable.channel import MAX_REPORTS, Channel
from deniable.designs.families import Family
from deniable.estimator import NotIdentifiable, for_values
from deniable.roles import treats_alike, unsaid, yes_first, yes_of
from deniable.survey.draws import (
    MAX_CHANCE,
    check_chances,
    claims_of,
    even_chances,
    linked,
    unit_ids,
)
from deniable.survey.items import name_reports
from deniable.survey.questions import Ask, Protection, Question
from deniable.survey.together import Group, cells_of, group_of
from deniable.survey_file.located import Complaints
from deniable.survey_file.schema import QuestionFields, SurveyFields


@dataclass
class Draft:
    """A question on its way: what it asks and what its items cost, as far as it is known.

    `complaints`: at the place where it is written. `family`: from which a share of ε picks its
    channel. `channels`: of its items; None as long as they are not known, and where it is direct.
    `group`: the questions with which it is randomised as one answer.
    """

    complaints: Complaints
    fields: QuestionFields
    question: Question
    family: Family
    channels: list[Channel] | None = None
    group: Group | None = None

    @property
    def asked(self) -> int:
        """How many of its items each respondent is asked."""
        return self.question.ask or len(self.question.parts)

    @property
    def shares(self) -> bool:
        """Whether it takes a share of what the survey has left."""
        own = (self.fields.flip, self.fields.epsilon, self.fields.design)
        return self.question.protection is Protection.RANDOMISED and own == (None, None, None)

    @property
    def cost(self) -> int:
        """Its ε in millionths, all items alike, as far as its channels are known."""
        known = (self.channels or [])[: self.asked]
        return sum(channel.epsilon_millionths or 0 for channel in known)


@dataclass(frozen=True)
class Spending:
    """How a survey's ε was spent.

    `promised`: what answering everything that one is asked reveals at most, in millionths.
    `sharing`: the ids of the questions that share what is left of it. `split`: how they share it:
    ``"equal"``, ``"weight"``, ``"even"`` or ``"optimal"``. `ask`: how many units of them each
    respondent is asked; None if all are.
    """

    promised: int
    sharing: tuple[str, ...]
    split: str
    ask: Ask | None


def spend(
    fields: SurveyFields,
    drafts: Sequence[Draft],
    groups: Sequence[Sequence[Draft]],
    complaints: Complaints,
    written: frozenset[str],
) -> Spending:
    """Find the channels of all questions: charge those with a cost of their own, share the rest."""
    for draft in drafts:
        _charge(draft)
    sharing = [draft for draft in drafts if draft.shares]
    split = fields.split or "equal"
    ids = tuple(draft.question.id for draft in sharing)
    whole = {*(fields.chances or ())}
    as_one = [[draft.question.id for draft in group] for group in groups]
    units = tuple(unit_ids([draft.question for draft in drafts], ids, as_one, whole))
    before = len(complaints.mistakes)
    _check_linked(drafts if fields.ask is not None and units else (), as_one)
    # Where a question could not be read, nobody knows whether it would have shared too.
    if len(drafts) == len(fields.questions or []):
        _check_ask(fields, units, complaints)
    ask = None if fields.ask is None or fields.ask >= len(units) else Ask(fields.ask, units)
    charged = sum(draft.cost for draft in drafts if not draft.shares)
    promised = charged
    if fields.epsilon is None:
        for draft in sharing if "epsilon" not in written else ():
            if any(map(draft.complaints.has, ("flip", "epsilon", "design"))):
                continue  # it cannot be read, which is complained of already
            draft.complaints.at("epsilon").add(
                f"question {draft.question.id!r} has no flip, epsilon or design, and the "
                "survey has no epsilon to share: expected one of them"
            )
    else:
        promised = int(exact.MILLION * fields.epsilon)
        if charged > promised:
            complaints.at("epsilon").add(
                f"the budget is overspent: the questions with a flip, epsilon or design of their "
                f"own cost {charged / exact.MILLION}, found an epsilon of {float(fields.epsilon)}"
            )
        elif sharing and len(complaints.mistakes) == before:
            ask = _share(promised - charged, sharing, groups, split, ask)
    for draft in drafts:
        drawn = draft.question.ask is not None or (ask is not None and draft in sharing)
        if drawn and any(one.reports == MAX_REPORTS for one in draft.channels or []):
            draft.complaints.at("answers").add(
                f"question {draft.question.id!r} is drawn by chance: expected at most "
                f"{MAX_REPORTS - 1} reports, found {MAX_REPORTS}; ask it of everybody, or offer "
                "fewer answers"
            )
    if ask is not None and fields.chances is not None:
        chances = tuple(min(fields.chances.get(unit, 1), MAX_CHANCE) for unit in ask.units)
        try:
            check_chances(chances, ask.count, len(units))
        except ValueError as mistake:
            complaints.at("chances").add(str(mistake))
            chances = ()
        ask = replace(ask, chances=chances if len({*chances}) > 1 else ())
    return Spending(promised, ids, split, ask)


def _charge(draft: Draft) -> None:
    """Build the channels of a question that says itself what it costs."""
    fields, question = draft.fields, draft.question
    if question.protection is Protection.DIRECT:
        return
    key = "flip" if fields.flip is not None else "design" if fields.design else "epsilon"
    try:
        channel = own_channel(draft)
        if channel is not None and fields.epsilon is None:
            _check_own(channel, question)
    except (ValueError, TypeError) as mistake:
        draft.complaints.at(key).add(str(mistake))
        return
    if channel is not None:
        draft.channels = [channel] * len(question.parts)


def _check_own(channel: Channel, question: Question) -> None:
    """Refuse a channel of a question's own that gives somebody away, or tells nothing.

    A family's is possible whatever is true, and tells at least the mean of a number.
    """
    if channel.revealing_reports or not _tells(channel, question):
        reports = name_reports(question.truths, channel)
        designs.refuse_for_collection(channel, [report.text for report in reports])


def own_channel(draft: Draft) -> Channel | None:
    """Return the channel of each item of a question; None if the survey's ε decides it."""
    fields, question = draft.fields, draft.question
    answers = len(question.truths)
    if fields.flip is not None:
        flip = designs.flip_probability(fields.flip, answers)
        channel = designs.k_ary(answers, keep=1 - flip)
    elif fields.epsilon is not None:
        each = exact.MILLION * fields.epsilon // draft.asked
        if not each:
            raise ValueError(f"expected an epsilon of at least 0.000001 for each of {draft.asked}")
        channel = budget.channel_for(each, draft.family)
    elif fields.design is not None:
        if len(fields.design) != 1:
            raise ValueError(f"expected one design, found {len(fields.design)}")
        channel = designs.from_mapping(fields.design, answers)
        if {*fields.design} <= designs.HAVE_YES:
            channel = _for_answers(channel, question, told=fields.yes is not None)
    else:
        return None
    return channel


def _for_answers(channel: Channel, question: Question, *, told: bool) -> Channel:
    """Turn a design's channel of no and yes so that its yes is the answer that means yes."""
    place = yes_of(question)
    if place is None and not told and not treats_alike(channel):
        codes = [answer.code for answer in question.offered]
        raise ValueError(unsaid(codes, "'yes: {}'"))
    return yes_first(channel) if place == 0 else channel


def _tells(channel: Channel, question: Question) -> bool:
    """Whether the shares of the answers, or the mean of a number, can be estimated."""
    if channel.identifiable:
        return True
    if not question.is_number or question.truths != question.answers:
        return False
    try:
        for_values(channel, range(channel.truths))
    except NotIdentifiable:
        return False
    return True


def _check_ask(fields: SurveyFields, units: Sequence[str], complaints: Complaints) -> None:
    """Complain of a number of units to ask that has no meaning, or has no effect."""
    at_ask, at_chances = complaints.at("ask"), complaints.at("chances")
    if fields.ask is None:
        if fields.chances is not None:
            at_chances.note("these chances have no effect where all are asked (without ask)")
        return
    if not units:
        at_ask.add("no question shares an epsilon, so there is no question to draw")
        return
    if fields.ask > len(units):
        at_ask.add(
            f"expected at most {len(units)}, because {', '.join(units)} share the survey's "
            f"epsilon, found {fields.ask}"
        )
    elif fields.ask == len(units):
        at_ask.note(
            f"'ask' has no effect: everybody is asked all {len(units)} that share the epsilon"
        )
    for id, chance in (fields.chances or {}).items():
        if id not in units:
            at_chances.at(id).add(f"expected one of {', '.join(units)}, found {id!r}", at_key=True)
        elif chance > MAX_CHANCE:
            at_chances.at(id).add(f"expected a chance of 1 to {MAX_CHANCE}, found {chance}")


def _check_linked(drafts: Sequence[Draft], groups: Sequence[Sequence[str]]) -> None:
    """Complain of a question that is drawn with one whose ε is its own."""
    shares = {draft.question.id: draft.shares for draft in drafts}
    for draft in drafts:
        others = linked([one.question for one in drafts], draft.question.id, groups)
        paid = [id for id in others if not shares[id]]
        if draft.shares and paid:
            draft.complaints.at("epsilon").add(
                f"question {draft.question.id!r} is drawn together with {paid[0]!r}: expected both "
                "to share the survey's epsilon, found one of its own"
            )


def _share(
    left: int,
    sharing: Sequence[Draft],
    groups: Sequence[Sequence[Draft]],
    split: str,
    ask: Ask | None,
) -> Ask | None:
    """Share out what is left of the budget; what is randomised together has one share."""
    if split in {"equal", "even"}:
        for draft in sharing:
            if draft.fields.weight is not None:
                message = f"this weight has no effect: the survey's split is {split}"
                draft.complaints.at("weight").note(message)
    units = [[draft] for draft in sharing if not any(draft in group for group in groups)]
    units += map(list, groups)
    weights = [
        sum(
            (Fraction(1) if split in {"equal", "even"} else one.fields.weight or Fraction(1))
            for one in unit
        )
        for unit in units
    ]
    claims = [_claim(unit, Fraction(weight)) for unit, weight in zip(units, weights, strict=True)]
    if ask is not None:
        shares, ask = _share_drawn(left, units, claims, split, ask)
    elif split in budget.SEARCHES:
        shares = budget.SEARCHES[split](left, claims)
    else:
        whole = [one.weight for one in claims]
        shares = budget.share(left, whole, [one.asked for one in claims])
    for unit, claim, each in zip(units, claims, shares, strict=True):
        first = unit[0]
        channel = _channel(first, claim.family, each)
        if channel is None:
            continue
        if len(unit) == 1:
            first.channels = [channel] * len(first.question.parts)
            continue
        group = group_of([one.question for one in unit], channel.weights[0][1])
        for draft in unit:
            draft.group, draft.channels = group, [group.law(draft.question.id)[1]]
    return ask


def _share_drawn(
    left: int,
    asked: Sequence[Sequence[Draft]],
    claims: Sequence[budget.Claim],
    split: str,
    ask: Ask,
) -> tuple[list[int], Ask]:
    """Share out what is left over the units that chance draws, and find their chances.

    `asked`: what has one claim, each of `claims`: a question, or a group of them.
    """
    ids = [[draft.question.id for draft in some] for some in asked]
    by_id = {some[0]: claim for some, claim in zip(ids, claims, strict=True)}
    questions = [draft.question for some in asked for draft in some]
    units = claims_of(ask.units, questions, by_id, [some for some in ids if len(some) > 1])
    found, widths = budget.share_drawn(left, units, ask.count, split)
    if split != "weight":
        ask = replace(ask, chances=even_chances(widths, ask.count))
    return [found[some[0]] for some in ids], ask


def _channel(draft: Draft, family: Family, each: int) -> Channel | None:
    """Return the channel of an item at its ε in millionths, or complain and return none."""
    try:
        return budget.channel_for(each, family)
    except ValueError as mistake:
        draft.complaints.at("epsilon").add(
            f"question {draft.question.id!r} gets an epsilon of {each / exact.MILLION} for "
            f"each item, which is too little to ask it: {mistake}"
        )
        return None


def _claim(unit: Sequence[Draft], weight: Fraction) -> budget.Claim:
    """Return what a question needs of the budget, or what several need that have one answer."""
    first = unit[0]
    if len(unit) == 1:
        return budget.Claim(first.family, len(first.question.parts), first.asked, weight)
    cells = len(cells_of([one.question for one in unit]))
    return budget.Claim(Family("k_ary", cells, None, 0), weight=weight)
