"""The data that randomised responses come from, and their design."""

from __future__ import annotations

import math
from dataclasses import dataclass

from deniable.channel import Channel
from deniable.text.wording import brief_loss


@dataclass(frozen=True)
class Source:
    """The data that responses to one question come from, and their design.

    `name`: of the file, or of the survey. `design`: the design, in a few words. `yes`: the answer
    that is the design's yes, or its code in the data; empty where it makes no difference. `yes_at`:
    the place of that answer among the channel's two truths. `all_waves`: in waves, the privacy loss
    of all reports while the answer stays the same. `repeated`: what several waves may have in
    common, such as people; empty if these are independent samples.
    """

    name: str
    design: str
    channel: Channel
    yes: str = ""
    yes_at: int = 1
    all_waves: float | None = None
    repeated: str = ""

    @property
    def epsilon(self) -> float:
        """The greatest privacy loss of all reports of a person; in waves see `all_waves`."""
        return self.channel.epsilon if self.all_waves is None else self.all_waves

    @property
    def rates(self) -> str:
        """The chance that each truth is reported as yes; of more answers, their number."""
        table, yes = self.channel.probabilities, self.yes_at
        if table.shape == (2, 2):
            return f"P(yes | no) {table[1 - yes, yes]:.4f}, P(yes | yes) {table[yes, yes]:.4f}"
        return f"{self.channel.truths} true answers, {self.channel.reports} reports"

    @property
    def design_line(self) -> str:
        """The design in a line: its name, the chances of a yes, and ε."""
        report = self.channel.epsilon
        cost = "ε unbounded" if math.isinf(report) else f"ε {brief_loss(report)}"
        if self.all_waves is not None:
            cost += f" a report, {brief_loss(self.all_waves)} over all waves"
        attached = f"; yes of the design: “{self.yes}”" if self.yes else ""
        return f"{self.design.strip()}; {self.rates}; {cost}{attached}"
