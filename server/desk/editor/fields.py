"""The form's words for the fields of a survey file: labels, choices, help and places."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from deniable.survey.waves import OTHERS
from deniable.survey_file.located import Path
from deniable.survey_file.meanings import KEYS
from deniable.survey_file.patch import at

FIRST_PAGE: Final[dict[Path, tuple[str, str]]] = {
    ("title",): ("line", "Title"),
    ("survey",): ("line", "Its name in addresses and files"),
    ("purpose",): ("line", "Purpose, in one sentence: stands on top, the introduction then below"),
    ("introduction",): ("text", "Introduction"),
    ("organisation",): ("line", "Who asks"),
    ("contact", "text"): ("line", "Contact: what people read"),
    ("contact", "link"): ("line", "Contact: email address, telephone or https: link"),
    ("help", "text"): ("line", "Helpline: what people read"),
    ("help", "link"): ("line", "Helpline: telephone, email address or https: link"),
    ("complaints", "text"): ("line", "Complaints: what people read"),
    ("complaints", "link"): ("line", "Complaints: email address, telephone or https: link"),
    ("approval",): ("line", "Approved by: an ethics committee and its number"),
    ("minutes",): ("number", "Minutes that it takes"),
    ("consent",): ("text", "Consent that people have to give"),
    ("results",): ("line", "Results will stand here: an address, or a few words"),
    ("delete_reports",): ("date", "Day on which all reports are deleted"),
    ("logo",): ("logo", "Logo: a small PNG"),
    ("colour",): ("line", "Colour of buttons"),
}

PLAN: Final[dict[Path, tuple[str, str]]] = {
    ("plan", "people"): ("number", "People who will answer"),
    ("plan", "within"): ("number", "Precision wanted of each question: ± points at most"),
    ("plan", "one"): ("number", "Protection wanted: one answer at most, in 100"),
    ("plan", "all"): ("number", "Protection wanted: all answers at most, in 100"),
    ("plan", "until"): ("date", "Day by which they have answered"),
}

WHOLE: Final[dict[Path, tuple[str, str]]] = {
    ("epsilon",): ("slider", "All protected answers of one person"),
    ("split",): ("choice", "Questions without a setting of their own share it:"),
    ("ask",): ("number", "Questions that chance draws for each person (empty: all)"),
    ("chances",): (
        "chances",
        "How often each is drawn, 1 to 99 (all empty: equally precise; one empty: 1)",
    ),
    ("together",): ("together", "Randomised as one answer"),
    ("pages",): ("choice", "Questions stand"),
    ("order",): ("choice", "Order of the questions"),
    ("skip",): ("tick", "Offer “Skip this question” at protected questions"),
    ("advance",): ("choice", "After a tap on a yes or no"),
    ("comprehension",): (
        "tick",
        "Two questions first that check how the protection was understood",
    ),
    ("waves", "count"): ("number", "Times that it is asked (waves)"),
    ("waves", "people"): ("choice", "Who answers a later wave"),
    ("waves", "redraw"): ("line", "Chance that a wave's report is drawn anew"),
    ("batch",): ("number", "Reports that the desk shows at once"),
    ("address",): ("choice", "Its address"),
    ("exit",): ("line", "Where “Leave quickly” leads"),
    ("panel",): ("line", "Where a button on the last screen leads"),
}

BRANCH: Final = ("choice", "A follow-up of a protected answer is shown")

QUESTION: Final[dict[str, tuple[str, str]]] = {
    "text": ("text", "Question"),
    "hint": ("line", "Help below it"),
    "statements": ("line", "Statements"),
    "answers": ("lines", "Answers"),
    "rows": ("lines", "Rows"),
    "min": ("number", "Smallest"),
    "max": ("number", "Largest"),
    "step": ("number", "Step"),
    "ask_if": ("needs", "Ask only if"),
    "prefer_not_to_say": ("tick", "Offer “Skip this question” here"),
    "order": ("choice", "Order"),
    "ask": ("number", "Of these, chance draws for each person (empty: all)"),
    "design": ("design", "Design"),
    "id": ("line", "Its name in files"),
}

MARGINS: Final = ("plan", "margins")
"""The place of the shares of the population, by question and answer."""

POPULATION: Final = ("margins", "In the population")

OWN_PLAN: Final[dict[Path, tuple[str, str]]] = {
    ("plan", "within_of"): ("number", "Precision wanted of this question: ± (empty: as of all)"),
    ("plan", "applies"): ("number", "People to whom it applies, in % (empty: 100)"),
}
"""What the plan says of single questions, by their ids: places and fields."""

GIVEN: Final = "People who give a number, in % (empty: 100)"
"""The label of the share, where everybody is asked and people can decline."""

SELDOM: Final[dict[str, tuple[str, str]]] = {
    "flip": ("line", "Chance that the report is not the truth"),
    "weight": ("number", "Weight of its protection"),
    "family": ("line", "Family of designs"),
    "levels": ("number", "Levels on which the number is randomised"),
    "known": ("line", "Share of yes that is known"),
    "yes": ("choice", "Answer that is the design's yes"),
}
"""Fields that the form shows only for a question that has them."""

OPTIONAL: Final = ("hint", "ask", "order", "design", "id")
"""Fields of a question that stand below "More"."""

SPLITS: Final = {
    "": "the same protection for every question",
    "weight": "more for the questions with a greater weight",
    "even": "as much for each as makes the widest interval narrow",
    "optimal": "as much for each as makes all intervals narrow together",
}

CHOICES: Final[dict[str, dict[str, str]]] = {
    "split": SPLITS,
    "pages": {"": "each on a page of its own", "one": "all on one page"},
    "order": {"": "as written", "random": "drawn at random for each person"},
    "branch": {
        "": "to everybody",
        "hidden": "only to those whom it concerns",
    },
    "advance": {"": "people press Continue", "auto": "the next question comes"},
    "people": {"": "the same people", "others": "other people each time"},
    "address": {"": "does not tell the topic", "named": "shows the name"},
}

BRANCHES: Final = {
    "": "People whom it does not concern choose “Does not apply to me”, the first answer. So "
    "nothing tells whom it concerns.",
    "hidden": "Others do not see it. But the time that somebody takes can tell whom it concerns.",
}
"""What each way to show a follow-up means."""

_OF_AUTHORS: Final = {
    "k_ary": "k-ary",
    "soberanis_cruz": "Soberanis Cruz",
    "mangat_singh": "Mangat and Singh",
    "mangat_singh_singh": "Mangat, Singh and Singh",
    "singh_joarder": "Singh and Joarder",
}
"""Designs whose names are not words of which only the first is capitalised."""


def design_named(name: str) -> str:
    """Return the name of a design as its authors write it."""
    return _OF_AUTHORS.get(name, name.replace("_", " ").capitalize())


SAID: Final[dict[str, dict[str, str]]] = {
    **CHOICES,
    "protection": {"direct": "none"},
    "style": {"statement": ""},
}
"""The form's words for values that messages name."""

