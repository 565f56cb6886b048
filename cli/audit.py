"""``deniable audit``: whether the program in the browser keeps the ε that it claims."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
from rich.console import RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from deniable.analysis.audit import ALPHA, NEVER, REACH, ItemVerdict
from deniable.cli.auditing import Audit, Progress, TooMany, audit, open_engine
from deniable.cli.help import ending
from deniable.cli.links import fetch_survey, is_link, link_type
from deniable.cli.output import STDOUT, console, show, table, write
from deniable.cli.survey_files import read_survey_file
from deniable.client.audit.chromium import is_root
from deniable.client.audit.engine import EngineError, EngineMissing
from deniable.plain import printable
from deniable.survey import Survey


@click.command(
    epilog=ending(
        "deniable audit examples/doping.yaml",
        "deniable audit https://survey.example.org/s/doping",
        "deniable audit examples/wellbeing.yaml --engine node --reach 0.9",
    )
)
@click.argument("survey", metavar="SURVEY|URL", type=link_type)
@click.option(
    "--engine",
    type=click.Choice(["chromium", "node"]),
    help="What runs the program. By default Chromium, or Node if there is no Chromium. A server's "
    "program runs only in Chromium, which keeps it away from this machine.",
)
@click.option(
    "--reach",
    metavar="SHARE",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=REACH,
    show_default=True,
    help="The share of its claimed ε that the audit must show for each item. At 0.9, a quarter of "
    "the samples is enough.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="For people or for programs.",
)
def audit_command(survey: str, engine: str | None, reach: float, form: str) -> None:
    """Audit what the respondent's program really sends.

    SURVEY is a survey file, to audit the program of this installation, or the link of a survey, to
    audit the program that its server serves. Nothing is sent to that server.

    The audit runs the program as the page runs it, with every truth of every item. First it
    replaces the random words by known words on both sides of every threshold. The message must then
    be exactly the expected one. After that, the program draws many reports with true randomness. ε
    is estimated from their frequencies, for each item and for several items together.

    The exit code is 1 if any verdict is a failure.
    """
    found, link = _survey(survey)
    if link is not None and engine == "node":
        raise click.UsageError(
            "a server's program is not run in Node, where it could read this machine's files: "
            "expected --engine chromium."
        )
    if link is not None and is_root():
        click.echo("Note: for root, Chromium runs without its sandbox.", err=True)
    try:
        with open_engine(found, link, engine) as opened, _shown_progress() as progress:
            result = audit(opened, found, reach, progress)
    except (EngineMissing, EngineError, TooMany) as error:
        # The program under audit may have written it.
        raise click.ClickException(printable(str(error), lines=False)) from None
    if form == "json":
        document = _document(survey, result)
        write(STDOUT, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        show(STDOUT, *_as_table(survey, result))
    if result.failures:
        raise click.exceptions.Exit(1)


def _survey(named: str) -> tuple[Survey, str | None]:
    if is_link(named):
        return fetch_survey(named), named
    return read_survey_file(named).survey, None


@contextmanager
def _shown_progress() -> Iterator[Progress]:
    bar = Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console(sys.stderr),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    tasks: dict[str, TaskID] = {}

    def progress(what: str, done: int, total: int) -> None:
        if what not in tasks:
            tasks[what] = bar.add_task(what, total=total)
        bar.advance(tasks[what], done)

    with bar:
        yield progress


def _as_table(source: str, result: Audit) -> list[RenderableType]:
    numbers = ("ε", "Found", "of ε", "Samples")
    rows = table("Item", *numbers, "Verdict", numbers=numbers)
    for item, one in zip(result.survey.items, result.items, strict=True):
        if one is None:
            rows.add_row(item.id, "direct", "–", "–", "–", "sent as it is given")
        else:
            rows.add_row(
                item.id,
                f"{one.claimed:.4f}",
                f"{one.low:.4f} to {one.high:.4f}",
                f"{one.low / one.claimed:.1%}" if one.claimed else "–",
                f"{one.samples:,}",
                "FAILS" if one.failures else "holds",
            )
    return [
        f"{source}: {result.survey.title} ({result.survey.slug}), run by {result.engine}",
        "",
        rows,
        "",
        *_joint_words(result),
        f"Known words: {result.exact.tapes:,} messages of {result.exact.length} bytes, "
        + ("NOT all as expected." if result.exact.failures else "each exactly as expected."),
        f"Random words: {result.runs:,} messages.",
        *([] if result.page else ["The page itself was not opened, because that needs Chromium."]),
        "",
        *(
            # A message of the program may stand in it.
            [f"FAILS: {printable(failure, lines=False)}" for failure in result.failures]
            or ["Everything holds."]
        ),
    ]


def _joint_words(result: Audit) -> list[str]:
    words = []
    for one in result.joint:
        names = f"{one.items[0]} and {one.items[1]}"
        if len(one.items) > 2:
            names = f"All {len(one.items)} items"
        words.append(
            f"{names} together: ε {one.claimed:.4f} claimed, at least {max(one.low, 0):.4f} found"
            f"{': FAILS' if one.failures else ''}."
        )
    return words


def _document(source: str, result: Audit) -> dict[str, Any]:
    return {
        "source": source,
        "survey": result.survey.slug,
        "revision": result.survey.revision,
        "engine": result.engine,
        "page_opened": result.page,
        "holds": not result.failures,
        "failures": list(result.failures),
        "exact": {
            "messages": result.exact.tapes,
            "bytes": result.exact.length,
            "holds": not result.exact.failures,
        },
        "reports": result.runs,
        "error": {"interval": ALPHA, "violation": NEVER},
        "items": [
            {"item": item.id, "protection": item.protection.value, **_item_document(one)}
            for item, one in zip(result.survey.items, result.items, strict=True)
        ],
        "joint": [
            {
                "items": list(one.items),
                "epsilon": one.claimed,
                "at_least": _finite(one.low),
                "holds": not one.failures,
            }
            for one in result.joint
        ],
    }


def _item_document(one: ItemVerdict | None) -> dict[str, Any]:
    if one is None:
        return {"holds": True}
    return {
        "epsilon": _finite(one.claimed),
        "interval": [_finite(one.low), _finite(one.high)],
        "samples": one.samples,
        "reach": one.share,
        "holds": not one.failures,
        "failures": list(one.failures),
    }


def _finite(value: float) -> float | None:
    """Return a number, or null for one that JSON has no word for."""
    return value if math.isfinite(value) else None
