"""The manifest of a release: hashes of the respondents' program, its shell, the known headers.

It has the shape of the integrity manifest of W3C's WAICT drafts: files that are loaded from an
address are listed by it, inline content by its hash alone. No browser reads such manifests yet.
Those that do will ignore unknown keys, such as the release's version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

from deniable import __version__
from deniable.server.respondent.known_headers import KnownHeaders, known_headers
from deniable.server.respondent.program import Program

if TYPE_CHECKING:
    from deniable.server.respondent.shell import Shell


class Manifest(TypedDict):
    """The content that a release signs."""

    release: str  # its version
    not_after: NotRequired[str]  # the last day of its validity; in each release
    hashes: dict[str, str]  # of scripts, by their addresses
    any_hashes: list[str]  # of styles, which stand in the pages
    headers: KnownHeaders  # to judge a server's responses
    shell: Shell  # to make the page of a questionnaire, byte by byte


def manifest_of(program: Program) -> Manifest:
    """Return the manifest of a program."""
    # Imported here, because it loads much that a command's help does not need.
    from deniable.server.respondent.shell import shell_of  # noqa: PLC0415

    return {
        "release": __version__,
        "hashes": {f"/client/{name}": program.hashes[name] for name in program.files},
        "any_hashes": sorted(program.hashes[name] for name in program.styles),
        "headers": known_headers(),
        "shell": shell_of(program),
    }
