"""What ``deniable analyse`` reads and what it found, in every form that can be asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rich.console import RenderableType

from deniable.analysis.formats import Export
from deniable.channel import Channel
from deniable.designs.arms import Arms


@dataclass(frozen=True)
class DataFile:
    """A CSV of randomised responses, and how they were randomised.

    Parameters
    ----------
    name : str
        The file's name.
    text : str
        Its content.
    design : str
        As it was given on the command line.
    channel : Channel
        Of a design with several arms, that of the first one.
    arms : Arms, optional
        A design with several arms.
    """

    name: str
    text: str = field(repr=False)
    design: str
    channel: Channel
    arms: Arms | None = None

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
            yes = [each.probabilities[:, 1] for each in self.arms.channels]
            rates = "; ".join(
                f"P(yes | {name}) {' or '.join(f'{arm[index]:.4f}' for arm in yes)}"
                for index, name in enumerate(self.arms.classes)
            )
        elif table.shape == (2, 2):
            rates = f"P(yes | no) {table[0, 1]:.4f}, P(yes | yes) {table[1, 1]:.4f}"
        else:
            rates = f"{self.channel.truths} truths, {self.channel.reports} reports"
        return f"{self.design.strip()}; {rates}; {cost}"


@dataclass(frozen=True)
class Analysed:
    """An analysis, ready to be shown.

    Parameters
    ----------
    table : sequence of renderables
        For people.
    export : Export
        For files.
    draw : callable
        Draws the figure, in the format that it is given: ``svg``, ``png`` or ``pdf``.
    """

    table: Sequence[RenderableType]
    export: Export
    draw: Callable[[str], bytes]
