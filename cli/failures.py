"""What becomes of an error: lines that say what to do about it, and an exit code."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, Final

import click

from deniable.cli.help import example_of
from deniable.text.safety import printable

INTERRUPTED: Final = 130
"""Exit code after Ctrl-C, as of a shell: 128 and the signal's number."""


class Interrupted(click.ClickException):
    """Ctrl-C, where something is to be said of it."""

    exit_code = INTERRUPTED


class Mistakes(click.ClickException):
    """Mistakes in files: each line says by itself where it belongs, as editors expect it."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the lines as they are."""
        click.echo(printable(self.message), file=file, err=file is None)


@contextmanager
def explained() -> Iterator[None]:
    """Turn errors that people can mend into a line for them; others stay as they are."""
    try:
        yield
    except (KeyboardInterrupt, click.Abort):  # the latter at a question
        click.echo("Stopped.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except click.UsageError as error:
        raise _shown_right(error) from None
    except (click.ClickException, click.exceptions.Exit):  # as after the help
        raise
    except OSError as error:
        # click is quiet about a closed pipe. Without a text of the system's it is no file's fault.
        if isinstance(error, BrokenPipeError) or error.strerror is None:
            raise
        place = f"{error.filename}: " if error.filename else ""
        raise click.ClickException(f"{place}{error.strerror}") from None
    except Exception as error:
        # Here and not above: they load what neither the help nor every command needs.
        from deniable.client.population import RateMistake  # noqa: PLC0415
        from deniable.client.respondent import RespondentError  # noqa: PLC0415
        from deniable.server.addresses import ServingError  # noqa: PLC0415
        from deniable.server.store import StoreError  # noqa: PLC0415
        from deniable.survey_file import SurveyFileError  # noqa: PLC0415

        known = RateMistake | RespondentError | ServingError | StoreError
        if not isinstance(error, known | SurveyFileError):
            raise
        # It may repeat what a server answered, or the name of a file.
        raise click.ClickException(printable(str(error))) from None


def _shown_right(error: click.UsageError) -> click.UsageError:
    """Add the command's first example where the words do not fit it: what goes where is then seen.

    A value that is wrong, or two options that do not go together, need none.
    """
    unfit = isinstance(error, (click.NoSuchOption, click.MissingParameter))
    if isinstance(error, click.NoSuchOption) and error.option_name == "--store":
        # Where an argument says it, --force is alike.
        error = click.NoSuchOption("--store", ctx=error.ctx)
    said = error.format_message()
    example = example_of(error.ctx) if error.ctx and error.ctx.parent else ""
    if not example or not (unfit or said.startswith("Got unexpected extra")):
        return error
    return click.UsageError(f"{said}\nFor example: {example}", error.ctx)
