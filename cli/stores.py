"""A store and a survey in it, named on the command line."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from deniable.cli.help import example_of
from deniable.cli.survey_files import STDIN, file_of, read_survey_file
from deniable.server.store import Store, StoreNotFound, files_of, open_store
from deniable.server.store.accounts import NOBODY
from deniable.server.store.errors import others_may_enter
from deniable.server.store.retention import told_of
from deniable.server.store.schedule import told_of_cap
from deniable.server.web.tls import is_loopback
from deniable.survey import Survey
from deniable.survey.revisions import following
from deniable.text.near import meant

if TYPE_CHECKING:
    from deniable.study.received import Received
    from deniable.survey_file import PlanFields

_LEFT_OUT: Final = "a an any at did do ever had has have in is meeting of on the to trial was you"


@contextmanager
def opened(url: str, *, writes: bool = False, create: bool = False) -> Iterator[Store]:
    """Open a store, and close it at the end; read-only unless it is written or created."""
    with found_at_its_address():
        store = open_store(url, create=create, read_only=not (writes or create))
    with closing(store), store.told():
        yield store


@contextmanager
def found_at_its_address() -> Iterator[None]:
    """Name the options that give another store, if none is found."""
    try:
        yield
    except StoreNotFound as error:
        context = click.get_current_context()
        options = {name for one in context.command.get_params(context) for name in one.opts}
        named = " with --store (or DENIABLE_STORE)"
        if "--store" not in options:
            named = f" as in '{example_of(context)}'"
        given = ", give a CSV of reports with --reports" * ("--reports" in options)
        raise click.ClickException(
            f"{error}; name another one{named}{given}, or make one with 'deniable serve'"
        ) from None


def look_at_folder(store: str, host: str, url: str | None = None) -> None:
    """Refuse a store of other people's answers whose folder other accounts may enter.

    Refused is only a server that somebody set up (with `url`), and a folder that its owner can
    close. Others are told: who tries it out for the first time, and in a container, where a volume
    may be of anybody, but where there are no other accounts.
    """
    if url is None and is_loopback(host):
        return  # nobody else answers
    for file in files_of(store)[:1]:
        folder = Path(file).parent
        if told := others_may_enter(folder):
            found = folder.stat()
            can_close = found.st_uid == os.getuid() and not found.st_mode & stat.S_ISVTX
            if url and can_close:
                raise click.ClickException(told)
            click.echo(f"warning: {told}", err=True)


def somebody_is_there() -> bool:
    """Return whether the input is a terminal, so that a person can answer."""
    return sys.stdin is not None and sys.stdin.isatty()


def find_survey(store: Store, slug: str | None, revision: str | None = None) -> Survey:
    """Find a survey in a store, or one of its revisions by its first digits."""
    slug = find_slug(store, slug)
    if revision is None:
        return store.survey(slug)
    digits = revision.replace(" ", "")
    found = store.revisions(slug)
    known = [store.revision(slug, one) for one in found]
    matching = [
        one
        for one in known
        if any(n.startswith(digits) for n in (one.revision, *one.check_numbers))
    ]
    if len(matching) != 1:
        raise click.ClickException(
            f"expected a revision of {slug!r}, or the first digits of just one, "
            f"found {revision!r}; there are {', '.join(found)}"
        )
    return matching[0]


def following_published(survey: Survey, published: str) -> tuple[str, ...]:
    """Say how a survey differs from its published one, in a survey.json or a store by its URL."""
    if "://" in published:
        with opened(published) as store:
            if survey.slug not in {one.survey.slug for one in store.surveys()}:
                raise click.ClickException(f"{store.name}: has no survey {survey.slug!r}")
            before = [store.revision(survey.slug, one) for one in store.revisions(survey.slug)]
            now, schedule = store.survey(survey.slug), store.schedule(survey.slug)
            warnings = told_of_cap(schedule, is_by_invitation=now.is_by_invitation)
            return (*following(survey, now, before), *warnings)
    try:
        current = Survey.from_json(Path(published).read_bytes())
    except (OSError, ValueError) as mistake:
        raise click.ClickException(f"{published}: {mistake}") from None
    if current.slug != survey.slug:
        raise click.ClickException(f"{published}: is of {current.slug!r}, not {survey.slug!r}")
    return following(survey, current)


def received_by(
    store: Store, survey: Survey, revision: str | None, *, small_cells: bool = False
) -> Received:
    """Return a survey's reports, also those to its other revisions unless one was named."""
    # Imported late: links, accounts and states need no statistics.
    from deniable.server.store.leaving import rule_of  # noqa: PLC0415
    from deniable.study.received import Received  # noqa: PLC0415
    from deniable.survey_file import plan_of  # noqa: PLC0415

    slug = survey.slug
    plan = plan_of(store.source(slug, store.current_revision(slug)))
    least, wanted = rule_of(plan, store.left(slug))
    return Received(
        survey,
        tuple((store.revision(slug, one), store.count(slug, one)) for one in store.revisions(slug)),
        lambda one: store.rows(slug, one.revision),
        is_chosen=revision is not None,
        least=1 if small_cells else least,
        wanted=wanted,
    )


