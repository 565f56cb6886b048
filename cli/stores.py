"""A store and a survey in it, as they are named on the command line."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from deniable.cli.help import example_of
from deniable.cli.survey_files import read_survey_file
from deniable.server.store import Store, StoreNotFound, open_store
from deniable.server.store.accounts import NOBODY
from deniable.server.store.retention import told_of
from deniable.server.store.store import AT_START
from deniable.survey import Survey
from deniable.survey.history import following
from deniable.survey_file import PlanFields, plan_of
from deniable.text.near import meant

if TYPE_CHECKING:
    from deniable.analysis.counts.tally import Tally
    from deniable.analysis.privacy.disclosure import Rows

_LEFT_OUT: Final = "a an any at did do ever had has have in is meeting of on the to trial was you"


@contextmanager
def opened(url: str, *, writes: bool = False, create: bool = False) -> Iterator[Store]:
    """Open a store, and close it in the end."""
    with found_at_its_address():
        store = open_store(url, create=create, read_only=not (writes or create))
    with closing(store), store.told():
        yield store


@contextmanager
def found_at_its_address() -> Iterator[None]:
    """Say which options name another store, if there is none at an address."""
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


def somebody_is_there() -> bool:
    """Return whether a person can be asked: not where the input is a file, a pipe or nothing."""
    return sys.stdin is not None and sys.stdin.isatty()


def find_survey(store: Store, slug: str | None, revision: str | None = None) -> Survey:
    """Find a survey in a store."""
    slug = find_slug(store, slug)
    if revision is None:
        return store.survey(slug)
    digits = revision.replace(" ", "")
    found = store.revisions(slug)
    known = [store.revision(slug, one) for one in found]
    matching = [
        one for one in known if any(n.startswith(digits) for n in (one.revision, *one.numbers))
    ]
    if len(matching) != 1:
        raise click.ClickException(
            f"expected a revision of {slug!r}, or the first digits of just one, "
            f"found {revision!r}; there are {', '.join(found)}"
        )
    return matching[0]


def following_published(survey: Survey, published: str) -> tuple[str, ...]:
    """Say how a survey follows on one that is published: a survey.json, or the URL of a store."""
    if "://" in published:
        with opened(published) as store:
            if survey.slug not in {one.survey.slug for one in store.surveys()}:
                raise click.ClickException(f"{store.name}: has no survey {survey.slug!r}")
            before = [store.revision(survey.slug, one) for one in store.revisions(survey.slug)]
            return following(survey, store.survey(survey.slug), before)
    try:
        current = Survey.from_json(Path(published).read_bytes())
    except (OSError, ValueError) as mistake:
        raise click.ClickException(f"{published}: {mistake}") from None
    if current.slug != survey.slug:
        raise click.ClickException(f"{published}: is of {current.slug!r}, not {survey.slug!r}")
    return following(survey, current)


def answers_to(store: Store, survey: Survey, revision: str | None) -> Iterator[bytes]:
    """Read the answers to a survey: also to its other revisions, unless one was named."""
    store.make_sure(seconds=AT_START)
    if revision is not None:
        return store.answers(survey.slug, survey.revision)
    # Late, as below: links, accounts and states need no statistics.
    from deniable.analysis.counts.pooling import pool_answers  # noqa: PLC0415

    return pool_answers(survey, store.by_revision(survey.slug))


def least_of(store: Store, survey: Survey, revision: str | None, *, small_cells: bool) -> int:
    """Return how many people a direct answer needs to be shown; with `small_cells` it needs one."""
    from deniable.analysis.counts.pooling import least_of_one  # noqa: PLC0415
    from deniable.analysis.privacy.cells import LEAST  # noqa: PLC0415

    if small_cells or revision is None:
        return 1 if small_cells else LEAST
    revisions = [one for one in store.revisions(survey.slug) if store.count(survey.slug, one)]
    return least_of_one(survey, (store.revision(survey.slug, one) for one in revisions))


def rows_to(store: Store, survey: Survey, revision: str | None, *, small_cells: bool) -> Rows:
    """Read the same, with what decides which direct answers are shown."""
    from deniable.analysis.counts.pooling import pool_rows  # noqa: PLC0415

    store.make_sure(seconds=AT_START)
    least = least_of(store, survey, revision, small_cells=small_cells)
    if revision is not None:
        return pool_rows(survey, [(survey, store.answers(survey.slug, survey.revision))], least)
    return pool_rows(survey, store.by_revision(survey.slug), least)


def tallies_to(
    store: Store, survey: Survey, revision: str | None, *, small_cells: bool
) -> dict[int, Tally]:
    """Count the same by wave; of direct answers as files of reports show them."""
    from deniable.analysis.counts.tally import count_waves  # noqa: PLC0415
    from deniable.analysis.privacy.disclosure import direct_places  # noqa: PLC0415

    if small_cells or not direct_places(survey) or len(store.revisions(survey.slug)) == 1:
        return count_waves(answers_to(store, survey, revision), survey)
    return rows_to(store, survey, revision, small_cells=False).tallies()


def planned_for(store: Store, survey: Survey, revision: str | None) -> PlanFields:
    """Return what the survey's file plans; nothing of a revision that was named by itself."""
    named = revision is None
    return plan_of(store.source(survey.slug, survey.revision) if named else "")


