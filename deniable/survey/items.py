"""Items: the randomised parts into which questions are compiled, one byte of a report each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from deniable.channel import Channel, identity
from deniable.survey import waves
from deniable.survey.questions import Answer, Protection, Question
from deniable.survey.together import Group
from deniable.survey.waves import Memory
from deniable.text.languages import Say, in_english

NOISY: Final = "_noisy"
"""The suffix of randomised columns in an export, so that nobody tabulates them as truth."""


@dataclass(frozen=True)
class Item:
    """A randomised part of a question: one channel, one byte of a report.

    `id`: the question's id, followed by ``.code`` of the option or row where there are several.
    `truths`, `reports`: the names of the channel's rows and columns. `channel`: that of one
    report, the identity for a direct item. `memory`: in waves, what a device keeps of a randomised
    item, or of the cells of its group. `statements`: for an item in Warner's own form, the
    statement of each truth. `group`: the questions with which it is randomised as one answer; its
    channel is then that of its own part of that answer.
    """

    id: str
    question: str
    text: str
    truths: tuple[Answer, ...]
    reports: tuple[Answer, ...]
    channel: Channel
    protection: Protection
    memory: Memory | None = None
    statements: tuple[str, ...] = ()
    group: Group | None = None

    def __post_init__(self) -> None:
        # A respondent whose truth had no row could send nothing, which would reveal the truth.
        if (len(self.truths), len(self.reports)) != (self.channel.truths, self.channel.reports):
            raise ValueError(f"item {self.id!r}: expected a row for each truth and report")
        if self.protection is Protection.DIRECT and (
            self.memory is not None or self.channel != identity(len(self.truths))
        ):
            raise ValueError(f"item {self.id!r} is direct: expected it to be sent as it is given")
        if self.has_spinner and (
            self.memory is not None
            or self.protection is Protection.DIRECT
            or not self.channel.is_symmetric
        ):
            raise ValueError(
                f"item {self.id!r}: expected statements where two answers are flipped alike, once"
            )
        if self.group is not None and (
            self.memory != self.group.memory
            or self.has_spinner
            or self.protection is Protection.DIRECT
            or self.channel != self.group.marginal(self.question)[1]
        ):
            raise ValueError(f"item {self.id!r}: expected its part of what is drawn together")

    @property
    def has_spinner(self) -> bool:
        """Whether it is asked in Warner's own form, by a spinner that points to a statement."""
        return bool(self.statements)

    def in_full(self, truth: Answer) -> str:
        """Return the text of an answer, with its statement if it has one: ``Yes: “I have”``."""
        if not self.statements:
            return truth.text
        codes = [one.code for one in self.truths]
        return f"{truth.text}: “{self.statements[codes.index(truth.code)]}”"

    @property
    def reports_name_truths(self) -> bool:
        """Whether each report speaks for one truth, see `name_reports`."""
        return [one.code for one in self.reports] == [one.code for one in self.truths]

    @property
    def longitudinal(self) -> Channel:
        """The channel behind all reports ever, while the answer stays the same (see `waves`).

        In a group it is the channel of the whole group: an adversary who knows the other answers
        can learn as much about this answer alone.
        """
        if self.memory is not None:
            return self.memory.permanent
        return self.channel if self.group is None else self.group.channel

    @property
    def epsilon(self) -> float | None:
        """Privacy loss of all reports of this item; None if it is direct.

        There is one report, except in waves: there it holds while the answer stays the same.
        """
        return None if self.protection is Protection.DIRECT else self.longitudinal.epsilon

    @property
    def flips(self) -> tuple[float, ...] | None:
        """For each truth, the chance that the report is not the truth.

        None if the item is direct, or its reports are not named after its truths.
        """
        if self.protection is Protection.DIRECT or not self.reports_name_truths:
            return None
        return tuple(float(1 - kept) for kept in self.channel.probabilities.diagonal())

    @property
    def epsilon_millionths(self) -> int:
        """Privacy loss in millionths, 0 for a direct item, which no budget covers."""
        if self.protection is Protection.DIRECT:
            return 0
        millionths = self.longitudinal.epsilon_millionths
        if millionths is None:
            raise ValueError(f"item {self.id!r}: expected a bounded epsilon, found infinity")
        return millionths

    @property
    def kept_words(self) -> int:
        """How many random words a device draws for its storage, besides the item's own.

        One for each truth of an item with a memory, and one for a spinner: it hides the spinner's
        direction in data that may stay on the disk. In a group only the first item has them.
        """
        if self.group is not None and self.question != self.group.questions[0]:
            return 0
        return int(self.has_spinner) if self.memory is None else self.memory.permanent.truths

    def sample(self, truth: int, word: int, kept: Sequence[int] = ()) -> int:
        """Draw the report of an item in no group, bit by bit like every device.

        `kept`: in waves, the noisy answer of each truth. A spinner points to the statement of the
        truth that the channel draws for the second truth. The reply is the report, 1 if the
        statement is true: so the same direction of the spinner makes the symmetric channel for both
        truths.
        """
        if self.memory is not None:
            return self.memory.instantaneous.sample(kept[truth], word)
        if not self.has_spinner:
            return self.channel.sample(truth, word)
        return int(truth == self.channel.sample(1, word))

    @property
    def one_report_millionths(self) -> int:
        """Privacy loss of a single report in millionths; in waves less than that of all reports."""
        own = None if self.memory is None else self.memory.one_report_millionths
        return self.epsilon_millionths if own is None else own

    @property
    def any_history_millionths(self) -> int | None:
        """Privacy loss in millionths of a wave's report to an observer of the device's memory.

        None if unbounded.
        """
        own = self.memory
        return self.epsilon_millionths if own is None else own.any_history_millionths

    def forgotten(self, waves: int) -> float:
        """Return the privacy loss of the reports of waves if the device forgets, see `Memory`."""
        return 0.0 if self.memory is None else self.memory.forgotten(waves)


