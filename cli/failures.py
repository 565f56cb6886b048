"""Errors at the command line: lines that say what to do, and an exit code."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, Final

import click

from deniable.cli.help import example_of
from deniable.text.doors import at_command
from deniable.text.safety import AS_UTF8, printable

INTERRUPTED: Final = 130
"""Exit code after Ctrl-C, as in a shell: 128 plus the signal's number."""


class Interrupted(click.ClickException):
    """Ctrl-C with a message."""

    exit_code = INTERRUPTED


class Mistakes(click.ClickException):
    """Mistakes in files, each a line with its place in the form that editors expect."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the lines without click's "Error:"."""
        click.echo(printable(self.message), file=file, err=file is None)


@contextmanager
def explained() -> Iterator[None]:
    """Turn errors that users can fix into a line for them; leave other errors alone."""
    try:
        yield
    except (KeyboardInterrupt, click.Abort):  # the latter at a question
        click.echo("Stopped.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except click.UsageError as error:
        raise _shown_right(error) from None
    except (click.ClickException, click.exceptions.Exit):  # the help ends with Exit
        raise
    except OSError as error:
        # click handles a closed pipe silently. An error without a system text is no file's.
        if isinstance(error, BrokenPipeError) or error.strerror is None:
            raise
        place = f"{error.filename}: " if error.filename else ""
        raise click.ClickException(f"{place}{error.strerror}") from None
    except Exception as error:
        # Here and not above: they load what neither the help nor every command needs.
        from deniable.client.connection import ServerUnavailable  # noqa: PLC0415
        from deniable.client.population import RateMistake  # noqa: PLC0415
        from deniable.client.respondent import RespondentError  # noqa: PLC0415
        from deniable.server.addresses import ServingError  # noqa: PLC0415
        from deniable.server.store import StoreError  # noqa: PLC0415
        from deniable.survey_file import SurveyFileError  # noqa: PLC0415

        known = RateMistake | RespondentError | ServerUnavailable | ServingError | StoreError
        if not isinstance(error, known | SurveyFileError):
            raise
        # The message may quote a server's answer or the name of a file.
        raise click.ClickException(printable(str(error))) from None


@contextmanager
def blamed(
    place: str = "", kind: Callable[[str], click.ClickException] = click.ClickException
) -> Iterator[None]:
    """Turn a mistake in something that was named into an error of `kind`, after its place."""
    start = f"{'<stdin>' if place == '-' else place}: " * bool(place)
    try:
        yield
    except UnicodeDecodeError:
        raise kind(f"{start}expected a CSV in UTF-8: {AS_UTF8}") from None
    except (ValueError, ImportError) as mistake:
        raise kind(start + at_command(mistake)) from None


def _shown_right(error: click.UsageError) -> click.UsageError:
    """Add the command's first example to an error about missing, unknown or extra arguments."""
    unfit = isinstance(error, (click.NoSuchOption, click.MissingParameter))
    if isinstance(error, click.NoSuchOption) and error.option_name == "--store":
        # click would suggest --force where the store is an argument.
        error = click.NoSuchOption("--store", ctx=error.ctx)
    said = error.format_message()
    example = example_of(error.ctx) if error.ctx and error.ctx.parent else ""
    if not example or not (unfit or said.startswith("Got unexpected extra")):
        return error
    return click.UsageError(f"{said}\nFor example: {example}", error.ctx)
