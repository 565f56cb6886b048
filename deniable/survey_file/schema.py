"""The keys of a survey file, each with the type of its value.

Every field is optional here, so that a mistake in one never hides a mistake in another. `required`
lists the keys that must be present, and `rules` has the rules between fields.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    WithJsonSchema,
    create_model,
)

from deniable import designs
from deniable.designs import families
from deniable.survey import MAX_BATCH
from deniable.survey.about import LINKED, MAX_MINUTES
from deniable.survey.waves import OTHERS
from deniable.survey_file.meanings import KEYS, explain
from deniable.survey_file.values import (
    TEXT_SCHEMA,
    TYPES,
    Choices,
    Code,
    Colour,
    Conditions,
    Count,
    Day,
    Design,
    Known,
    Languages,
    Link,
    Logo,
    NonBlank,
    Number,
    Panel,
    Points,
    Positive,
    Reach,
    Results,
    SameFact,
    Sentence,
    Sentences,
    Site,
    Text,
    Title,
    Together,
    TrueOrFalse,
    TwoShares,
    Type,
    with_link,
)
from deniable.text.languages import Say, in_english


def config(title: str, *required: str) -> ConfigDict:
    """Return the common configuration of the models, with the keys that must be present."""
    return ConfigDict(extra="forbid", title=title, json_schema_extra={"required": [*required]})


class QuestionFields(BaseModel):
    """The keys of a question."""

    model_config = config("Question", "id", "text", "type")

    id: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")] | None = None
    text: Text | None = None
    hint: Text | None = None
    type: Type | None = None
    answers: Choices | None = None
    rows: Choices | None = None
    min: Number | None = None
    max: Number | None = None
    step: Positive | None = None
    levels: Count | None = None
    ask: Count | None = None
    order: Literal["random"] | None = None
    prefer_not_to_say: TrueOrFalse | None = None
    style: Literal["statement"] | None = None
    statements: Choices | None = None
    known: Known | None = None
    yes: Code | None = None
    ask_if: Conditions | None = None
    protection: Literal["randomised", "direct"] | None = None
    weight: Positive | None = None
    flip: Number | None = None
    epsilon: Positive | None = None
    design: Design | None = None
    family: Literal[tuple(families.NUMBERS)] | None = (  # type: ignore[valid-type]
        None
    )


class WavesFields(BaseModel):
    """The keys of `waves`."""

    model_config = config("Waves", "count")

    count: Count | None = None
    people: Literal["same", "others"] | None = None
    redraw: Number | None = None

    @property
    def same_people(self) -> bool:
        """Whether the same people answer all waves; so they do unless others are asked for."""
        return self.people != OTHERS


class PlanFields(BaseModel):
    """The keys of `plan`: the expectations and aims of a study."""

    model_config = config("Plan")

    people: Count | None = None
    within: Reach | None = None
    within_of: dict[str, Positive] | None = None
    applies: dict[str, Points] | None = None
    one: Annotated[Points, Field(gt=50)] | None = None
    all: Annotated[Points, Field(gt=50)] | None = None
    groups: TwoShares | None = None
    until: Day | None = None
    margins: dict[str, dict[str, Points]] | None = None
    columns: str | None = None
    hide_below: Annotated[int, Field(ge=5, le=1000)] | None = None

    @property
    def population(self) -> dict[str, dict[str, float]]:
        """The margins as parts of 1."""
        return {
            name: {answer: float(one / sum(percents.values())) for answer, one in percents.items()}
            for name, percents in (self.margins or {}).items()
        }

    @property
    def applied(self) -> dict[str, float]:
        """The shares of people to whom questions apply, as parts of 1."""
        return {id: float(share / 100) for id, share in (self.applies or {}).items()}

    def aims(self, say: Say = in_english) -> dict[str, str]:
        """Return the study's aims of precision and protection in words, by key."""
        found = {}
        if self.within:
            width = float(self.within)
            found["within"] = say("intervals of ±{width} points at most", width=width)
        for id, own in (self.within_of or {}).items():
            found[f"within_of.{id}"] = f"{id}: ±{float(own):g}"
        if self.one:
            one = float(self.one)
            found["one"] = say("nobody surer than {one} in 100 of one answer", one=one)
        if self.all:
            found["all"] = say("nobody surer than {all} in 100 of all answers", all=float(self.all))
        if self.groups:
            first, second = map(float, self.groups)
            found["groups"] = say(
                "two groups told apart in which {first} % and {second} % say yes",
                first=first,
                second=second,
            )
        return found


_BLANKS: Final = (key.partition(".") for key in KEYS if key.startswith("packet."))
_TEXTS: Any = {key: (NonBlank | None, None) for _, _, key in _BLANKS}
PacketFields: type[BaseModel] = create_model("Packet", __config__=config("Packet"), **_TEXTS)
"""The keys of `packet`: the blanks of `publication.board.blanks`."""


class LinkedFields(BaseModel):
    """The keys of a text with a link: `contact`, `help` and `complaints`."""

    model_config = config("Linked", "text")

    text: Sentence | None = None
    link: Link | None = None


Linked: TypeAlias = Annotated[LinkedFields, BeforeValidator(with_link)]


