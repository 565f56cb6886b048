"""The researcher's choices: all revisions or one, a wave, a level and a kind of interval.

The choices stand in the address, so that a results page, its figures and its downloads show the
same, and can be linked to.
"""

from collections.abc import Collection
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from flask import request
from werkzeug.exceptions import UnprocessableEntity

from deniable.analysis import intervals
from deniable.server.desk.context import find_survey, store
from deniable.survey import Survey

LEVELS: Final = {"90": 0.90, "95": 0.95, "99": 0.99}
"""The confidence levels that can be chosen, in percent as the address has them."""

METHODS: Final = {
    "auto": (
        "chosen by the design",
        "The method that suits the design, ε and how many answered, whatever the answers are.",
    ),
    "tail": ("inverted tails", "Every share that a test does not reject, to each side."),
    "wald": (
        "Wald, as in textbooks",
        "The estimate, two standard errors to each side. Too narrow for few people.",
    ),
    "feldman-cousins": (
        "Feldman and Cousins",
        "Every share that a test by likelihoods does not reject, near 0 as well.",
    ),
    "wilson": ("Wilson", "Every share at so many standard errors, each by its own error."),
    "exact": ("Clopper and Pearson", "Never too narrow, and often too wide."),
    "likelihood": (
        "profile likelihood",
        "Every share nearly as likely as the most likely one.",
    ),
}
"""The intervals that can be chosen: the title of each, and what it does in a sentence."""

_AUTHORS: Final = {name: f"by {title.partition(',')[0]}" for name, (title, _) in METHODS.items()}
_AUTHORS.update(auto="as the design says", **{intervals.ALWAYS_VALID: "that hold at every look"})


def with_methods_named(said: str) -> str:
    """Name the kinds of intervals in a sentence as readers do: by Feldman and Cousins."""
    for name, author in _AUTHORS.items():
        said = said.replace(f"({name})", author)
    return said


_DEFAULT_LEVEL: Final = "95"


class WrongChoiceError(UnprocessableEntity):
    """An error for an address that asks for what the desk does not have.

    `what`: a sentence without its full stop, which repeats nothing of the address. `code`: the
    status, 422 by default.
    """

    def __init__(self, what: str, code: HTTPStatus = HTTPStatus.UNPROCESSABLE_ENTITY) -> None:
        super().__init__()
        self.what = what
        self.code = code


@dataclass(frozen=True)
class Choice:
    """What a request's address asks for of a survey, its `survey` in the chosen revision.

    `begun`: the waves that can be chosen. `level`: in percent, as in the address. `revision`: empty
    if none was chosen, which means all.
    """

    survey: Survey
    begun: range
    wave: int
    level: str
    method: str
    revision: str

    @property
    def confidence(self) -> float:
        """The level as a number below 1."""
        return LEVELS[self.level]

    @property
    def of_revision(self) -> dict[str, str]:
        """The chosen revision as a parameter of an address; empty for all revisions."""
        return {"revision": self.revision} if self.revision else {}

    @property
    def address(self) -> dict[str, str | int]:
        """All choices, as parameters of an address."""
        waves = self.survey.if_repeated({"wave": self.wave}) or {}
        return {**self.of_revision, "level": self.level, "method": self.method, **waves}


def choice_of(slug: str) -> Choice:
    """Read the choices of the current request; answer 404 or 422 for others."""
    revision = request.args.get("revision", "")
    survey = find_survey(slug, revision or None)
    method = _chosen("method", METHODS, intervals.DEFAULT, "method")
    # An earlier revision may have fewer waves.
    begun = range(1, min(store.wave(survey.slug), survey.waves) + 1)
    return Choice(survey, begun, _wave(begun), level_chosen(), method, revision)


def level_chosen() -> str:
    """Read the level, in percent as in the address."""
    return _chosen("level", LEVELS, _DEFAULT_LEVEL, "confidence level")


def _chosen(name: str, known: Collection[str], default: str, what: str) -> str:
    chosen = request.args.get(name, default)
    if chosen not in known:
        raise WrongChoiceError(f"The {what} must be {', '.join(known)}")
    return chosen


def _wave(begun: range) -> int:
    """Read the wave, by default the current one."""
    chosen = request.args.get("wave")
    if chosen is None:
        return begun[-1]
    if not (chosen.isascii() and chosen.isdigit() and int(chosen) in begun):
        raise WrongChoiceError(f"The wave must have begun: from 1 to {begun[-1]}")
    return int(chosen)
