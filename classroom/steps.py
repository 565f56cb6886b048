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
    Step("coins", "What the coins do", "answer", 3),
    Step("sent", "What your phone sent", "answer", 3),
    Step("bars", "What we received", "look", 2),
    Step("unmix", "Take away what the coins add", "look", 4),
    Step("people", "The same in people", "look", 3),
    Step("point", "Point at anybody: can you tell?", "look", 6),
    Step("sure", "How sure are we?", "look", 5),
    Step("again", "What if we ask 50 times?", "look", 4),
    Step("direct", "Ask directly, and compare", "direct", 4),
)
"""In the order in which they are revealed."""


def step_of(slug: str) -> Step:
    """Return a step by its name."""
    for step in STEPS:
        if step.slug == slug:
            return step
    raise ValueError(f"expected a step of {', '.join(one.slug for one in STEPS)}, found {slug!r}")


def beside(slug: str, by: int) -> Step | None:
    """Return the step so many places after this one; None where there is none."""
    place = STEPS.index(step_of(slug)) + by
    return STEPS[place] if 0 <= place < len(STEPS) else None
