"""Which channels may collect answers."""

from __future__ import annotations

from collections.abc import Sequence

from deniable.channel import Channel


def refuse_for_collection(channel: Channel, reports: Sequence[str]) -> None:
    """Refuse a channel that reveals an answer, or from which nothing can be learned.

    `reports`: their names. Rejected are an unbounded ε, with the names of the reports that would
    give their senders away, and a table that does not identify the shares of the truths.
    """
    if channel.revealing_reports:
        named = ", ".join(f"{reports[report]!r}" for report in channel.revealing_reports)
        raise ValueError(
            f"epsilon is unbounded: the report {named} would give its sender away, because some "
            "truths send it and others never do; expected every report to be possible whatever "
            "the truth"
        )
    if not channel.identifiable:
        raise ValueError(
            "nothing could be learned: different populations would send the same reports; "
            "expected a table whose rows are linearly independent"
        )
