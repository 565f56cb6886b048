"""The cost of a question: a channel of its own, or a family from which an ε picks one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from deniable import budget, designs, exact
from deniable.channel import MAX_REPORTS, Channel
from deniable.designs import families
from deniable.designs.families import Family
from deniable.estimator import NotIdentifiable, for_values
from deniable.roles import UNSAID, said_by, treats_alike, yes_first, yes_of
from deniable.survey.checks import tells_who_follows
from deniable.survey.items import Item, compile_items, name_reports
from deniable.survey.questions import Protection, Question
from deniable.survey.together import Group
from deniable.survey_file.located import Path, Wrong
from deniable.survey_file.rules import COSTS
from deniable.survey_file.schema import QuestionFields


@dataclass
class Draft:
    """A question during compilation, with its channels as soon as they are known.

    `place`: its path in the file. `channels`: the channels of its items; empty while unknown, and
    for a direct question. `group`: the questions with which it is randomised as one answer.
    """

    place: Path
    fields: QuestionFields
    question: Question
    channels: list[Channel] = field(default_factory=list)
    group: Group | None = None

    @property
    def is_randomised(self) -> bool:
        """Whether its answers are randomised."""
        return self.question.protection is Protection.RANDOMISED

    @property
    def asked(self) -> int:
        """The number of its items that each respondent is asked."""
        return self.question.ask or len(self.question.parts)

    @property
    def shares(self) -> bool:
        """Whether it takes a share of the survey's remaining ε."""
        own = (self.fields.flip, self.fields.epsilon, self.fields.design)
        return self.is_randomised and own == (None, None, None)

    @property
    def cost(self) -> int:
        """Its ε in millionths for the items that a respondent is asked; 0 without channels."""
        return sum(channel.epsilon_millionths or 0 for channel in self.channels[: self.asked])

    @property
    def items(self) -> tuple[Item, ...]:
        """Its items; empty while its channels are unknown."""
        if self.is_randomised and not self.channels:
            return ()
        return compile_items(self.question, self.channels, self.group)

    def mistake_at(self, key: str, message: str, *, is_note: bool = False) -> Wrong:
        """Return a mistake at one of its keys, or a note; its line is found later."""
        return Wrong((*self.place, key), message, is_note=is_note)


def check_reports(draft: Draft) -> Iterator[Wrong]:
    """Find more reports than a drawn question can have: one value of the byte is "not drawn"."""
    if any(one.reports == MAX_REPORTS for one in draft.channels):
        yield draft.mistake_at(
            "answers",
            f"question {draft.question.id!r} is drawn by chance: expected at most "
            f"{MAX_REPORTS - 1} reports, found {MAX_REPORTS}; ask it of everybody, or offer "
            "fewer answers",
        )


def charge(draft: Draft) -> tuple[list[Channel], list[Wrong]]:
    """Build the channels of a question with its own flip, epsilon or design; find mistakes."""
    if not draft.is_randomised or draft.shares:
        return [], []
    fields, question = draft.fields, draft.question
    try:
        channel = own_channel(fields, question)
        # Families need no check: their reports are possible for every truth, and they identify at
        # least the mean of a number.
        if fields.epsilon is None and (channel.revealing_reports or not _tells(channel, question)):
            reports = name_reports(question.truths, channel)
            designs.refuse_for_collection(channel, [report.text for report in reports])
    except (ValueError, TypeError) as mistake:
        key = next(key for key in COSTS if getattr(fields, key) is not None)
        return [], [draft.mistake_at(key, str(mistake))]
    return [channel] * len(question.parts), []


