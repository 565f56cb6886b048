"""From the text of a survey file to a survey: read everything, complain of everything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from deniable.survey import BATCH, MAX_BATCH, Survey
from deniable.survey.about import MAX_MINUTES, About
from deniable.survey.checks import tells_who_follows
from deniable.survey.items import Item, compile_items
from deniable.survey.questions import Pages, Protection
from deniable.survey.waves import COLUMN
from deniable.survey_file.branching import read_conditions
from deniable.survey_file.located import Complaints, Document, Mistake, SurveyFileError, parse
from deniable.survey_file.panel import check_waves, in_waves
from deniable.survey_file.rules import MAX_ITEMS, branch, read_family, read_question
from deniable.survey_file.schema import (
    EXPECTED,
    MISSING,
    READ_APART,
    LinkedFields,
    PacketFields,
    PlanFields,
    QuestionFields,
    SurveyFields,
    WavesFields,
    required,
)
from deniable.survey_file.spending import Draft, Spending, spend
from deniable.survey_file.texts import divide, note_the_same
from deniable.survey_file.together import read_groups
from deniable.survey_file.values import describe
from deniable.text.near import meant
from deniable.text.safety import printable

Fields = TypeVar("Fields", bound=BaseModel)


@dataclass(frozen=True)
class SurveyFile:
    """What a survey file says.

    `notes`: what is no mistake, but perhaps not what was meant. `sharing`: the ids of the questions
    that share the survey's ε. `split`: how they share it: ``"equal"``, ``"weight"``, ``"even"`` or
    ``"optimal"``. `plan`: what the study expects, which no document holds. `text`, `source`: what
    it was read from.
    """

    survey: Survey
    notes: tuple[Mistake, ...]
    sharing: tuple[str, ...]
    split: str
    plan: PlanFields
    text: str = field(repr=False)
    source: str

    def asking_everybody(self) -> Survey:
        """Compile the same questions as if all of them applied to everybody."""
        questions = parse(self.text, self.source).value["questions"]
        without = [
            {key: value for key, value in question.items() if key != "ask_if"}
            for question in questions
        ]
        return _read(self.text, self.source, {"questions": without}).survey

    def under(self, split: str = "equal", ask: int | None = None) -> Survey:
        """Compile the same questions as if the survey's `split` and `ask` were others."""
        return _read(self.text, self.source, {"split": split, "ask": ask, "chances": None}).survey


def read(text: str, source: str = "survey") -> SurveyFile:
    """Read a survey file, or raise a `SurveyFileError` with every mistake in it.

    `text`: YAML. `source`: what the file is called, for errors.
    """
    return _read(text, source, {})


@lru_cache(maxsize=256)
def plan_of(text: str) -> PlanFields:
    """Return what the study of a survey file expects: as much as can be read of it."""
    return _apart_in(text, "plan", PlanFields)


@lru_cache(maxsize=256)
def packet_of(text: str) -> BaseModel:
    """Return what a survey file fills into the ethics packet: as much as can be read of it."""
    found: BaseModel = _apart_in(text, "packet", PacketFields)
    return found


def _apart_in(text: str, key: str, fields: type[Fields]) -> Fields:
    try:
        document = parse(text, "survey")
    except SurveyFileError:
        return fields()
    return _apart(document.value, key, fields, Complaints(document))


def _apart(survey: Any, key: str, fields: type[Fields], complaints: Complaints) -> Fields:
    """Read a key that no document holds."""
    if not isinstance(survey, dict) or key not in survey:
        return fields()
    return fields_of(fields, survey[key], complaints.at(key))


def _read(text: str, source: str, instead: Mapping[str, Any]) -> SurveyFile:
    """Read a survey file, with some keys of the survey replaced."""
    document = parse(text, source)
    complaints = Complaints(document)
    if complaints.has("columns") and not complaints.has("questions"):
        complaints.at("columns").add(
            "expected a survey with the key 'questions', found the key 'columns' of a data "
            "dictionary, which comes after its data file",
            at_key=True,
        )
        raise SurveyFileError(source, complaints.mistakes)
    compiled = _survey(document, instead, complaints)
    plan = _apart(document.value, "plan", PlanFields, complaints)
    _apart(document.value, "packet", PacketFields, complaints)
    if complaints.mistakes or compiled is None:
        raise SurveyFileError(source, complaints.mistakes)
    survey, spending = compiled
    notes = tuple(sorted(complaints.notes))
    return SurveyFile(survey, notes, spending.sharing, spending.split, plan, text, source)


