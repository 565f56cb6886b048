"""What a program is told when it starts, by the process that starts it."""

import signal
from dataclasses import dataclass
from typing import Final

STOPPING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals by which a terminal, a service manager or an operator asks a server to stop."""

REPORTS_PER_MINUTE: Final = 300
"""Of each network, unless the operator says otherwise: a lecture hall that shares one address."""

IN_A_CLASS: Final = 1_500
"""The same to meetings, at least: 300 phones that answer, and answer again, five times a minute."""


@dataclass(frozen=True)
class Settings:
    """What a program is told when it starts."""

    store_url: str  # as for `open_store`
    address: str  # where to listen
    port: int
    url: str  # address at which people reach this program
    respondents_url: str  # address at which respondents reach theirs
    desk_url: str  # address at which researchers reach the desk
    reports_per_minute: int = 0  # that are taken from each network; 0 for any number
    # Whether a proxy in front of the respondents' program says who they are.
    behind_proxy: bool = False
    keys: str | None = None  # where the private keys of tokens are, if not beside the store
    audit: str | None = None  # where the desk writes what accounts did
    metrics: int = 0  # of how many answers a batch is that /metrics counts; 0 for none
    drain: float = 0.0  # seconds for which it still answers once it is asked to stop
