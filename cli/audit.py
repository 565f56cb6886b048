"""``deniable audit``: whether the program in the browser keeps the ε that it claims."""

import json
import math
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import click
from rich.console import RenderableType
from rich.progress import TaskID

from deniable import __version__
from deniable.analysis.audit import ALPHA, NEVER, REACH, SURE, ItemVerdict
from deniable.cli.auditing import (
    ModulesVerdict,
    PageVerdict,
    Progress,
    audit_modules,
    audit_page,
)
from deniable.cli.help import ending
from deniable.cli.links import fetch_survey, file_or_link_type, is_link
from deniable.cli.options import form_option, percent_type
from deniable.cli.output import STDOUT, progress_bar, show, write
from deniable.cli.survey_files import read_survey_file
from deniable.cli.verify import NOT_JUDGED, Compared, compare
from deniable.client.audit.chromium import is_root
from deniable.client.audit.engine import EngineError, EngineMissing
from deniable.client.audit.node import node
from deniable.client.connection import ServerUnavailable
from deniable.results.text import table
from deniable.server.respondent.known_headers import Verdict
from deniable.survey import Survey
from deniable.text.safety import printable
from deniable.text.wording import time_tells

_FOUND: Final = f"is found with a chance of {SURE:.0%}"


@dataclass(frozen=True)
class Audit:
    """What an audit found."""

    survey: Survey
    seed: int
    # In what the served program differs from this release; None if it is that of this
    # installation.
    release: tuple[str, ...] | None
    page: PageVerdict | None  # none if the page was not visited
    modules: ModulesVerdict | None  # none if the modules were not called
    skipped: tuple[str, ...]  # what was not looked at, and why

    @property
    def failures(self) -> tuple[str, ...]:
        """Everything that is wrong; empty if nothing."""
        parts = [part.failures for part in (self.page, self.modules) if part is not None]
        return (*(self.release or ()), *(failure for part in parts for failure in part))