def _survey(
    document: Document, instead: Mapping[str, Any], complaints: Complaints
) -> tuple[Survey, Spending] | None:
    """Read the whole document; None where too much is missing."""
    texts = divide(document, complaints)
    note_the_same(texts, complaints)
    fields = fields_of(SurveyFields, texts.value, complaints).model_copy(update=instead)
    if not isinstance(texts.value, dict):
        return None
    if fields.questions == []:
        complaints.at("questions").add("expected at least one question, found none")
    drafts = _drafts(fields.questions or [], complaints.at("questions"))
    groups = read_groups(fields, drafts, complaints) if fields.together else []
    spending = spend(fields, drafts, groups, complaints, frozenset(texts.value))
    _check_branching(fields, drafts, complaints)
    _check_spinners(fields, drafts)
    check_controls(drafts)
    waves = _waves(fields, drafts, complaints) if complaints.has("waves") else None
    items: Iterable[Item] = chain.from_iterable(map(_items, drafts))
    if waves is not None:
        items = in_waves(items, waves[1], complaints.at("waves"))
    items = tuple(items)
    title, introduction = fields.title or "", fields.introduction or ""
    about = _about(fields, complaints)
    placed = [(draft.complaints.place, draft.question) for draft in drafts]
    translations = texts.translations(title, introduction, about, placed, complaints)
    _check_fields(fields, drafts, complaints)
    if complaints.mistakes or fields.survey is None:
        return None
    survey = Survey(
        slug=fields.survey,
        title=title,
        introduction=introduction,
        epsilon_millionths=spending.promised,
        questions=tuple(draft.question for draft in drafts),
        items=items,
        ask=spending.ask,
        pages=None if fields.pages is None else Pages(fields.pages),
        shuffled=fields.order is not None,
        hides_branch=fields.branch is not None,
        exit=fields.exit,
        waves=None if waves is None else waves[0],
        languages=texts.languages,
        translations=translations,
        comprehension=bool(fields.comprehension),
        is_named=fields.address is not None,
        batch=fields.batch or BATCH,
        about=about,
        before=(),
    )
    return survey, spending


def _check_fields(fields: SurveyFields, drafts: list[Draft], complaints: Complaints) -> None:
    if fields.batch is not None and fields.batch > MAX_BATCH:
        complaints.at("batch").add(f"expected 1 to {MAX_BATCH} reports, found {fields.batch}")
    if fields.comprehension and drafts and not any(map(_is_randomised, drafts)):
        complaints.at("comprehension").add(
            "every question is direct, so there is no protection to ask about: leave it out"
        )


def _items(draft: Draft) -> tuple[Item, ...]:
    """Compile a question whose channels are known."""
    if draft.channels is None and _is_randomised(draft):
        return ()
    return compile_items(draft.question, draft.channels or [], draft.group)


def _about(fields: SurveyFields, complaints: Complaints) -> About:
    """Read what a survey says of itself."""
    contact = _linked(fields.contact, complaints.at("contact"))
    helpline = _linked(fields.help, complaints.at("help"))
    minutes = fields.minutes or 0
    if minutes > MAX_MINUTES:
        complaints.at("minutes").add(f"expected 1 to {MAX_MINUTES} minutes, found {minutes}")
        minutes = 0
    plain = ("organisation", "purpose", "consent", "results")
    return About(
        **{key: printable(getattr(fields, key) or "") for key in plain},
        contact=printable(contact.text or ""),
        contact_link=contact.link or "",
        minutes=minutes,
        help=printable(helpline.text or ""),
        help_link=helpline.link or "",
        delete_reports=fields.delete_reports or "",
        panel=fields.panel or "",
        logo=fields.logo or "",
        colour=fields.colour or "",
    )


def _linked(value: Any, complaints: Complaints) -> LinkedFields:
    """Read a text, or a text with a link."""
    if value is None:
        return LinkedFields()
    if not isinstance(value, dict):
        return fields_of(LinkedFields, {"text": value}, complaints)
    found = fields_of(LinkedFields, value, complaints)
    return found if found.text else LinkedFields()


def fields_of(model: type[Fields], value: Any, complaints: Complaints) -> Fields:
    """Read each key by itself: those with a mistake are complained of and left out."""
    if not isinstance(value, dict):
        complaints.add(f"expected keys and values, found {describe(value)}")
        return model()
    for key in required(model):
        if key not in value:
            complaints.at(key).add(MISSING.get(key, f"expected the key {key!r}, found none"))
    for key in value.keys() & model.model_fields.keys() - READ_APART:
        if value[key] is None:
            complaints.at(key).add(f"expected a value for {key!r}, found nothing")
    try:
        return model.model_validate(value)
    except ValidationError as invalid:
        for error in invalid.errors(include_url=False):
            _complain_of(model, dict(error), complaints)
        wrong = {error["loc"][0] for error in invalid.errors()}
    return model.model_validate({key: value[key] for key in value if key not in wrong})


