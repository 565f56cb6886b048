"""The clocks of a machine, which a test moves: both as time passes, or one by a jump."""

import time

import pytest

from deniable.server.store import clock
from deniable.server.store.clock import begin_of


class Clocks:
    """The machine's clock, and the time since its start."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._ahead = self._passed = 0.0
        wall, boot = time.time, clock.since_boot
        monkeypatch.setattr(time, "time", lambda: wall() + self._passed + self._ahead)
        monkeypatch.setattr(clock, "since_boot", lambda: boot() + self._passed)

    def go_on(self, seconds: float) -> None:
        """Let time pass, also while the machine is suspended."""
        self._passed += seconds

    def go_on_to(self, when: str | float) -> None:
        """Let time pass to the begin of a day in UTC, or to a time."""
        self.go_on((begin_of(when) if isinstance(when, str) else when) - time.time())

    def jump(self, seconds: float) -> None:
        """Set the machine's clock otherwise."""
        self._ahead += seconds

    def jump_to(self, when: str | float) -> None:
        """Set the machine's clock to the begin of a day in UTC, or to a time."""
        self.jump((begin_of(when) if isinstance(when, str) else when) - time.time())
