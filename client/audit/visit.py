"""What comes of one visit of a survey's page."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Sent:
    """A request with a report, as it came to the audit's own socket."""

    body: str
    rest: tuple[str, ...]  # its first line and each header, in the order in which they came
    # Which connection of those by which reports came, and whether it carried anything else.
    connection: tuple[int, bool] = (0, False)
    after: int = 0  # milliseconds since the last click, where time passes only if it is spent


@dataclass
class Visit:
    """What came of a visit."""

    # What no honest program does, whatever is true.
    problems: list[str] = field(default_factory=list)
    reports: list[Sent] = field(default_factory=list)
    drawn: list[int] = field(default_factory=list)  # how many words were drawn, each time
    after: list[str] = field(default_factory=list)  # what clocks were set after the last click
    # What was left behind: storage, cookies, history, titles, names.
    kept: dict[str, Any] = field(default_factory=dict)
    # The page once its report was sent, and where it leads before that and after it.
    shown: dict[str, Any] = field(default_factory=dict)
    read: list[str] = field(default_factory=list)  # which headers of answers it looked for
    seconds: float = 0.0  # from the last click to the report
    is_stuck: bool = False  # whether the page did not go on somewhere

    @property
    def rest(self) -> tuple[str, ...]:
        """All that the report's request had but its message; nothing if none was sent."""
        return self.reports[0].rest if self.reports else ()

    def object(self, problem: str) -> None:
        """Note what is wrong, once."""
        if problem not in self.problems:
            self.problems.append(problem)
