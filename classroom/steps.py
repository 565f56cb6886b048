"""What the presenter reveals, in order."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Phone: TypeAlias = Literal["wait", "answer", "look", "direct"]
"""What a phone does meanwhile: wait for the question, answer it, look up at the projector, or
answer it once more, without any coin."""


@dataclass(frozen=True)
class Step:
    """A step of the lesson."""

    slug: str  # what addresses and the store call it
    title: str  # what the presenter reads
    phone: Phone
    minutes: int  # how long it takes, in the lesson plan


STEPS: Final = (
    Step("waiting", "Everybody joins", "wait", 3),
    Step("question", "The question", "answer", 3),
    Step("sent", "What your phone sent", "answer", 3),
    Step("bars", "What we received", "look", 2),
    Step("point", "Point at anybody: can you tell?", "look", 6),
    Step("observed", "The share of the reports", "look", 2),
    Step("subtract", "Take away what the coins add", "look", 2),
    Step("divide", "Stretch what is left", "look", 2),
    Step("interval", "How sure are we?", "look", 4),
    Step("sizes", "A class of 30, 300, 3,000", "look", 4),
    Step("again", "What if we ask 50 times?", "look", 5),
    Step("direct", "Ask directly, and compare", "direct", 4),
)
"""In the order in which they are revealed."""

FIRST: Final = STEPS[0].slug


def step_of(slug: str) -> Step:
    """Return a step by its name."""
    for step in STEPS:
        if step.slug == slug:
            return step
    raise ValueError(f"expected a step of {', '.join(one.slug for one in STEPS)}, found {slug!r}")


def after(slug: str) -> Step | None:
    """Return the step after this one; None after the last."""
    place = STEPS.index(step_of(slug)) + 1
    return STEPS[place] if place < len(STEPS) else None


def before(slug: str) -> Step | None:
    """Return the step before this one; None before the first."""
    place = STEPS.index(step_of(slug)) - 1
    return STEPS[place] if place >= 0 else None
