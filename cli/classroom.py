"""``deniable classroom``: a meeting of a class, on a laptop and its network."""

from pathlib import Path
from typing import Final

import click

from deniable import survey_file
from deniable.cli.failures import blamed
from deniable.cli.help import ending
from deniable.cli.options import address_option, port_option, store_option
from deniable.cli.output import square
from deniable.cli.stores import find_user, look_at_folder, opened
from deniable.cli.survey_files import read_survey_file
from deniable.server.addresses import Place, port_after
from deniable.server.desk.auth.login_links import new_link
from deniable.server.serving import Ready, serve
from deniable.server.store import Store
from deniable.survey import Survey
from deniable.text.safety import printable

_ALL: Final = "0.0.0.0"  # noqa: S104  phones come from outside

DEFAULT: Final = "first-days"
"""The question of a class, if none is named."""


@click.command(epilog=ending("deniable classroom snooze", "first-lesson"))
@click.argument("survey", metavar="[SURVEY]", default=DEFAULT)
@store_option
@click.option(
    "--host",
    default=_ALL,
    show_default=True,
    help="Address at which phones' pages listen. With 127.0.0.1, this machine alone reaches them.",
)
@port_option(
    "Port at which phones join, or 0 for any free port. The desk is at the one after it.",
)
@click.option(
    "--user", metavar="NAME", help="Whose meeting it is, if there are accounts ('deniable user')."
)
@address_option(
    "--url", "Address at which phones reach this machine.  [default: its address in its network]"
)
def classroom_command(
    survey: str, store: str, host: str, port: int, user: str | None, url: str | None
) -> None:
    """Begin a meeting: a class answers on phones, and sees the noise.

    SURVEY is a survey file, the name of a survey in the store, or a question that is ready
    ('deniable new' lists them).
    """
    look_at_folder(store, host, url)
    with opened(store, create=True) as kept:
        found, owner = _find(kept, survey), find_user(kept, user)
        if kept.is_used_elsewhere():
            raise click.ClickException(
                "another program has the store open. If it is a server, press Class at its desk. "
                "Else stop it, and run this command again"
            )

    def announce(ready: Ready) -> None:
        with opened(store, writes=True) as again:
            _begin(again, found, owner, ready.respondents_url, ready.desk_url)
        if ready.this_machine_only:
            why = (
                "it listens on this machine only"
                if host != _ALL
                else "this machine is in no network"
            )
            click.echo(f"Warning: {why}, so no phone can join.", err=True)
        click.echo("Ctrl-C stops the server.")

    serve(
        store,
        [],
        on_ready=announce,
        respondents=Place(host, port, url),
        desk=Place(port=port_after(port)),
    )


def _find(store: Store, name: str) -> Survey:
    """Find a survey by its file, its name in the store, or the name of a ready question."""
    # Here and not above: they load what no other command needs.
    from deniable.server.desk.editor.starters import ready_questions, shipped  # noqa: PLC0415

    if Path(name).is_file():
        return read_survey_file(name).survey
    try:
        return store.survey(name)
    except KeyError:
        pass
    text = shipped().get(name)
    if text is None:
        raise click.ClickException(
            f"found no file, no survey in the store and no question of the name {name!r}; "
            f"questions that are ready: {', '.join(ready_questions())}"
        )
    return survey_file.read(text).survey


def _begin(store: Store, survey: Survey, owner: str, base: str, desk: str) -> None:
    """Begin the meeting, and print its links."""
    from deniable.server.desk.live.projector import join_address  # noqa: PLC0415
    from deniable.server.desk.live.session import begin_meeting  # noqa: PLC0415

    with blamed(survey.slug):
        meeting = begin_meeting(store, owner, survey)
    link, address = join_address(base, meeting)
    lines = [
        f"Phones join at {address} with the code {meeting.code}, or by this square:",
        square(link),
        f"  {link}",
        "You sign in here, once, and lead the meeting:",
        f"  {new_link(store, desk, owner)}?meeting={meeting.id}",
        "If you close that page, it is here:",
        f"  {desk}/desk/meetings/{meeting.id}",
        "For the projector, where nobody has to sign in:",
        f"  {desk}/desk/projector/{meeting.id}",
        f"Manual: {desk}/desk/help/",
    ]
    click.echo(printable("\n".join(lines)))
