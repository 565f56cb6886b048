"""The installed program as a wheel, which students' Python installs from a teacher's address.

Nothing is built for it: a wheel is the package's files and what pip wrote down of them.
"""

import base64
import hashlib
import tomllib
import zipfile
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import distribution
from io import BytesIO
from pathlib import Path
from typing import Final

import deniable

NAME: Final = f"deniable-{deniable.__version__}-py3-none-any.whl"

_PACKAGE: Final = Path(deniable.__file__).parent
_ABOUT: Final = f"deniable-{deniable.__version__}.dist-info"
_KIND: Final = "Wheel-Version: 1.0\nGenerator: deniable\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_FIRST: Final = (1980, 1, 1, 0, 0, 0)
"""Of all files, so that the same program is the same wheel."""


@lru_cache(maxsize=1)
def wheel() -> bytes:
    """Return the wheel."""
    told = distribution("deniable")
    files = {
        path.relative_to(_PACKAGE.parent).as_posix(): path.read_bytes()
        for path in sorted({*_shipped()})
    }
    for name in ("METADATA", "entry_points.txt"):
        files[f"{_ABOUT}/{name}"] = (told.read_text(name) or "").encode()
    files[f"{_ABOUT}/WHEEL"] = _KIND.encode()
    record = "".join(f"{name},{_hash(body)},{len(body)}\n" for name, body in files.items())
    files[f"{_ABOUT}/RECORD"] = f"{record}{_ABOUT}/RECORD,,\n".encode()
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in files.items():
            archive.writestr(zipfile.ZipInfo(name, _FIRST), body, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _shipped() -> Iterator[Path]:
    """Yield the files that an installation has: what else lies in a checkout is nobody's."""
    checkout = _PACKAGE.with_name("pyproject.toml")
    if not checkout.exists():
        listed = (Path(f"{one}") for one in distribution("deniable").files or ())
        for one in listed:
            if one.parts[0] == "deniable" and one.suffix != ".pyc":
                yield _PACKAGE.parent / one
        return
    tool = tomllib.loads(checkout.read_text("utf-8"))["tool"]["setuptools"]
    data = tool["package-data"]
    for package_name in tool["packages"]:
        folder = _PACKAGE.joinpath(*package_name.split(".")[1:])
        for pattern in ("*.py", *data["*"], *data.get(package_name, ())):
            yield from (path for path in folder.glob(pattern) if path.is_file())


def _hash(body: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(body).digest())
    return f"sha256={digest.rstrip(b'=').decode()}"