def compile_items(
    question: Question, channels: Sequence[Channel], group: Group | None = None
) -> tuple[Item, ...]:
    """Compile a question into its items, with a channel for each unless it is direct."""
    if question.protection is Protection.DIRECT:
        channels = [identity(len(question.truths))] * len(question.parts)
    return tuple(
        Item(
            id=id,
            question=question.id,
            text=text,
            truths=question.truths,
            reports=with_replies(question, name_reports(question.truths, channel)),
            channel=channel,
            protection=question.protection,
            statements=tuple(statement.text for statement in question.statements),
            group=group,
        )
        for (id, text), channel in zip(question.parts, channels, strict=True)
    )


def remember(item: Item, flip: Fraction) -> Item:
    """Prepare an item for waves: its channel becomes that of the answer that a device keeps."""
    if item.protection is Protection.DIRECT:
        return item
    if item.group is not None:
        group = item.group.remember(flip)
        own = group.marginal(item.question)[1]
        return replace(item, channel=own, memory=group.memory, group=group)
    memory = Memory(item.channel, waves.redraw_weight(flip, item.channel.reports))
    return replace(item, channel=memory.compose(), memory=memory)


def with_replies(question: Question, named: tuple[Answer, ...]) -> tuple[Answer, ...]:
    """Name two reports “Not true of me” and “True of me” if the question has statements."""
    if not question.statements or len(named) != len(replies()):
        return named
    return tuple(replace(one, text=text) for one, text in zip(named, replies(), strict=True))


def replies(say: Say = in_english) -> tuple[str, str]:
    """Return the replies to a spinner's statement, in the order of the reports."""
    return say("Not true of me"), say("True of me")


def name_reports(truths: tuple[Answer, ...], channel: Channel) -> tuple[Answer, ...]:
    """Name a channel's reports: after the truths if each report speaks for one, else by number.

    Reports speak for truths if there are as many of both, and each report is likeliest, without a
    tie, from the truth of its place. The reports of a block design, say, speak for several truths.
    """
    if channel.reports == channel.truths and all(
        max(column) == column[place] and column.count(column[place]) == 1
        for place, column in enumerate(zip(*channel.weights, strict=True))
    ):
        return truths
    return numbered(channel.reports)


def numbered(count: int) -> tuple[Answer, ...]:
    """Name reports by number."""
    return tuple(Answer(f"report_{one}", f"Report {one}") for one in range(1, count + 1))
