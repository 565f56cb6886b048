"""Where randomised responses come from, and how they were randomised."""

from __future__ import annotations

import math
from dataclasses import dataclass

from deniable.channel import Channel


@dataclass(frozen=True)
class Source:
    """Where responses to one question come from, and how they were randomised.

    `name`: of the file, or of the survey. `design`: how they were randomised, in a few words.
    `yes`: the answer that is the design's yes, or what it is called in the data; nothing where it
    makes no difference. `yes_at`: which of two truths of the channel it is.
    """

    name: str
    design: str
    channel: Channel
    yes: str = ""
    yes_at: int = 1

    @property
    def epsilon(self) -> float:
        """What a report may cost, at most."""
        return self.channel.epsilon

    @property
    def rates(self) -> str:
        """How often each truth sends yes."""
        table, yes = self.channel.probabilities, self.yes_at
        if table.shape == (2, 2):
            return f"P(yes | no) {table[1 - yes, yes]:.4f}, P(yes | yes) {table[yes, yes]:.4f}"
        return f"{self.channel.truths} truths, {self.channel.reports} reports"

    @property
    def law(self) -> str:
        """The design in a line: its name, how often each truth sends yes, and ε."""
        cost = "ε unbounded" if math.isinf(self.epsilon) else f"ε {self.epsilon:.6f}"
        attached = f"; yes of the design: “{self.yes}”" if self.yes else ""
        return f"{self.design.strip()}; {self.rates}; {cost}{attached}"