def counted(store: Store, survey: Survey, revision: str | None) -> tuple[tuple[str, int], ...]:
    """Return the fingerprints of the revisions that are counted, and of how many reports."""
    from deniable.analysis.counts.pooling import match  # noqa: PLC0415

    wanted = store.revisions(survey.slug) if revision is None else [survey.revision]
    found = (store.revision(survey.slug, one) for one in wanted)
    return tuple(
        (one.fingerprint, n)
        for one in found
        if match(survey, one).is_pooled and (n := store.count(survey.slug, one.revision))
    )


def others_told(store: Store, survey: Survey, revision: str | None) -> list[str]:
    """Say what became of the reports to each other revision, in a sentence each."""
    from deniable.analysis.counts.pooling import match  # noqa: PLC0415

    counts = {
        one: count
        for one in store.revisions(survey.slug)
        if one != survey.revision and (count := store.count(survey.slug, one))
    }
    if revision is not None:
        n = sum(counts.values())
        return [f"{n:,} reports to other revisions are not in this."] if n else []
    return [
        match(survey, store.revision(survey.slug, one)).told(count) for one, count in counts.items()
    ]


def find_slug(store: Store, slug: str | None) -> str:
    """Check that a survey is in the store, or find the only one; errors as in `find_survey`."""
    kinds = {record.survey.slug: record.survey.kind for record in store.surveys()}
    slugs = [*kinds]
    if slug in slugs:
        return slug
    if slug is not None and Path(slug).is_file():
        return _named_in(slug, store)
    if not slugs:
        raise click.ClickException(f"{store.name}: there is no survey in this store yet")
    if slug is not None:
        hint = meant(slug, slugs)
        raise click.ClickException(f"{store.name}: there is no survey {slug!r}; {hint}")
    # What is made up, or a class's, is never meant where nothing was said.
    slugs = [one for one in slugs if kinds[one] == "survey"] or slugs
    if len(slugs) > 1:
        raise click.ClickException(f"{store.name}: which survey? There are {', '.join(slugs)}")
    return slugs[0]


def find_user(store: Store, name: str | None) -> str:
    """Check that there is an account, or find the only one."""
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


def tell_of_single_reports(store: Store, slug: str) -> None:
    """Say which reports a command sees that the desk does not show yet, and when they go."""
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
    """Return the name of the survey in a file, and say if the store has the file otherwise."""
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
    """Make a name of a question, which no survey in the store has yet, and no file here."""
    taken = set()
    if url:
        with opened(url, create=True) as kept:
            taken = {one.survey.slug for one in kept.surveys()}
    words = [one for one in re.findall("[a-z]+", question.lower()) if one not in _LEFT_OUT.split()]
    first = "-".join([*words, "question"][:2])[:40]
    names = (first, *(f"{first}-{number}" for number in range(2, 10_000)))
    return next(one for one in names if one not in taken and not any(Path().glob(f"{one}.*")))
