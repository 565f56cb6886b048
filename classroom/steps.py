"""The table of the lesson's steps, in the presenter's order."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from deniable.classroom import scene, simulations
from deniable.classroom.class_state import Class
from deniable.classroom.pictures import Shown

Phone: TypeAlias = Literal["wait", "answer", "guess", "look", "direct"]
"""What phones do during a step: wait for the question, answer it, guess the share of the class,
show what the projector shows, or answer once more, directly."""


@dataclass(frozen=True)
class Step:
    """A step of the lesson."""

    slug: str  # its name in addresses and the store
    title: str  # for the presenter
    phone: Phone
    minutes: int  # its length in the lesson plan
    shown: Callable[[Class], Shown]
    layout: Literal["join", "ask", "show"] = "show"  # of the projector's page
    form: Literal["", "redraw", "skip"] = ""  # a further form on the presenter's page

    def scene(self, shown: Class) -> dict[str, Any]:
        """Return the projector's page of this step for a class, ready for JSON."""
        return {
            "step": self.slug,
            "layout": self.layout,
            "title": self.title,
            "question": shown.survey.questions[0].text,
            "answers": list(shown.truths),
            "n": shown.n,
            **self.shown(shown).document(),
        }


STEPS: Final = (
    Step("waiting", "Everybody joins", "wait", 4, scene.waiting, "join"),
    Step("question", "The question", "answer", 3, scene.question, "ask"),
    Step("coins", "What the coins do", "answer", 4, scene.coins),
    Step("sent", "What your phone sent", "answer", 3, scene.sent),
    Step("bars", "What we received", "guess", 3, scene.bars),
    Step("people", "Take away what the coins add", "look", 5, scene.people),
    Step("unmix", "The same in percent", "look", 3, scene.unmixed),
    Step("point", "Point at anybody: can you tell?", "look", 5, scene.point),
    Step("sure", "How sure are we?", "look", 5, simulations.sure, form="redraw"),
    Step("again", "What if we ask 50 times?", "look", 4, simulations.again, form="skip"),
    Step("direct", "Ask directly, and compare", "direct", 3, simulations.direct),
)
"""The steps in their order."""


def step_of(slug: str) -> Step:
    """Return the step with this slug; `ValueError` if there is none."""
    for step in STEPS:
        if step.slug == slug:
            return step
    raise ValueError(f"expected a step of {', '.join(one.slug for one in STEPS)}, found {slug!r}")


def beside(slug: str, by: int) -> Step | None:
    """Return the step `by` places after this one; None beyond the first or the last."""
    place = STEPS.index(step_of(slug)) + by
    return STEPS[place] if 0 <= place < len(STEPS) else None
