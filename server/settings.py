"""What a program is told when it starts, by the process that starts it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """What a program is told when it starts.

    Parameters
    ----------
    store_url : str
        As for `open_store`.
    address : str
        Where to listen.
    port : int
    url : str
        Address at which people reach this program.
    respondents_url : str
        Address at which respondents reach theirs.
    """

    store_url: str
    address: str
    port: int
    url: str
    respondents_url: str