USUAL: Final = {"pages": "each", "split": "equal", "people": "same"}
"""Values that mean the same as no value."""

_HELP: Final = {
    "delete_reports": "The server deletes them on this day (UTC).",
    "colour": "Dark enough to be read on white, such as #12545c.",
    "plan.one": "How sure somebody may get who thought it was 50:50. Up to 75, people read “a "
    "hint”, up to 90 “a strong hint”, and above “close to proof”.",
    "waves.redraw": "The more often, the less a change of a person shows, and the wider is every "
    "interval: 1/10 to 1/5 are usual.",
    "waves.people": "The same people read what a changed answer would show. Of others nobody has a "
    "change to hide: a device answers one wave, and every interval is narrower.",
    "batch": "10 unless you choose another number.",
    "questions.step": "What lies between a number and the next.",
    "minutes": "1 to 600, as people read on the first page.",
    "plan.people": "Every ± on this page is calculated for so many.",
    "waves.count": "People are asked once in each wave, by the same link, and results show the "
    "change.",
    "panel": "The same address for everybody: https, without ? or #.",
    "exit": "A site that nobody wonders about, or none for no such button.",
    "questions.flip": "With more than two answers, it is shared among the other ones.",
    "survey": "It follows the title until you write another one. Once published, it stays.",
    "questions.id": "It follows the question until you write another one. Once published, it "
    "stays.",
    "epsilon": "What all protected answers of one person reveal: to the left less, to the right "
    "more, which is more precise.",
    "plan.all": "How sure somebody may get by all answers of one person together, while they stay "
    "the same in all waves. Its ε is set in “The whole survey”.",
    "plan.within_of": "In percentage points; of a number, its mean in the question’s own unit. It "
    "changes no answer: where it is missed, you read so.",
    "plan.applies": "A guess is enough: the ± of a follow-up among those whom it concerns is "
    "calculated with it. For a number that people may decline: the share who give one.",
    "plan.margins": "How many of 100 people in the population give each answer. Results are then "
    "weighted to these shares.",
    "split": "How the protected questions share what one person may reveal.",
    "ask": "Each person is asked fewer questions, and each of these tells more.",
    "together": "The answers of a group are one report: their table is more precise, and each "
    "question by itself is less so.",
    "chances": "Beside the others: a question with 3 is drawn about three times as often as one "
    "with 1.",
    "order": "Each browser can draw an order, so that no question is always the last.",
    "branch": "It holds for all follow-ups of the survey.",
    "pages": "People see one question at a time, or all of them.",
    "skip": "A skip is one more answer, “Skipped”, randomised like the others. It is "
    "offered from two questions on.",
    "comprehension": "People check whether they understood the protection; no answer is kept.",
    "address": "Whether the address tells the survey's name, or is seven letters.",
    "logo": "A picture above the name of who asks. It stands in the survey file.",
    "questions.answers": "The answers to choose from. Of several, “None of these” is added.",
    "questions.codes": "Letters, digits, _ and -, such as 0 and 1. Once published, they stay.",
    "questions.rows": "What the same answers are chosen for.",
    "questions.order": "Each browser can draw an order of the answers, options or rows.",
    "questions.prefer_not_to_say": "One more answer, randomised like the others.",
    "questions.ask_if": "An earlier question, and the answers to it that this one needs.",
    "questions.weight": "How much of the shared protection it gets beside the other questions.",
    "questions.epsilon": "To the left a report reveals less of the answer, to the right it is more "
    "precise.",
    "questions.design": "How the report is made. The slider chooses the usual one; others have "
    "chances that you write.",
}
"""Help on fields whose labels do not say all."""

