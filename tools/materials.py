"""Write a wheel's bill of materials (CycloneDX): ``python -m tools.materials WHEEL FILE``.

Python's packages are those of ``requirements.lock`` that a server needs, with which the tests pass;
the wheel brings none of them. It does bring code and a typeface for browsers, from packages that
the licences beside them name.
"""

import fnmatch
import hashlib
import json
import os
import re
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from uuid import UUID

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

ROOT: Final = Path(__file__).parents[1]
LOCKED: Final = re.compile(
    r"^([a-z][\w.-]*)==(\S+)(?: ; (.*))? \\\n(?: +--hash=.*\n)+((?: +#.*\n)+)", re.MULTILINE
)
"""A package of the lock: its name, version, where it is needed, and who asks for it."""
LICENSED: Final = re.compile(r"(?:\A|\n-{72}\n\n)(\S+) (\S+)\n")
"""A package in a bundle's file of licences: its name and version."""


def from_python(lock: str) -> Iterator[tuple[Component, list[str]]]:
    """Yield each package that a server needs, with the names of those that ask for it."""
    server, _, _ = lock.partition("# Only the tests need")
    for name, version, marker, asking in LOCKED.findall(server):
        by = [line.strip(" #") for line in asking.replace("via ", "").splitlines()]
        if by != ["what builds deniable"]:
            yield (
                _component("pypi", name, version, needed=marker),
                [one.partition(" ")[0] for one in by if one != "via"],
            )


def from_npm(wheel: Path, lock: str) -> Iterator[Component]:
    """Yield each package whose code or typeface is in the wheel."""
    packages = json.loads(lock)["packages"]
    with zipfile.ZipFile(wheel) as built:
        for file in fnmatch.filter(built.namelist(), "*/vendor/*.LICENSE.txt"):
            for name, version in LICENSED.findall(built.read(file).decode()):
                licence = packages[f"node_modules/{name}"]["license"]
                yield _component("npm", name, version, licence=licence)


def _component(
    kind: str, name: str, version: str, *, needed: str = "", licence: str = ""
) -> Component:
    group, _, short = name.rpartition("/")
    url = PackageURL(kind, group, short, version)
    return Component(
        name=short,
        group=group or None,
        version=version,
        purl=url,
        bom_ref=str(url),
        properties=[Property(name="python:marker", value=needed)] if needed else None,
        licenses=[LicenseFactory().make_from_string(licence)] if licence else None,
    )


def bill(wheel: Path, made: datetime) -> Bom:
    """Return the bill of materials of a wheel, the same for everybody who builds the wheel."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    npm = ROOT / "scripts" / "bundles" / "package-lock.json"
    digest = hashlib.sha256(wheel.read_bytes())
    whole = _component("pypi", project["name"], project["version"], licence=project["license"])
    whole.type = ComponentType.APPLICATION
    whole.hashes.add(HashType(alg=HashAlgorithm.SHA_256, content=digest.hexdigest()))
    found = Bom(
        serial_number=UUID(bytes=digest.digest()[:16], version=4),
        metadata=BomMetaData(component=whole, timestamp=made),
    )
    bundled = [*from_npm(wheel, npm.read_text("utf-8"))]
    locked = [*from_python((ROOT / "requirements.lock").read_text("utf-8"))]
    found.components.update(bundled, [one for one, _ in locked])
    found.register_dependency(whole, bundled)
    for asking in [whole, *(one for one, _ in locked)]:
        found.register_dependency(asking, [one for one, by in locked if asking.name in by])
    return found


if __name__ == "__main__":
    wheel, file = map(Path, sys.argv[1:])
    made = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    written = JsonV1Dot6(bill(wheel, made)).output_as_string(indent=2)
    file.write_text(written + "\n", encoding="utf-8")