@contextmanager
def reports_in(
    url: str, slug: str | None, revision: str | None = None, *, small_cells: bool = False
) -> Iterator[tuple[Store, Received]]:
    """Open a store and find a survey's reports in it; print the notes on single reports."""
    with opened(url) as store:
        survey = find_survey(store, slug, revision)
        tell_of_single_reports(store, survey.slug)
        yield store, received_by(store, survey, revision, small_cells=small_cells)


def planned_for(
    store: Store, survey: Survey, named: str | None, revision: str | None = None
) -> PlanFields:
    """Return the plan of the named file if it asks the survey, else of the file in the store.

    The plan is empty if a revision was named.
    """
    from deniable.survey_file import plan_of  # noqa: PLC0415  no help needs it

    if revision is not None:
        return plan_of("")
    if named is not None and named != STDIN and file_of(named):
        file = read_survey_file(named)
        if any(file.survey.is_asked_as(one) for one in (survey, *survey.earlier)):
            return file.plan
    return plan_of(store.source(survey.slug, survey.revision))


def find_slug(store: Store, slug: str | None) -> str:
    """Return a survey's name in the store, from its name or file, or that of the only survey."""
    kinds = {record.survey.slug: record.survey.kind for record in store.surveys()}
    slugs = [*kinds]
    if slug in slugs:
        return slug
    if slug is not None and Path(slug).is_file():
        return _named_in(slug, store)
    if not slugs:
        raise click.ClickException(f"{store.name}: there is no survey in this store yet")
    # Trials and meetings count only if the store has no real survey.
    slugs = [one for one in slugs if kinds[one] == "survey"] or slugs
    if slug is not None:
        hint = meant(slug, slugs)
        raise click.ClickException(f"{store.name}: there is no survey {slug!r}; {hint}")
    if len(slugs) > 1:
        raise click.ClickException(f"{store.name}: which survey? There are {', '.join(slugs)}")
    return slugs[0]


def find_user(store: Store, name: str | None) -> str:
    """Return an account's name after a check; without a name, the only account or `NOBODY`."""
    names = [user.name for user in store.users()]
    if name is not None:
        name = name.strip().lower()
    if name in names:
        return name
    if not names and name is None:
        return NOBODY
    if name is None and len(names) == 1:
        return names[0]
    asked = "say whose account;" if name is None else f"there is no account {name!r};"
    some = f"there {'is' if len(names) == 1 else 'are'} {', '.join(names)}"
    there = some if names else "'deniable user add' makes one"
    raise click.ClickException(f"{store.name}: {asked} {there}")


def told_rate(store: Store, slug: str) -> str:
    """Say the response rate of a survey by invitation, as the desk shows it; else nothing."""
    found, on = store.invited(slug), store.wave(slug)
    if found is None:
        return ""
    told = found.told(store.survey(slug), on, on=on)
    return f"is by invitation. Response rate, of the reports that the desk shows: {told}."


def tell_of_single_reports(store: Store, slug: str) -> None:
    """Print notes on reports that the desk does not show yet, and on when reports are deleted."""
    count, shown = store.count(slug), store.snapshot(slug).count()
    if shown < count:
        click.echo(
            f"Note: this sees each report as soon as it arrives: {count:,}, of which the desk "
            f"shows {shown:,}.",
            err=True,
        )
    if told := told_of(store.retentions(), slug):
        click.echo(f"Note: {told}", err=True)


def _named_in(path: str, store: Store) -> str:
    """Return the name of the survey in a file; print a note if the store has no such revision."""
    survey = read_survey_file(path).survey
    slug = find_slug(store, survey.slug)
    same = [one for one in store.revisions(slug) if one == survey.revision]
    kept = [store.revision(slug, one) for one in same] or [store.survey(slug)]
    if not any(survey.is_asked_as(one) for one in (*kept, *kept[0].earlier)):
        click.echo(
            f"Note: {path} differs from every revision of {slug!r} in {store.name}.", err=True
        )
    return slug


def new_name(question: str, url: str | None) -> str:
    """Make a survey's name from a question, unused in the store and in the working folder."""
    taken = set()
    if url:
        with opened(url, create=True) as kept:
            taken = {one.survey.slug for one in kept.surveys()}
    words = [one for one in re.findall("[a-z]+", question.lower()) if one not in _LEFT_OUT.split()]
    first = "-".join([*words, "question"][:2])[:40]
    names = (first, *(f"{first}-{number}" for number in range(2, 10_000)))
    return next(one for one in names if one not in taken and not any(Path().glob(f"{one}.*")))
