"""What a draft, or a new file, can begin from: one question, an example, a question of a study.

A meeting can also begin from a question that is ready for a class.
"""

import math
import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from textwrap import shorten
from typing import Any, Final

import yaml

from deniable.text.languages import Say, in_english


def consent(say: Say = in_english) -> list[str]:
    """Return the paragraphs of the consent that a new survey has."""
    return [
        say("I am 18 or older. I take part of my own free will, and can stop until I press Send."),
        say("After that, nobody can find my report and delete it."),
        say("My report may count as personal data, even where chance has changed an answer."),
        say("A court can order that stored reports be handed over."),
    ]


_CONSENT: Final = "\n\n".join(f"  {paragraph}" for paragraph in consent())

BLANK: Final = f"""\
version: 1
survey: my-survey  # its name in addresses
title: My survey
introduction: Say in a few words who asks, and what for.
consent: >-
{_CONSENT}
epsilon: 1  # the most that all randomised answers of one person reveal
skip: true  # from two questions on, people can skip one; a skip is randomised, too
questions:
  - id: q1
    text: Have you ever …?
    type: single
    answers: [No, Yes]
"""

UNSAID: Final = " …?"
"""What the text of a new question ends with."""

UNNAMED: Final = re.compile(r"q\d+")
"""The names of questions whose texts give none."""

PLACEHOLDERS: Final = ("title: My survey\n", "Say in a few words who asks", UNSAID)
"""What `BLANK` and new questions say where researchers have yet to write."""

_LONGEST: Final = 40
"""Maximum length of a name that is made of a title."""

_READY: Final = """\
# A harmless question for a class, with two coins: {about}.
#   deniable classroom {name}
version: 1
survey: {name}
languages: [en, de, fr, es, ar]
exit: none # nobody minds being seen with it
batch: 1
{asked}"""


@cache
def examples() -> Mapping[str, str]:
    """Return the text of each example, by the name of its file."""
    return _texts(files("deniable") / "examples")


@cache
def published_questions() -> Mapping[str, str]:
    """Return the survey file of each question of a published study, by its name."""
    return _texts(files("deniable") / "examples" / "published")


@cache
def ready_questions() -> Mapping[str, str]:
    """Return a survey file for each question that is ready for a class, the best first."""
    return {name: _ready(name, **one) for name, one in _questions().items()}


@cache
def _questions() -> Mapping[str, Any]:
    found = files("deniable") / "examples" / "classroom" / "questions.yaml"
    questions: Mapping[str, Any] = yaml.safe_load(found.read_text("utf-8"))
    return questions


def _ready(
    name: str, *, about: str, title: Any, text: Any, answers: Any, share: float | None = None
) -> str:
    if share is not None:
        about += f", so {100 * share:.0f} % say yes: the class can check the estimate"
    question = {
        "id": name.replace("-", "_"),
        "text": text,
        "type": "single",
        "answers": answers,
        "design": {"truth_or_random": {"truth": "1/2"}},
    }
    asked = {"title": title, "questions": [question]}
    written = yaml.safe_dump(asked, allow_unicode=True, sort_keys=False, width=math.inf)
    return _READY.format(name=name, about=about, asked=written)


def shipped() -> Mapping[str, str]:
    """Return the text of each example and each question that is ready for a class."""
    return {**examples(), **ready_questions()}


def _texts(folder: Traversable) -> Mapping[str, str]:
    found = (file for file in folder.iterdir() if file.name.endswith(".yaml"))
    return {
        file.name.removesuffix(".yaml"): file.read_text("utf-8")
        for file in sorted(found, key=lambda file: file.name)
    }


def asked_in(name: str, language: str = "en") -> str:
    """Return the text of a ready question in a language."""
    asked: str = _questions()[name]["text"][language]
    return asked


@cache
def expected_share(question: str, truth: int) -> float | None:
    """Return the share of an answer to a ready question, if everybody knows it beforehand."""
    for one in _questions().values():
        if "share" in one and question in one["text"].values():
            share: float = one["share"]
            return share if truth == 1 else 1 - share
    return None


@cache
def title_in(text: str, language: str) -> str:
    """Return the title of an example in a language, or in the first that it is written in."""
    # Parses the title alone: parsing all examples would keep a page waiting for a second.
    (title,) = re.findall(r"(?ms)^title:.*?^(?=\w)", text)
    said: str | dict[str, str] = yaml.safe_load(title)["title"]
    return said if isinstance(said, str) else said.get(language) or next(iter(said.values()))


def shown_by(text: str) -> str:
    """Return what an example shows, as its first line says."""
    return text.partition("\n")[0].removeprefix("# ")


def under(text: str, slug: str) -> str:
    """Return the text of a survey file under another name."""
    return re.sub(r"(?m)^survey:[ \t]*[^\s#]*", f"survey: {slug}", text, count=1)


def slug_of(said: str, most: int = _LONGEST, between: str = "-") -> str:
    """Make a name of what somebody wrote; empty if it has no usable letters.

    Examples
    --------
    >>> slug_of("Nurses’ errors: what großes Übel?")
    'nurses-errors-what-grosses-ubel'
    """
    plain = unicodedata.normalize("NFKD", said.casefold()).encode("ascii", "ignore").decode()
    words = " ".join(re.findall("[a-z0-9]+", plain.replace("'", "")))
    return (shorten(words, most, placeholder="") or words[:most]).replace(" ", between)


def is_made_of(name: str, slug: str, between: str = "-") -> bool:
    """Return whether a name is a slug, perhaps numbered, so that nobody wrote another one."""
    return bool(re.fullmatch(rf"{re.escape(slug)}({between}\d+)?", name))


def name_of(text: str) -> str:
    """Return the name in a text that may be full of mistakes; empty if there is none."""
    found = re.search(r"(?m)^survey:[ \t]*([\w-]+)", text)
    return found[1] if found else ""


def title_of(text: str) -> str:
    """Return the title in a text that may be full of mistakes, in the first of its languages."""
    # Without a regular expression, which a line of blanks would keep busy for minutes.
    line, _, rest = f"\n{text}".partition("\ntitle:")[2].partition("\n")
    said = line.strip()
    if said.startswith("{"):
        said = said.partition(":")[2].lstrip()
        is_quoted = said.startswith(('"', "'"))
        end = said.find(said[0], 1) if is_quoted else said.find(",")
        said = said[: end if end > 0 else None].rstrip("} ")
    elif not said and rest.startswith((" ", "\t")):
        said = rest.partition("\n")[0].partition(":")[2].strip()
    if said.startswith(tuple("#|>&*!")):
        said = ""
    return said.partition(" #")[0].strip("\"' ") or "Without a title"