def _complain_of(model: type[BaseModel], error: dict[str, Any], complaints: Complaints) -> None:
    """Say in plain words what a field's own check found."""
    key = str(error["loc"][0])
    if error["type"] == "extra_forbidden":
        hint = meant(key, sorted(model.model_fields), "expected")
        complaints.at(key).add(f"unknown key {key!r}: {hint}", at_key=True)
    elif error["type"] == "value_error":
        listed = error["input"] if key in ("answers", "rows", "statements") else ()
        pairs = listed.items() if isinstance(listed, dict) else enumerate([*(listed or ())])
        empty = [step for step, one in pairs if not str(one or "").strip()]
        complaints.at(*error["loc"], *empty[:1]).add(str(error["ctx"]["error"]))
    else:
        expected = EXPECTED.get(key, "another kind of value")
        found = describe(error["input"])
        complaints.at(*error["loc"]).add(f"expected {expected}, found {found}")


def _drafts(entries: list[Any], complaints: Complaints) -> list[Draft]:
    """Read every question that can be read."""
    drafts: list[Draft] = []
    lines: dict[str, int] = {}
    for place, entry in enumerate(entries):
        here = complaints.at(place)
        fields = fields_of(QuestionFields, entry, here)
        if not isinstance(entry, dict):
            continue
        if fields.id is not None and fields.id in lines:
            first = lines[fields.id]
            said = f"expected an id of its own, found that of an earlier question: line {first}"
            here.at("id").add(said)
        elif fields.id is not None:
            lines[fields.id] = here.at("id").line
        question = read_question(fields, frozenset(entry), here)
        if question is not None and fields.ask_if is not None:
            earlier = [draft.question for draft in drafts]
            unread = {str(one.get("id")) for one in entries[:place] if isinstance(one, dict)}
            unread -= {one.id for one in earlier}
            at = here.at("ask_if")
            conditions = read_conditions(fields.ask_if, question, earlier, at, unread)
            question = branch(question, conditions, here)
        if question is not None:
            drafts.append(Draft(here, fields, question, read_family(fields, question, here)))
            if fields.ask == len(question.parts):
                here.at("ask").note(
                    "'ask' has no effect: there are no more options or rows than that"
                )
    count = sum(len(draft.question.parts) for draft in drafts)
    if count > MAX_ITEMS:
        complaints.add(f"expected at most {MAX_ITEMS} items (options and rows), found {count}")
    return drafts


def _check_branching(fields: SurveyFields, drafts: list[Draft], complaints: Complaints) -> None:
    """Complain of questions that might come before, or without, the answers that they need."""
    drawn = {draft.question.id for draft in drafts if draft.question.ask is not None}
    owners = {id: draft.question.id for draft in drafts for id, _ in draft.question.parts}
    for draft in drafts:
        question, here = draft.question, draft.complaints.at("ask_if")
        if not question.ask_if:
            continue
        if fields.order is not None:
            complaints.at("order").add(
                "in a random order, a question could come before an answer that it needs: leave "
                f"order out, or the ask_if on line {here.line}"
            )
        if question.id in drawn:
            here.add(
                f"ask draws at random whether {question.id!r} is asked, or which part of it: "
                "expected ask or ask_if, not both",
                at_key=True,
            )
        for condition in question.ask_if:
            if owners.get(condition.item) in drawn:
                here.at(condition.item).add(
                    f"ask draws at random whether {condition.item!r} is asked, so there might be "
                    "no answer to it",
                    at_key=True,
                )


def _check_spinners(fields: SurveyFields, drafts: list[Draft]) -> None:
    """Complain of statements where no spinner could make the chance, and leave them out."""
    for draft in drafts:
        if not draft.question.statements:
            continue
        here = draft.complaints
        if fields.waves is not None:
            here.at("style").add(
                "with waves, a device answers from what it keeps, and a spinner is turned once: "
                "leave 'style' or 'waves' out"
            )
        elif any(not channel.is_symmetric for channel in draft.channels or ()):
            here.at("design").add(
                "expected a design that flips both answers alike, such as flip: 1/4, because a "
                "spinner does with 'style: statement'"
            )
        else:
            continue
        draft.question = replace(draft.question, statements=())


def check_controls(drafts: Sequence[Draft]) -> None:
    """Complain of known shares that cannot tell who follows the design, and leave them out."""
    for draft in drafts:
        known, channels = draft.question.known, draft.channels or ()
        if known and not all(tells_who_follows(channel, known) for channel in channels):
            draft.complaints.at("known").add(
                "with these shares, people who follow the instructions send the same reports as "
                "people who report at random: expected others, far from equal ones"
            )
            draft.question = replace(draft.question, known=())


def _waves(
    fields: SurveyFields, drafts: list[Draft], complaints: Complaints
) -> tuple[int, Fraction] | None:
    """Read how often a survey is asked and how likely it redraws; complain of what forbids it."""
    for draft in drafts:
        if draft.question.id == COLUMN:
            draft.complaints.at("id").add(
                f"the id {COLUMN!r} is taken by the number of the wave: expected another id"
            )
    here = complaints.at("waves")
    return check_waves(fields_of(WavesFields, fields.waves, here), here)


def _is_randomised(draft: Draft) -> bool:
    return draft.question.protection is Protection.RANDOMISED
