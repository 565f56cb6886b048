"""Refusals that say what their reader can do, in Python, at the command line and at the desk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class RefusalError(ValueError):
    """A refusal with its remedy for each reader; its own text is Python's.

    `said`: what was expected and found. `python`, `command`, `desk`: what their readers can do;
    no page of the desk asks for what has no text for it.
    """

    def __init__(self, said: str, *, python: str, command: str, desk: str = "") -> None:
        """Keep a text for each reader."""
        super().__init__(f"{said}: {python}")
        self.at_command, self.at_desk = f"{said}: {command}", f"{said}: {desk}"


def at_command(mistake: Exception) -> str:
    """Return an error's text for who types a command."""
    return mistake.at_command if isinstance(mistake, RefusalError) else str(mistake)


def at_desk(mistake: Exception) -> str:
    """Return an error's text for who reads a page of the desk."""
    return mistake.at_desk if isinstance(mistake, RefusalError) else str(mistake)


def retold(mistake: ValueError, tell: Callable[[str], str]) -> ValueError:
    """Return an error that tells its text for each reader in other words."""
    if not isinstance(mistake, RefusalError):
        return ValueError(tell(str(mistake)))
    found = RefusalError("", python="", command="")
    found.args = (tell(str(mistake)),)
    found.at_command, found.at_desk = tell(mistake.at_command), tell(mistake.at_desk)
    return found


@contextmanager
def placed(where: str) -> Iterator[None]:
    """Say where a mistake is, before its text for each reader."""
    try:
        yield
    except ValueError as mistake:
        raise retold(mistake, lambda said: f"{where}: {said}") from None
