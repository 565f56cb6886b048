"""Where randomised responses come from, and how they were randomised."""

from __future__ import annotations

import math
from dataclasses import dataclass

from deniable.channel import Channel
from deniable.designs.arms import Arms


@dataclass(frozen=True)
class Source:
    """Where responses to one question come from, and how they were randomised.

    `name`: of the file, or of the survey. `design`: how they were randomised, in a few words.
    `channel`: of a design with several arms, that of the first one. `arms`: a design with several
    arms. `yes`: the answer that is the design's yes, or what it is called in the data; nothing
    where it makes no difference. `yes_at`: which of two truths of the channel it is.
    """

    name: str
    design: str
    channel: Channel
    arms: Arms | None = None
    yes: str = ""
    yes_at: int = 1

    @property
    def epsilon(self) -> float:
        """What a report may cost, at most, in any arm."""
        channels = [self.channel] if self.arms is None else self.arms.channels
        return max(channel.epsilon for channel in channels)

    @property
    def law(self) -> str:
        """The design in a line: its name, how often each truth sends yes, and ε."""
        epsilon = self.epsilon
        cost = "ε unbounded" if math.isinf(epsilon) else f"ε {epsilon:.6f}"
        table = self.channel.probabilities
        if self.arms is not None:
            says_yes = [each.probabilities[:, 1] for each in self.arms.channels]
            rates = "; ".join(
                f"P(yes | {name}) {' or '.join(f'{arm[index]:.4f}' for arm in says_yes)}"
                for index, name in enumerate(self.arms.classes)
            )
        elif table.shape == (2, 2):
            yes = self.yes_at
            rates = f"P(yes | no) {table[1 - yes, yes]:.4f}, P(yes | yes) {table[yes, yes]:.4f}"
        else:
            rates = f"{self.channel.truths} truths, {self.channel.reports} reports"
        attached = f"; yes of the design: “{self.yes}”" if self.yes else ""
        return f"{self.design.strip()}; {rates}; {cost}{attached}"