Split: TypeAlias = Literal["equal", "weight", "even", "optimal"]


# A new key also needs its meaning in `meanings.KEYS`. What devices have to know is a field of
# `Survey`, filled in `compiler._survey`, written in `Survey.document`, read in `reading`. A text
# about the survey is a field of `About` with the name of its key, and no more; it is in each
# language if it is in `about.TEXTS`, and can be corrected if it is in `wordings.ABOUT`.
class SurveyFields(BaseModel):
    """The keys of a survey file."""

    model_config = config("deniable survey", "version", "survey", "title", "questions")

    version: Annotated[Literal["1"], WithJsonSchema({"const": 1})] | None = None
    survey: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")] | None = None
    title: Title | None = None
    introduction: Sentences | None = None
    purpose: Sentence | None = None
    minutes: Annotated[Count, Field(le=MAX_MINUTES)] | None = None
    organisation: Sentence | None = None
    contact: Linked | None = None
    help: Linked | None = None
    complaints: Linked | None = None
    approval: Sentence | None = None
    results: Results | None = None
    delete_reports: Day | None = None
    panel: Panel | None = None
    logo: Logo | None = None
    colour: Colour | None = None
    consent: Sentences | None = None
    epsilon: Positive | None = None
    split: Split | None = None
    ask: Count | None = None
    together: Together | None = None
    chances: dict[str, Count] | None = None
    same_fact: SameFact | None = None
    order: Literal["random"] | None = None
    branch: Literal["hidden"] | None = None
    exit: Site | None = None
    pages: Literal["one", "each"] | None = None
    waves: WavesFields | None = None
    plan: PlanFields | None = None
    packet: PacketFields | None = None  # type: ignore[valid-type]  # made of the list of blanks
    # `texts` reads this key before all others; it is here for the schema and the list of keys.
    languages: Languages | None = None
    comprehension: TrueOrFalse | None = None
    skip: TrueOrFalse | None = None
    advance: Literal["auto"] | None = None
    address: Literal["named"] | None = None
    batch: Annotated[Count, Field(le=MAX_BATCH)] | None = None
    questions: list[QuestionFields] | None = None


PARTS: Final[dict[str, type[BaseModel]]] = {
    "questions": QuestionFields,
    "waves": WavesFields,
    "plan": PlanFields,
    "packet": PacketFields,
    **dict.fromkeys(LINKED, LinkedFields),
}
"""The keys of a survey that have keys of their own."""

EXPECTED: Final = {
    "id": "a lower-case letter, then letters, digits and _ (64 at most)",
    "survey": "lower-case letters, digits and - (64 at most)",
    "type": TYPES,
    "protection": "randomised or direct",
    "split": "equal, weight, even or optimal",
    "pages": "one (for all questions) or each (question on its own)",
    "advance": "auto, or no 'advance' to go on by a button alone",
    "address": "named, or no 'address' for one that does not tell the topic",
    "order": "random, or no 'order' for the order in the file",
    "chances": "whole numbers by what is drawn, such as {doped: 3, offered.epo: 1}",
    "margins": "percentages by question and answer, such as {ward: {surgery: 60, medicine: 40}}",
    "within_of": "a ± by question, such as {doped: 3}",
    "applies": "percentages by question, such as {nights: 40}",
    "branch": "hidden, or no 'branch' to show follow-ups to everybody",
    "same_fact": "ids of questions, such as [drank, drank_again]",
    "style": "statement, or no 'style' for a question with its answers",
    "ask_if": "earlier questions with the answers that this one needs, such as {doped: yes}",
    "version": "1",
    "count": "a whole number of waves",
    "minutes": f"1 to {MAX_MINUTES} minutes",
    "batch": f"1 to {MAX_BATCH} reports",
    **dict.fromkeys(("one", "all"), "above 50, which somebody thought before, and below 100"),
    "redraw": "a probability such as 1/10, or 0",
    "people": "same or others",
    "questions": "a list of questions",
    "columns": "columns by their names, such as {doped: {flip: 1/4}}; in a plan direct questions "
    'as a text, such as "sex,age:18-39+40-80"',
    "hide_below": "5 to 1000 people",
    "reports": "a list of what the column holds, in the order of the design's reports",
    "family": f"a family of designs: {', '.join(families.NUMBERS)}",
    "design": f"a design by name with its parameters: {', '.join(designs.BY_NAME)}",
}
"""What a field expects, in words for errors, where its type alone is not clear."""


def required(model: type[BaseModel]) -> list[str]:
    """Return the keys that a part of a survey file must have."""
    extra: Any = model.model_config["json_schema_extra"]
    return [*extra["required"]]


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a survey file, for completion and checks in editors."""
    schema = SurveyFields.model_json_schema()
    del schema["$defs"]
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    for key, part in PARTS.items():
        own: dict[str, Any] = part.model_json_schema()
        if part is QuestionFields:
            own = {"type": "array", "minItems": 1, "items": own}
        if part is LinkedFields:
            own = {"anyOf": [TEXT_SCHEMA, own]}
        schema["properties"][key] = own
    explain(schema)
    return schema