@click.command(
    epilog=ending(
        "deniable new doping -o doping.yaml",
        "deniable audit doping.yaml",
        "deniable audit https://survey.example.org/KVYTHNR/",
        "deniable audit doping.yaml --engine node --reach 0.9",
    )
)
@click.argument("survey", metavar="SURVEY|URL", type=file_or_link_type)
@click.option(
    "--engine",
    type=click.Choice(["chromium", "node"]),
    help="Only visit the page (chromium), or only call its modules (node). By default both. A "
    "server's program runs only in Chromium, which keeps it away from this machine.",
)
@click.option(
    "--submissions",
    metavar="N",
    type=click.IntRange(1, 100_000),
    default=300,
    show_default=True,
    help="How often the page is visited with the first of each item's two truths that tell most, "
    "and with the second.",
)
@click.option(
    "--reach",
    metavar="PERCENT",
    type=percent_type(below=True),
    default=f"{100 * REACH:g}",
    show_default=True,
    help="The share of its claimed ε that the modules must show for each item. At 90, a quarter "
    "of the samples is enough.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    help="Repeat an audit with the random words that it printed the seed of. By default a fresh "
    "one.",
)
@form_option
def audit_command(
    survey: str,
    engine: str | None,
    submissions: int,
    reach: float,
    seed: int | None,
    form: str,
) -> None:
    """Audit what the respondent's program really sends.

    SURVEY is a survey file, to audit the program of this installation, or the link of a survey, to
    audit the program that its server serves. That server is asked for the page's files, as by
    'deniable verify', and is sent nothing.

    The audit visits the page in Chromium as people do, many times, in pairs: two people of whom
    different things are true, with the same random words, chosen so that both send the same
    report. Everything else that leaves the page or stays behind must then be the same, to the
    byte. After that it calls the program's modules in Node with the words on both sides of every
    threshold, and with many random ones, from which ε is estimated. A server's modules are those of
    this installation if its program is this release's; others are not called.

    The exit code is 1 if any verdict is a failure, or if the server's program is not this
    release's. It is 3 if nothing else is wrong, but a header came that this release does not know.
    """
    found, link = _survey(survey)
    if link is not None and engine == "node":
        raise click.UsageError(
            "a server's program is not run in Node, where it could read this machine's files: "
            "expected --engine chromium."
        )
    if engine != "node" and is_root():
        click.echo("Note: for root, Chromium runs without its sandbox.", err=True)
    # One that no program can know before.
    seed = secrets.randbits(32) if seed is None else seed
    try:
        with _shown_progress() as progress:
            result = _audit(found, link, engine, submissions, reach, seed, progress)
    except (EngineMissing, EngineError, ServerUnavailable) as error:
        # The program under audit may have written it.
        raise click.ClickException(printable(str(error), lines=False)) from None
    if form == "json":
        document = _document(survey, result)
        write(STDOUT, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        show(STDOUT, *_as_table(survey, result))
    if result.failures:
        raise click.exceptions.Exit(1)
    if result.page is not None and result.page.not_judged:
        raise click.exceptions.Exit(NOT_JUDGED)


def _audit(
    survey: Survey,
    link: str | None,
    engine: str | None,
    submissions: int,
    reach: float,
    seed: int,
    progress: Progress,
) -> Audit:
    """Verify first, then visit the page, then call the modules, as far as each can be done."""
    skipped = []
    compared = None if link is None else compare(link)
    page = modules = None
    if engine == "node":
        skipped.append("The page was not visited, only its modules were called.")
    else:
        try:
            page = _visited(survey, link, submissions, seed, progress)
        except EngineMissing as missing:
            if engine is not None or link is not None:
                raise
            skipped.append(
                f"The page was not visited, so nothing is known of what it does beside its "
                f"modules: {missing}."
            )
    differences = None if compared is None else _differences(compared, page)
    if differences:
        skipped.append("The modules were not called: they are not those of this release.")
    elif engine == "chromium":
        skipped.append("The modules were not called, so that ε was not estimated.")
    else:
        try:
            with node(survey) as running:
                modules = audit_modules(running, survey, reach, seed, progress)
        except EngineMissing as missing:
            if engine is not None or page is None:
                raise
            skipped.append(f"The modules were not called, so that ε was not estimated: {missing}.")
    if page is not None and page.not_judged:
        skipped.append(
            "Not judged: this release does not know what a browser does by the header "
            f"{', '.join(printable(name, lines=False) for name in page.not_judged)}."
        )
    return Audit(survey, seed, differences, page, modules, tuple(skipped))


def _visited(
    survey: Survey, link: str | None, submissions: int, seed: int, progress: Progress
) -> PageVerdict:
    if link is not None:
        return audit_page(survey, link, submissions, seed, progress)
    # Here and not above: it loads a web server.
    from deniable.server.loopback import loopback  # noqa: PLC0415

    with loopback(survey) as own:
        return audit_page(survey, own, submissions, seed, progress)


def _differences(compared: Sequence[Compared], page: PageVerdict | None) -> tuple[str, ...]:
    """Say in what a server's program differs from this release, for whoever asks for it."""
    found = [one.name for one in compared if one.verdict is Verdict.NO]
    expected = {one.address: one.expected for one in compared}
    for address, got in ({} if page is None else page.files).items():
        if expected.get(address) != got and not found:
            found.append(f"{address}, as the browser got it,")
    if not found:
        return ()
    some = ", ".join(found[:3]) + (" and more" if len(found) > 3 else "")
    release = f"deniable {__version__}"
    return (f"this is not the program of {release}: see 'deniable verify' on {some}",)


def _survey(named: str) -> tuple[Survey, str | None]:
    if is_link(named):
        return fetch_survey(named), named
    return read_survey_file(named).survey, None


@contextmanager
def _shown_progress() -> Iterator[Progress]:
    bar = progress_bar()
    tasks: dict[str, TaskID] = {}

    def progress(what: str, done: int, total: int) -> None:
        if what not in tasks:
            tasks[what] = bar.add_task(what, total=total)
        bar.advance(tasks[what], done)

    with bar:
        yield progress


def _as_table(source: str, result: Audit) -> list[RenderableType]:
    lines: list[RenderableType] = [
        f"{source}: {result.survey.title} ({result.survey.slug})",
        "",
        f"Seed: {result.seed}.",
    ]
    if result.release is not None:
        this = "not " if result.release else ""
        lines.append(f"Program: {this}that of deniable {__version__}.")
    if result.page is not None:
        page = result.page
        lines.append(
            f"Page: {page.visits:,} visits in {page.engine}, "
            + ("NOT all as expected." if page.failures else "each exactly as expected.")
        )
        lines.append(f"What one visit of {int(1 / page.seen):,} shows {_FOUND}.")
    if result.modules is not None:
        lines += _modules_words(result.survey, result.modules)
    lines += [time_tells(result.survey), *result.skipped]
    # A message of the program may stand in it.
    failing = [f"FAILS: {printable(failure, lines=False)}" for failure in result.failures]
    holds = "Everything holds." if not result.skipped else "All that was looked at holds."
    return [*lines, "", *(failing or [holds])]


def _modules_words(survey: Survey, modules: ModulesVerdict) -> list[RenderableType]:
    numbers = ("ε", "Found", "of ε", "Samples")
    rows = table("Item", *numbers, "Verdict", numbers=numbers)
    for item, one in zip(survey.items, modules.items, strict=True):
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
    exact = modules.exact
    known = f"{exact.tapes:,} messages of {exact.length} bytes"
    verdict = "NOT all as expected." if exact.failures else "each exactly as expected."
    return [
        f"Modules in Node, known words: {known}, {verdict}",
        f"Modules in Node, random words: {modules.runs:,} messages.",
        "",
        rows,
        "",
        *_joint_words(modules),
    ]


def _joint_words(result: ModulesVerdict) -> list[str]:
    seen = [one.seen for one in result.items if one]
    words = (
        [f"A report that comes {100 * max(seen):.2f} points too often {_FOUND}."] if seen else []
    )
    for one in result.joint:
        names = f"{one.items[0]} and {one.items[1]}"
        if len(one.items) > 2:
            names = f"All {len(one.items)} items"
        words.append(
            f"{names} together: ε {one.claimed:.4f} claimed, at least {max(one.low, 0):.4f} found"
            f"{': FAILS' if one.failures else ''}."
        )
        if math.isfinite(one.seen):
            words.append(f"A dependence of {100 * one.seen:.2f} points {_FOUND}.")
    return words


def _document(source: str, result: Audit) -> dict[str, Any]:
    page, modules = result.page, result.modules
    document: dict[str, Any] = {
        "source": source,
        "survey": result.survey.slug,
        "revision": result.survey.revision,
        "release": __version__,
        "is_release": None if result.release is None else not result.release,
        "seed": result.seed,
        "holds": not result.failures,
        "failures": list(result.failures),
        "not_looked_at": list(result.skipped),
        "page": None,
        "modules": None,
    }
    if page is not None:
        document["page"] = {
            "engine": page.engine,
            "visits": page.visits,
            "found_from": page.seen,
            "files": page.files,
            "holds": not page.failures,
            "failures": list(page.failures),
            "not_judged": list(page.not_judged),
        }
    if modules is not None:
        document["modules"] = {
            "engine": "Node",
            "holds": not modules.failures,
            "exact": {
                "messages": modules.exact.tapes,
                "bytes": modules.exact.length,
                "holds": not modules.exact.failures,
            },
            "reports": modules.runs,
            "error": {"interval": ALPHA, "violation": NEVER},
            "items": [
                {"item": item.id, "protection": item.protection.value, **_item_document(one)}
                for item, one in zip(result.survey.items, modules.items, strict=True)
            ],
            "joint": [
                {
                    "items": list(one.items),
                    "epsilon": one.claimed,
                    "at_least": _finite(one.low),
                    "found_from": _finite(one.seen),
                    "holds": not one.failures,
                }
                for one in modules.joint
            ],
        }
    return document


def _item_document(one: ItemVerdict | None) -> dict[str, Any]:
    if one is None:
        return {"holds": True}
    return {
        "epsilon": _finite(one.claimed),
        "interval": [_finite(one.low), _finite(one.high)],
        "samples": one.samples,
        "reach": one.share,
        "found_from": _finite(one.seen),
        "holds": not one.failures,
        "failures": list(one.failures),
    }


def _finite(value: float) -> float | None:
    """Return a number, or null for one that JSON has no word for."""
    return value if math.isfinite(value) else None
