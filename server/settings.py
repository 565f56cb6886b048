"""The settings that a program gets from the process that starts it."""

import signal
from dataclasses import dataclass
from typing import Final

STOPPING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals by which a terminal, a service manager or an operator asks a server to stop."""

REPORTS_PER_MINUTE: Final = 300
"""Default limit for each network: enough for a lecture hall that shares one address."""

IN_A_CLASS: Final = 1_500
"""Least limit for meetings: 300 phones that answer five times a minute."""


@dataclass(frozen=True)
class Settings:
    """The settings of a program."""

    store_url: str = ""  # as for `open_store`
    address: str = ""  # where to listen
    port: int = 0
    url: str = ""  # address at which people reach this program
    respondents_url: str = ""  # address at which respondents reach theirs
    desk_url: str = ""  # address at which researchers reach the desk
    reports_per_minute: int = 0  # limit for each network; 0 for none
    # Whether a proxy in front of the respondents' program gives the senders' addresses.
    behind_proxy: bool = False
    keys: str | None = None  # where the private keys of tokens are, if not beside the store
    audit: str | None = None  # file in which the desk logs what accounts did
    metrics: int = 0  # responses in a batch of /metrics; 0 for no /metrics
    drain: float = 0.0  # seconds for which it still answers after a signal to stop
    # Names at which respondents reach their program: others lead to its `url`. None are all names.
    names: tuple[str, ...] = ()
    follows: bool = False  # whether it follows a worker that will say what it knows


USUAL: Final = Settings(reports_per_minute=REPORTS_PER_MINUTE)
