"""Which channels may be used to collect answers."""

from __future__ import annotations

from collections.abc import Sequence

from deniable.channel import Channel


def refuse_for_collection(channel: Channel, reports: Sequence[str]) -> None:
    """Refuse a channel that gives somebody away, or from which nothing can be learned.

    Parameters
    ----------
    reports : sequence of str
        What each report is called.

    Raises
    ------
    ValueError
        If ε is unbounded, naming the reports that would give their senders away; or if the shares
        of the truths are not identifiable.
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