def own_channel(fields: QuestionFields, question: Question) -> Channel:
    """Return the channel of each item of a question with a flip, an epsilon or a design."""
    answers = len(question.truths)
    if fields.flip is not None:
        flip = designs.flip_probability(fields.flip, answers)
        return designs.k_ary(answers, keep=1 - flip)
    if fields.epsilon is not None:
        asked = question.ask or len(question.parts)
        each = exact.MILLION * fields.epsilon // asked
        if not each:
            raise ValueError(f"expected an epsilon of at least 0.000001 for each of {asked}")
        return budget.channel_for(each, family_of(fields, question))
    design = fields.design or {}
    if len(design) != 1:
        raise ValueError(f"expected one design, found {len(design)}")
    channel = designs.from_mapping(design, answers)
    if {*design} <= designs.HAVE_YES:
        return _for_answers(channel, question, told=fields.yes is not None)
    return channel


def _for_answers(channel: Channel, question: Question, *, told: bool) -> Channel:
    """Reorder a design's channel of no and yes so that its yes is the answer that means yes."""
    place = yes_of(question)
    if place is None and not told and not treats_alike(channel):
        codes = [answer.code for answer in question.offered]
        remedy = said_by("'yes: {}'", codes)
        raise ValueError(f"{UNSAID}: {remedy}")
    return yes_first(channel) if place == 0 else channel


def _tells(channel: Channel, question: Question) -> bool:
    """Return whether the shares of the answers, or the mean of a number, are identifiable."""
    if channel.identifiable:
        return True
    if not question.is_number or question.truths != question.answers:
        return False
    try:
        for_values(channel, range(channel.truths))
    except NotIdentifiable:
        return False
    return True


def check_control(draft: Draft) -> Iterator[Wrong]:
    """Find known shares with which reports would be the same as random ones."""
    known = draft.question.known
    if known and not all(tells_who_follows(channel, known) for channel in draft.channels):
        yield draft.mistake_at(
            "known",
            "with these shares, people who follow the instructions send the same reports as "
            "people who report at random: expected others, far from equal ones",
        )


def drop_statements(draft: Draft, *, has_waves: bool) -> list[Wrong]:
    """Drop statements with which no spinner could make the channel; return why, as a mistake."""
    if not draft.question.statements:
        return []
    if has_waves:
        wrong = draft.mistake_at(
            "style",
            "a spinner is for a survey that is asked once: leave 'style' or 'waves' out",
        )
    elif any(not channel.is_symmetric for channel in draft.channels):
        wrong = draft.mistake_at(
            "design",
            "expected a design that flips both answers alike, such as flip: 1/4, because a "
            "spinner does with 'style: statement'",
        )
    else:
        return []
    draft.question = replace(draft.question, statements=())
    return [wrong]


def family_of(fields: QuestionFields, question: Question) -> Family:
    """Return the family from which an ε picks the channel of each of a question's items.

    A default replaces a family or levels that `check_family` rejects.
    """
    values = len(question.answers)
    if not question.is_number:
        besides = int(question.prefer_not_to_say)
        name = fields.family if fields.family in families.ANSWERS else None
        return Family(name or "k_ary", len(question.truths) - besides, None, besides)
    besides = len(question.truths) - values
    levels = fields.levels or min(values, families.DEFAULT_LEVELS)
    levels = levels if 2 <= levels <= values else values
    return Family(families.BESIDES if besides else fields.family or "best", values, levels, besides)


def check_family(fields: QuestionFields, question: Question) -> Iterator[Wrong]:
    """Find a family or levels that do not fit the question."""
    name, values = fields.family, len(question.answers)
    if not question.is_number:
        if name is not None and name not in families.ANSWERS:
            yield Wrong(
                ("family",),
                f"the family {name!r} is for the type number, not for {fields.type}: expected "
                "k_ary or best",
            )
        return
    if name not in (None, families.BESIDES) and len(question.truths) > values:
        key = "prefer_not_to_say" if question.prefer_not_to_say else "ask_if"
        yield Wrong(
            ("family",),
            f"{name} randomises numbers, and {question.truths[-1].text.lower()!r} is not one: "
            f"expected {families.BESIDES} with {key}, or leave one of them out",
        )
    if fields.levels is not None and not 2 <= fields.levels <= values:
        said = f"expected 2 to {values} levels, the number of values, found {fields.levels}"
        yield Wrong(("levels",), said)
