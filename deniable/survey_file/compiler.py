"""From the text of a survey file to a survey: read everything, complain of everything, then spend.

Questions with an ε, a flip probability or a design of their own are charged first; what is left of
the survey's ε is shared over the rest, or over those of the rest that a respondent is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from pydantic import BaseModel, ValidationError

from deniable import budget, designs, exact
from deniable.channel import Channel
from deniable.designs.families import Family
from deniable.survey import (
    Ask,
    Condition,
    Item,
    Pages,
    Protection,
    Question,
    QuestionType,
    Survey,
    compile_items,
    name_reports,
)
from deniable.survey_file.branching import read_conditions
from deniable.survey_file.located import Document, Mistake, Path, SurveyFileError, parse
from deniable.survey_file.panel import (
    NO_REDRAW,
    check_waves,
    in_waves,
    last_question,
    reserved,
)
from deniable.survey_file.rules import MAX_ITEMS, branch, read_family, read_question
from deniable.survey_file.schema import (
    EXPECTED,
    QuestionFields,
    SurveyFields,
    WavesFields,
    describe,
)
from deniable.survey_file.texts import divide

Fields = TypeVar("Fields", bound=BaseModel)


@dataclass(frozen=True)
class SurveyFile:
    """What a survey file says.

    Parameters
    ----------
    survey : Survey
    notes : tuple of Mistake
        What is no mistake, but perhaps not what was meant.
    sharing : tuple of str
        The ids of the questions that share the survey's ε.
    split : str
        How they share it: ``"equal"``, ``"weight"`` or ``"optimal"``.
    text, source : str
        What it was read from.
    """

    survey: Survey
    notes: tuple[Mistake, ...]
    sharing: tuple[str, ...]
    split: str
    text: str = field(repr=False)
    source: str

    def asking_everybody(self) -> Survey:
        """Compile the same questions as if all of them applied to everybody.

        Raises
        ------
        SurveyFileError
            If a question's design is for as many answers as it has with "does not apply".
        """
        questions = parse(self.text, self.source).value["questions"]
        without = [
            {key: value for key, value in question.items() if key != "ask_if"}
            for question in questions
        ]
        return _read(self.text, self.source, {"questions": without}).survey

    def under(self, split: str = "equal", ask: int | None = None) -> Survey:
        """Compile the same questions as if the survey's `split` and `ask` were others.

        Raises
        ------
        SurveyFileError
            If the questions cannot share their ε so.
        """
        return _read(self.text, self.source, {"split": split, "ask": ask}).survey


@dataclass
class _Draft:
    """A question on its way: what it asks and what its items cost, as far as it is known."""

    path: Path
    fields: QuestionFields
    question: Question
    family: Family
    channels: list[Channel] | None = None

    @property
    def asked(self) -> int:
        """How many of its items each respondent is asked."""
        return self.question.ask or len(self.question.parts)

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
    return _read(text, source, {})


def _read(text: str, source: str, instead: Mapping[str, Any]) -> SurveyFile:
    """Read a survey file, with some keys of the survey replaced."""
    reader = _Reader(parse(text, source), instead)
    survey = reader.survey()
    if reader.mistakes or survey is None:
        raise SurveyFileError(source, reader.mistakes)
    notes = tuple(sorted(reader.notes))
    return SurveyFile(survey, notes, tuple(reader.sharing), reader.split, text, source)


class _Reader:
    """Collects mistakes while a document is turned into a survey."""

    def __init__(self, document: Document, instead: Mapping[str, Any]) -> None:
        self.document = document
        self.instead = instead
        self.sharing: list[str] = []
        self.split = "equal"
        self.mistakes = list(document.mistakes)
        self.notes: list[Mistake] = []

    def complain(self, path: Path, message: str, *, at_key: bool = False) -> None:
        self.mistakes.append(self.document.mistake(path, message, at_key=at_key))

    def note(self, path: Path, message: str) -> None:
        self.notes.append(self.document.mistake(path, message))

    def survey(self) -> Survey | None:
        """Read the whole document; None where too much is missing."""
        written = divide(self.document, self.complain)
        value = written.value
        for path in written.same:
            self.note(path, f"this text is the same in {', '.join(written.languages)}")
        fields = self._fields(SurveyFields, value, ()).model_copy(update=self.instead)
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
        ask = self._ask(fields)
        self._check_branching(fields, drafts)
        waves = self._waves(fields, drafts, value)
        questions = [draft.question for draft in drafts]
        items = [
            item
            for draft in drafts
            if draft.channels or draft.question.protection is Protection.DIRECT
            for item in compile_items(draft.question, draft.channels or [])
        ]
        if waves is not None:
            items = self._in_waves(items, waves[1])
            question, last = last_question(waves[0])
            questions.append(question)
            items += last
        title, introduction = fields.title or "", fields.introduction or ""
        translations = written.translations(
            title, introduction, [(draft.path, draft.question) for draft in drafts], self.complain
        )
        self._check_comprehension(fields, drafts)
        if self.mistakes or fields.survey is None or fields.title is None:
            return None
        return Survey(
            slug=fields.survey,
            title=title,
            introduction=introduction,
            epsilon_millionths=promised,
            questions=tuple(questions),
            items=tuple(items),
            ask=None if ask is None else Ask(ask, tuple(self.sharing)),
            pages=None if fields.pages is None else Pages(fields.pages),
            shuffled=fields.order is not None,
            exit=fields.exit,
            waves=None if waves is None else waves[0],
            languages=written.languages,
            translations=translations,
            comprehension=bool(fields.comprehension),
        )

    def _waves(
        self, fields: SurveyFields, drafts: list[_Draft], value: dict[str, Any]
    ) -> tuple[int, Fraction] | None:
        """Read how often the survey is asked, if it is asked again; complain of what forbids it."""
        if "waves" not in value:
            return None
        if fields.ask is not None:
            message = "with waves everybody is asked everything: leave 'ask' or 'waves' out"
            self.complain(("ask",), message)
        for draft in drafts:
            if draft.question.ask is not None:
                message = "with waves all options and rows are asked: leave 'ask' or 'waves' out"
                self.complain((*draft.path, "ask"), message)
            taken = reserved(draft.question.id)
            if taken is not None:
                self.complain((*draft.path, "id"), taken)
        found = self._fields(WavesFields, fields.waves, ("waves",))
        if not isinstance(fields.waves, dict):
            return None
        return check_waves(found, fields.waves, self._complain_of_waves)

    def _in_waves(self, items: list[Item], redraw: Fraction) -> list[Item]:
        """Ask items in waves."""
        if not redraw:
            self.note(("waves", "redraw"), NO_REDRAW)
        return list(in_waves(items, redraw, self._complain_of_waves))

    def _complain_of_waves(self, key: str, message: str) -> None:
        self.complain(("waves", key) if key else ("waves",), message)

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
            if question is not None and fields.ask_if is not None:
                earlier = [draft.question for draft in drafts]
                conditions = self._conditions(path, fields.ask_if, question, earlier)
                question = branch(question, conditions, complain)
            if question is not None:
                family = read_family(fields, question, complain)
                drafts.append(_Draft(path, fields, question, family))
                if fields.ask == len(question.parts):
                    self.note((*path, "ask"), "this ask has no effect: it is all that there are")
        count = sum(len(draft.question.parts) for draft in drafts)
        if count > MAX_ITEMS:
            message = f"expected at most {MAX_ITEMS} items (options and rows), found {count}"
            self.complain(("questions",), message)
        return drafts

    def _conditions(
        self,
        path: Path,
        written: Mapping[str, Any],
        question: Question,
        earlier: Sequence[Question],
    ) -> tuple[Condition, ...]:
        """Read what a question needs, each mistake where it stands."""

        def complain(below: Path, message: str, *, at_key: bool = False) -> None:
            self.complain((*path, "ask_if", *below), message, at_key=at_key)

        return read_conditions(written, question, earlier, complain)

    def _check_branching(self, fields: SurveyFields, drafts: list[_Draft]) -> None:
        """Complain of questions that might come before, or without, the answers that they need."""
        drawn = set(self.sharing) if self._ask(fields) is not None else set()
        drawn |= {draft.question.id for draft in drafts if draft.question.ask is not None}
        owners = {id: draft.question.id for draft in drafts for id, _ in draft.question.parts}
        for draft in drafts:
            question, path = draft.question, (*draft.path, "ask_if")
            if not question.ask_if:
                continue
            if fields.order is not None:
                line = self.document.line(path)
                self.complain(
                    ("order",),
                    "in a random order a question could come before an answer that it needs: "
                    f"leave it out, or the ask_if on line {line}",
                )
            if question.id in drawn:
                self.complain(
                    path,
                    f"chance draws whether {question.id!r} is asked, or what of it (ask): expected "
                    "that or ask_if, not both",
                    at_key=True,
                )
            for condition in question.ask_if:
                if owners.get(condition.item) in drawn:
                    self.complain(
                        (*path, condition.item),
                        f"chance draws whether {condition.item!r} is asked (ask), so that there "
                        "might be no answer to it",
                        at_key=True,
                    )

    def _own_channels(self, drafts: list[_Draft]) -> None:
        """Build the channels of the questions that say themselves what they cost."""
        for draft in drafts:
            fields, question = draft.fields, draft.question
            if question.protection is Protection.DIRECT:
                continue
            key = "flip" if fields.flip is not None else "design" if fields.design else "epsilon"
            try:
                channel = self._own_channel(draft)
            except (ValueError, TypeError) as mistake:
                self.complain((*draft.path, key), str(mistake))
                continue
            if channel is not None:
                draft.channels = [channel] * len(question.parts)

    def _own_channel(self, draft: _Draft) -> Channel | None:
        """Return the channel of each item of a question; None if the survey's ε decides it."""
        fields, question = draft.fields, draft.question
        answers = len(question.truths)
        if fields.flip is not None:
            flip = designs.flip_probability(fields.flip, answers)
            channel = designs.k_ary(answers, keep=1 - flip)
        elif fields.epsilon is not None:
            each = exact.MILLION * fields.epsilon // draft.asked
            if not each:
                raise ValueError(
                    f"expected an epsilon of at least 0.000001 for each of {draft.asked}"
                )
            channel = budget.spend(each, draft.family)
        elif fields.design is not None:
            if len(fields.design) != 1:
                raise ValueError(f"expected one design, found {len(fields.design)}")
            ((name, parameters),) = fields.design.items()
            channel = designs.from_name(name, parameters, answers)
        else:
            return None
        # What is a family's is possible whatever is true, and tells at least the mean of a number.
        if fields.epsilon is None and (channel.revealing_reports or not _tells(channel, question)):
            reports = name_reports(question.truths, channel)
            designs.refuse_for_collection(channel, [report.text for report in reports])
        return channel

    def _spend(self, fields: SurveyFields, drafts: list[_Draft], value: dict[str, Any]) -> int:
        """Charge the questions with a cost of their own, share out the rest; return the promise."""
        sharing = [draft for draft in drafts if draft.shares]
        charged = sum(_cost(draft) for draft in drafts if not draft.shares)
        self.sharing = [draft.question.id for draft in sharing]
        self.split = fields.split or "equal"
        if len(drafts) == len(fields.questions or []):
            self._check_ask(fields)
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
            self._share(total - charged, self._ask(fields), sharing)
        return total

    def _ask(self, fields: SurveyFields) -> int | None:
        """Return how many of the sharing questions each respondent is asked; None if all are."""
        if fields.ask is None or fields.ask >= len(self.sharing):
            return None
        return fields.ask

    def _check_ask(self, fields: SurveyFields) -> None:
        """Complain of a number of questions to ask that has no meaning, or has no effect."""
        count = len(self.sharing)
        if fields.ask is None:
            return
        if not count:
            self.complain(("ask",), "no question shares an epsilon, so there is none to draw from")
        elif fields.ask > count:
            self.complain(
                ("ask",),
                f"expected at most the {count} questions that share the survey's epsilon, "
                f"found {fields.ask}",
            )
        elif fields.ask == count:
            self.note(("ask",), f"this ask has no effect: {count} questions share the epsilon")
        elif self.split == "optimal":
            self.complain(
                ("split",), "expected equal or weight where only some of the questions are asked"
            )

    def _check_comprehension(self, fields: SurveyFields, drafts: list[_Draft]) -> None:
        """Complain of questions about a protection that nothing in the survey has."""
        direct = [draft.question.protection is Protection.DIRECT for draft in drafts]
        if fields.comprehension and direct and all(direct):
            self.complain(
                ("comprehension",),
                "every question is direct, so there is no chance to ask about: leave it out",
            )

    def _share(self, left: int, ask: int | None, sharing: Sequence[_Draft]) -> None:
        """Share out what is left of the budget."""
        if self.split == "equal":
            for draft in sharing:
                if draft.fields.weight is not None:
                    message = "this weight has no effect: the survey's split is equal"
                    self.note((*draft.path, "weight"), message)
            weights = [Fraction(1)] * len(sharing)
        else:
            weights = [draft.fields.weight or Fraction(1) for draft in sharing]
        if self.split == "optimal":
            shares = budget.optimal(
                left,
                [
                    budget.Claim(draft.family, len(draft.question.parts), draft.asked, weight)
                    for draft, weight in zip(sharing, weights, strict=True)
                ],
            )
        else:
            shares = budget.share(left, weights, [draft.asked for draft in sharing], ask)
        for draft, each in zip(sharing, shares, strict=True):
            try:
                channel = budget.spend(each, draft.family)
            except ValueError as mistake:
                self.complain(
                    draft.path,
                    f"question {draft.question.id!r} is left with an epsilon of "
                    f"{each / exact.MILLION} an item, too little to ask it: {mistake}",
                )
            else:
                draft.channels = [channel] * len(draft.question.parts)


def _tells(channel: Channel, question: Question) -> bool:
    """Whether the shares of the answers, or the mean of a number, can be estimated."""
    if channel.identifiable:
        return True
    if question.type is not QuestionType.NUMBER or question.truths != question.answers:
        return False
    # Whether the values, evenly spaced, are expectations of some numbers for the reports. Weights
    # are multiples of 2^-32, hence the tolerance: `deniable.analysis.estimator` has the same.
    values = np.linspace(0, 1, channel.truths)
    g = np.linalg.lstsq(channel.probabilities, values)[0]
    wrong = np.abs(channel.probabilities @ g - values).max()
    return bool(wrong <= 1e-7 * max(1, np.abs(g).max()))


def _cost(draft: _Draft) -> int:
    """ε of a question in millionths, all items alike, as far as its channels are known."""
    return sum(channel.epsilon_millionths or 0 for channel in (draft.channels or [])[: draft.asked])


def _list(names: Any) -> str:
    return ", ".join(sorted(names))
