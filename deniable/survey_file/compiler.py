"""From the text of a survey file to a survey: read everything, complain of everything, then spend.

Questions with an ε, a flip probability or a design of their own are charged first; what is left of
the survey's ε is shared over the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from deniable import budget, designs, exact
from deniable.channel import Channel
from deniable.survey import Protection, Question, Survey, compile_items, name_reports
from deniable.survey_file.located import Document, Mistake, Path, SurveyFileError, parse
from deniable.survey_file.rules import MAX_ITEMS, read_question
from deniable.survey_file.schema import EXPECTED, QuestionFields, SurveyFields, describe

Fields = TypeVar("Fields", bound=BaseModel)


@dataclass(frozen=True)
class SurveyFile:
    """What a survey file says.

    Parameters
    ----------
    survey : Survey
    notes : tuple of Mistake
        What is no mistake, but perhaps not what was meant.
    """

    survey: Survey
    notes: tuple[Mistake, ...]


@dataclass
class _Draft:
    """A question on its way: what it asks and what its items cost, as far as it is known."""

    path: Path
    fields: QuestionFields
    question: Question
    channels: list[Channel] | None = None

    @property
    def shares(self) -> bool:
        """Whether it takes a share of what the survey has left."""
        own = (self.fields.flip, self.fields.epsilon, self.fields.design)
        return self.question.protection is Protection.RANDOMISED and own == (None, None, None)


def read(text: str, source: str = "survey") -> SurveyFile:
    """Read a survey file.

    Parameters
    ----------
    text : str
        YAML.
    source : str
        What the file is called, for errors.

    Returns
    -------
    SurveyFile

    Raises
    ------
    SurveyFileError
        With every mistake in the file, each by line and column.
    """
    document = parse(text, source)
    reader = _Reader(document)
    survey = reader.survey()
    if reader.mistakes or survey is None:
        raise SurveyFileError(source, reader.mistakes)
    return SurveyFile(survey, tuple(sorted(reader.notes)))


class _Reader:
    """Collects mistakes while a document is turned into a survey."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.mistakes = list(document.mistakes)
        self.notes: list[Mistake] = []

    def complain(self, path: Path, message: str, *, at_key: bool = False) -> None:
        self.mistakes.append(self.document.mistake(path, message, at_key=at_key))

    def survey(self) -> Survey | None:
        """Read the whole document; None where too much is missing."""
        value = self.document.value
        fields = self._fields(SurveyFields, value, ())
        if not isinstance(value, dict):
            return None
        for key in ("version", "survey", "title", "questions"):
            if key not in value:
                self.complain((), f"expected the key {key!r}, found none")
        if fields.questions == []:
            self.complain(("questions",), "expected at least one question, found none")
        drafts = self._questions(fields.questions or [])
        self._own_channels(drafts)
        promised = self._spend(fields, drafts, value)
        if self.mistakes or fields.survey is None or fields.title is None:
            return None
        return Survey(
            slug=fields.survey,
            title=fields.title,
            introduction=fields.introduction or "",
            epsilon_millionths=promised,
            questions=tuple(draft.question for draft in drafts),
            items=tuple(
                item
                for draft in drafts
                for item in compile_items(draft.question, draft.channels or [])
            ),
        )

    def _fields(self, model: type[Fields], value: Any, path: Path) -> Fields:
        """Read each key by itself: those with a mistake are complained of and left out."""
        if not isinstance(value, dict):
            self.complain(path, f"expected keys and values, found {describe(value)}")
            return model()
        try:
            return model.model_validate(value)
        except ValidationError as invalid:
            for error in invalid.errors(include_url=False):
                self._complain_of(model, dict(error), path)
            wrong = {error["loc"][0] for error in invalid.errors()}
        return model.model_validate({key: value[key] for key in value if key not in wrong})

    def _complain_of(self, model: type[BaseModel], error: dict[str, Any], path: Path) -> None:
        """Say in plain words what a field's own check found."""
        key = str(error["loc"][0])
        if error["type"] == "extra_forbidden":
            near = get_close_matches(key, model.model_fields, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"expected {_list(model.model_fields)}"
            self.complain((*path, key), f"unknown key {key!r}: {hint}", at_key=True)
        elif error["type"] == "value_error":
            self.complain((*path, key), str(error["ctx"]["error"]))
        else:
            expected = EXPECTED.get(key, "another kind of value")
            found = describe(error["input"])
            self.complain((*path, *error["loc"]), f"expected {expected}, found {found}")

    def _questions(self, entries: list[Any]) -> list[_Draft]:
        """Read every question that can be read."""
        drafts: list[_Draft] = []
        lines: dict[str, int] = {}
        for place, entry in enumerate(entries):
            path: Path = ("questions", place)
            fields = self._fields(QuestionFields, entry, path)
            if not isinstance(entry, dict):
                continue
            if fields.id is not None and fields.id in lines:
                first = lines[fields.id]
                message = f"the id {fields.id!r} is taken by the question on line {first}"
                self.complain((*path, "id"), message)
            elif fields.id is not None:
                lines[fields.id] = self.document.line((*path, "id"))

            def complain(key: str, message: str, path: Path = path) -> None:
                self.complain((*path, key) if key else path, message)

            question = read_question(fields, frozenset(entry), complain)
            if question is not None:
                drafts.append(_Draft(path, fields, question))
        count = sum(len(draft.question.parts) for draft in drafts)
        if count > MAX_ITEMS:
            message = f"expected at most {MAX_ITEMS} items (options and rows), found {count}"
            self.complain(("questions",), message)
        return drafts

    def _own_channels(self, drafts: list[_Draft]) -> None:
        """Build the channels of the questions that say themselves what they cost."""
        for draft in drafts:
            fields, question = draft.fields, draft.question
            if question.protection is Protection.DIRECT:
                continue
            key = "flip" if fields.flip is not None else "design" if fields.design else "epsilon"
            try:
                channel = self._own_channel(fields, question)
            except (ValueError, TypeError) as mistake:
                self.complain((*draft.path, key), str(mistake))
                continue
            if channel is not None:
                draft.channels = [channel] * len(question.parts)

    def _own_channel(self, fields: QuestionFields, question: Question) -> Channel | None:
        """Return the channel of each item of a question; None if the survey's ε decides it."""
        answers, items = len(question.truths), len(question.parts)
        if fields.flip is not None:
            flip = designs.flip_probability(fields.flip, answers)
            channel = designs.k_ary(answers, keep=1 - flip)
        elif fields.epsilon is not None:
            asked = exact.MILLION * fields.epsilon // items
            if not asked:
                raise ValueError(f"expected an epsilon of at least 0.000001 for each of {items}")
            channel = budget.spend(asked, answers)
        elif fields.design is not None:
            if len(fields.design) != 1:
                raise ValueError(f"expected one design, found {len(fields.design)}")
            ((name, parameters),) = fields.design.items()
            channel = designs.from_name(name, parameters, answers)
        else:
            return None
        reports = name_reports(question.truths, channel)
        designs.refuse_for_collection(channel, [report.text for report in reports])
        return channel

    def _spend(self, fields: SurveyFields, drafts: list[_Draft], value: dict[str, Any]) -> int:
        """Charge the questions with a cost of their own, share out the rest; return the promise."""
        sharing = [draft for draft in drafts if draft.shares]
        charged = sum(_cost(draft) for draft in drafts if not draft.shares)
        if fields.epsilon is None:
            for draft in sharing if "epsilon" not in value else ():
                self.complain(
                    draft.path,
                    f"question {draft.question.id!r} has no flip, epsilon or design, and the "
                    "survey has no epsilon to share: expected one of them",
                )
            return charged
        total = int(exact.MILLION * fields.epsilon)
        if charged > total:
            self.complain(
                ("epsilon",),
                f"the budget is overspent: the questions with a flip, epsilon or design of their "
                f"own cost {charged / exact.MILLION}, found an epsilon of {float(fields.epsilon)}",
            )
        elif sharing:
            self._share(total - charged, fields.split or "equal", sharing)
        return total

    def _share(self, left: int, split: str, sharing: Sequence[_Draft]) -> None:
        """Share out what is left of the budget."""
        if split == "equal":
            for draft in sharing:
                if draft.fields.weight is not None:
                    message = "this weight has no effect: the survey's split is equal"
                    note = self.document.mistake((*draft.path, "weight"), message)
                    self.notes.append(note)
            weights = [Fraction(1)] * len(sharing)
        else:
            weights = [draft.fields.weight or Fraction(1) for draft in sharing]
        items = [len(draft.question.parts) for draft in sharing]
        for draft, each in zip(sharing, budget.share(left, weights, items), strict=True):
            try:
                channel = budget.spend(each, len(draft.question.truths))
            except ValueError as mistake:
                self.complain(
                    draft.path,
                    f"question {draft.question.id!r} is left with an epsilon of "
                    f"{each / exact.MILLION} an item, too little to ask it: {mistake}",
                )
            else:
                draft.channels = [channel] * len(draft.question.parts)


def _cost(draft: _Draft) -> int:
    """ε of a question's items in millionths, as far as its channels are known."""
    return sum(channel.epsilon_millionths or 0 for channel in draft.channels or [])


def _list(names: Any) -> str:
    return ", ".join(sorted(names))
