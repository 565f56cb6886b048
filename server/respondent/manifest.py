"""The manifest of a release: hashes of what respondents' pages run, their shell, known headers.

It has the shape of the integrity manifest of W3C's WAICT drafts: what is loaded from an address
stands under it, and what may stand anywhere stands in a list. No browser reads such manifests yet.
Those that do will ignore what they do not know, such as the release's version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

from deniable import __version__
from deniable.server.respondent.known_headers import KnownHeaders, known_headers
from deniable.server.respondent.program import Program

if TYPE_CHECKING:
    from deniable.server.respondent.shell import Shell


class Manifest(TypedDict):
    """What a release signs."""

    release: str  # its version
    not_after: NotRequired[str]  # the last day on which its makers stand for it; in each release
    hashes: dict[str, str]  # of scripts, by their addresses
    any_hashes: list[str]  # of styles, which stand in the pages
    headers: KnownHeaders  # by which an answer is judged
    shell: Shell  # of which the page of a questionnaire is made, to the byte


def manifest_of(program: Program) -> Manifest:
    """Return the manifest of a program."""
    # Here and not above: it loads what the help of a command does not need.
    from deniable.server.respondent.shell import shell_of  # noqa: PLC0415

    return {
        "release": __version__,
        "hashes": {f"/client/{name}": program.hashes[name] for name in program.files},
        "any_hashes": sorted(program.hashes[name] for name in program.styles),
        "headers": known_headers(),
        "shell": shell_of(program),
    }