_ONE: Final = {"answers": "answer", "rows": "row", "statements": "statement"}

_CALLED: Final = {
    "style": "Two statements and a spinner",
    "protection": "Protection of this answer",
    "waves": "Times that it is asked",
    "languages": "Languages",
    "questions": "Questions",
    "branch": BRANCH[1],
    "family": "Family of designs",
    "margins": POPULATION[1],
    "redraw": WHOLE["waves", "redraw"][1],
    "people": WHOLE["waves", "people"][1],
    **{str(place[1]): label for place, (_, label) in OWN_PLAN.items()},
}
"""Labels of keys that the form shows otherwise than as a field of the key."""


def needless(value: Mapping[str, Any]) -> Iterator[Path]:
    """Yield the fields of the whole survey that mean nothing without others."""
    if "ask" not in value and "chances" not in value:
        yield ("chances",)
    if "waves" not in value:
        yield from (("waves", "people"), ("waves", "redraw"))
    elif at(value, ("waves", "people")) == OTHERS and at(value, ("waves", "redraw")) is None:
        yield ("waves", "redraw")


def help_on(place: Path) -> str:
    """Return the help on a field; of one that only some files have, the file's own sentence."""
    return _HELP.get(_key(place)) or (meaning_of(place) if place[-1] in SELDOM else "")


def meaning_of(place: Path) -> str:
    """Return the file's own sentence on the key at a place; empty if it has none."""
    return KEYS.get(_key(place), "")


def _key(place: Path) -> str:
    return ".".join(str(step) for step in place if isinstance(step, str))


def label_of(place: Path, key: str) -> str:
    """Return the form's label of a key at a place or around it, in quotation marks."""
    of_question = place[:1] in (("questions",), ("together",))
    own = {**QUESTION, **SELDOM, "epsilon": ("", _CALLED["protection"])} if of_question else {}
    whole = {**FIRST_PAGE, **PLAN, **WHOLE}
    of = next((whole[one] for one in ((*place[:1], key), (key,)) if one in whole), None)
    found = own.get(key) or of or next((one for at, one in whole.items() if at[0] == key), None)
    label = found[1] if found else _CALLED.get(key) or QUESTION.get(key, ("", ""))[1]
    short = label.partition(":")[0].partition(" (")[0].partition(",")[0]
    return f"“{short}”" if label else ""


def where(place: Path) -> str:
    """Return a place in the form's words: ``Question 3, answer 2``."""
    if place[:1] == ("questions",) and place[1:]:
        number, *inner = place[1:]
        named = [f"Question {int(number) + 1}"]
        for key in inner[:1]:
            step = inner[1] if inner[1:] else None
            at = step + 1 if isinstance(step, int) else step or ""
            label = label_of(place, str(key)).strip("“”").lower() or str(key)
            named.append(f"{_ONE.get(str(key), label)} {at}" if at else label)
        return ", ".join(named)
    label = label_of(place[:1], str(place[1])) if place[1:] else ""
    return (label or label_of((), str(place[0]) if place else "")).strip("“”") or "The whole survey"


def split_in_words(split: str) -> str:
    """Say how the questions share their protection."""
    return SPLITS["" if split == USUAL["split"] else split]


def in_words(before: Any, after: Any) -> str:
    """Say in the form's words how a changed survey file spends its budget."""
    return "; ".join(_changes(before, after)) or "as it is"


_SHARED: Final = ("shares the protection of all", "share the protection of all")


def _changes(before: Any, after: Any) -> Iterator[str]:
    numbers = {one.get("id"): f"{number}" for number, one in enumerate(after["questions"], start=1)}
    changed = {key for key in {*before, *after} if before.get(key) != after.get(key)}
    if "ask" in changed:
        yield f"{after['ask']} drawn for each person" if "ask" in after else "everybody asked all"
    if "split" in changed and after.get("split", "equal") != before.get("split", "equal"):
        yield split_in_words(after.get("split", ""))
    pairs = [*zip(before["questions"], after["questions"], strict=True)]
    for key, said in (("family", "the best design"), ("flip", ""), ("epsilon", "")):
        ids = [new["id"] for old, new in pairs if old.get(key) != new.get(key)]
        if ids:
            both = " and ".join(numbers[id] for id in ids)
            yield f"question{'s' * (len(ids) > 1)} {both}: {said or _SHARED[len(ids) > 1]}"
    if "epsilon" in changed:
        yield f"all protected answers at ε {after['epsilon']}"
