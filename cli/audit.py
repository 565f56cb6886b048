"""``deniable audit``: whether anything about answers, except noisy reports, leaves the page."""

import json
import secrets
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Final

import click
from rich.console import RenderableType

from deniable import __version__
from deniable.analysis.audit import NEVER, SURE
from deniable.cli.auditing import PageVerdict, audit_page
from deniable.cli.help import ending
from deniable.cli.links import fetch_survey, file_or_link_type, is_link
from deniable.cli.options import form_option
from deniable.cli.output import TO_STDOUT, progress_bar
from deniable.cli.survey_files import read_survey_file
from deniable.cli.verify import NOT_JUDGED, Compared, compare
from deniable.client.audit.chromium import BrowserError, BrowserMissing, is_root
from deniable.client.connection import ServerUnavailable
from deniable.server.respondent.known_headers import Verdict
from deniable.survey import Survey
from deniable.text.safety import printable
from deniable.text.wording import time_tells

_TIMED: Final = 35
"""Pairs of visits among which 21 are timed: fewer do not show a pause."""


@dataclass(frozen=True)
class Audit:
    """The result of an audit."""

    survey: Survey
    seed: int
    # Differences of the served program from this release; None for this installation's own program.
    release: tuple[str, ...] | None
    page: PageVerdict

    @property
    def failures(self) -> tuple[str, ...]:
        """All failures, of the program and of the page."""
        return (*(self.release or ()), *self.page.failures)


@click.command(epilog=ending("deniable audit survey.yaml", "verify"))
@click.argument("survey", metavar="SURVEY|URL", type=file_or_link_type)
@click.option(
    "--pairs",
    metavar="N",
    type=click.IntRange(1, 100_000),
    default=100,
    show_default=True,
    help=f"How many pairs of visits are made. Fewer than {_TIMED} do not show a pause.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    help="Repeat an audit with the random words that it printed the seed of. By default a fresh "
    "one.",
)
@form_option
def audit_command(survey: str, pairs: int, seed: int | None, form: str) -> None:
    """Audit what the page really sends, in a real Chromium.

    SURVEY is a survey file, to audit this program, or a link, to audit the program that its
    server serves. The exit code is 1 if anything is wrong, and 3 if only a header is not known.
    """
    link = survey if is_link(survey) else None
    found = read_survey_file(survey).survey if link is None else fetch_survey(link)
    if is_root():
        click.echo("Note: for root, Chromium runs without its sandbox.", err=True)
    # A seed that the program under audit cannot predict.
    seed = secrets.randbits(32) if seed is None else seed
    try:
        compared = None if link is None else compare(link)
        bar = progress_bar()
        task = bar.add_task("Pairs of visits", total=pairs)
        # Here and not above: it loads a web server.
        from deniable.server.loopback import loopback  # noqa: PLC0415

        with bar, loopback(found) if link is None else nullcontext(link) as there:
            page = audit_page(found, there, pairs, seed, lambda: bar.advance(task))
    except (BrowserMissing, BrowserError, ServerUnavailable) as error:
        # The program under audit may have written the message.
        raise click.ClickException(printable(str(error), lines=False)) from None
    result = Audit(
        found, seed, None if compared is None else _program_failures(compared, page), page
    )
    if form == "json":
        document = _document(survey, result)
        TO_STDOUT.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        TO_STDOUT.show(*_as_lines(survey, result))
    if result.failures:
        raise click.exceptions.Exit(1)
    if page.not_judged:
        raise click.exceptions.Exit(NOT_JUDGED)


def _program_failures(compared: Sequence[Compared], page: PageVerdict) -> tuple[str, ...]:
    """Say in one sentence which files are not this release's; empty if all are."""
    found = [one.name for one in compared if one.verdict is Verdict.NO]
    expected = {one.address: one.expected for one in compared}
    for address, got in page.files.items():
        if expected.get(address) != got and not found:
            found.append(f"{address}, as the browser got it,")
    if not found:
        return ()
    some = ", ".join(found[:3]) + (" and more" if len(found) > 3 else "")
    release = f"deniable {__version__}"
    return (f"this is not the program of {release}: see 'deniable verify' on {some}",)


def _as_lines(source: str, result: Audit) -> list[RenderableType]:
    page = result.page
    lines: list[RenderableType] = [
        f"{source}: {result.survey.title} ({result.survey.slug})",
        "",
        f"Seed: {result.seed}.",
    ]
    if result.release is not None:
        this = "not " if result.release else ""
        lines.append(f"Program: {this}that of deniable {__version__}.")
    lines += [
        f"Page: {page.visits:,} visits in {page.engine}, "
        + ("NOT all as expected." if page.failures else "each exactly as expected."),
        f"What one visit of {int(1 / page.seen):,} shows is found with a chance of {SURE:.0%}.",
        time_tells(result.survey),
    ]
    if page.not_judged:
        lines.append(
            "Not judged: this release does not know what a browser does by the header "
            f"{', '.join(printable(name, lines=False) for name in page.not_judged)}."
        )
    # A failure may quote a message of the program under audit.
    failing = [f"FAILS: {printable(failure, lines=False)}" for failure in result.failures]
    holds = "All that was looked at holds." if page.not_judged else "Everything holds."
    return [*lines, "", *(failing or [holds])]


def _document(source: str, result: Audit) -> dict[str, Any]:
    page = result.page
    return {
        "source": source,
        "survey": result.survey.slug,
        "revision": result.survey.revision,
        "release": __version__,
        "is_release": None if result.release is None else not result.release,
        "seed": result.seed,
        "holds": not result.failures,
        "failures": list(result.failures),
        "not_judged": list(page.not_judged),
        "engine": page.engine,
        "visits": page.visits,
        "found_from": page.seen,
        "false_alarm": NEVER,
        "files": page.files,
    }
