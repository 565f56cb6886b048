"""What it means that a maximum was found: a certificate, never a number of iterations."""

from __future__ import annotations

from typing import Final

GAP: Final = 1e-10
"""How far below the greatest log-likelihood a result may be, in nats a report.

Steps go on below it for as long as they help, in most cases to 1e-15.
"""


class ConvergenceError(ArithmeticError):
    """The certificate was not reached; the message says how far away it stayed, and why."""
