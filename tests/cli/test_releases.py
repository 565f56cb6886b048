"""``deniable verify --manifest``, and the release that it checks."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path

import pytest

from deniable import __version__
from deniable.cli.releases import RELEASE_KEY
from deniable.crypto.signing import read_key
from deniable.server.loopback import loopback
from deniable.server.respondent.manifest import manifest_of
from deniable.server.respondent.program import BROWSER_FOLDER, load
from deniable.survey_file import read
from tests.cli.conftest import DOPING, ROOT, Run
from tests.kit.signer import Signer
from tests.kit.threads import Quiet, answering

pytestmark = pytest.mark.promise("release")

OWN = manifest_of(load(BROWSER_FOLDER))
TODAY = datetime.now(UTC).date()


@pytest.fixture(scope="module")
def signer(tmp_path_factory: pytest.TempPathFactory) -> Signer:
    return Signer(tmp_path_factory.mktemp("keys"))


@pytest.fixture
def manifest(tmp_path: Path, signer: Signer) -> Path:
    path = tmp_path / "deniable.json"
    return _good_for(path, signer, 200)


def _good_for(path: Path, signer: Signer, days: int) -> Path:
    """Sign the manifest of this copy, with its last day in so many days."""
    last = (TODAY + timedelta(days)).isoformat()
    path.write_text(json.dumps({**OWN, "not_after": last}, indent=2))
    signer.sign(path)
    return path


# Not around the ends: a day can begin while a test runs.
@pytest.mark.parametrize(
    ("days", "exits", "said", "unsaid"),
    [
        (-2, 3, "ceased to stand for it", "Yes:"),
        (2, 0, "Look for the next release", "Not judged"),
        (200, 0, "Yes: this is the program", "Look for the next"),
    ],
)
def test_a_release_expires_and_says_so_before(
    run: Run, tmp_path: Path, signer: Signer, days: int, exits: int, said: str, unsaid: str
) -> None:
    manifest = _good_for(tmp_path / "one.json", signer, days)
    arguments = ("verify", "--manifest", manifest, "--key", signer.public)
    found = run(*arguments, exits=exits).stdout
    assert said in found
    assert unsaid not in found
    as_json = json.loads(run(*arguments, "--format", "json", exits=exits).stdout)
    assert as_json["same"] is (exits == 0)


def test_a_last_day_stands_in_a_manifest(run: Run) -> None:
    arguments = ("verify", "--hashes", "--not-after")
    made = json.loads(run(*arguments, "2027-11-30", "--format", "json").stdout)
    assert made == {**OWN, "not_after": "2027-11-30"}


@pytest.mark.slow
def test_the_signed_manifest_of_this_copy_holds(run: Run, signer: Signer, manifest: Path) -> None:
    with loopback(read(DOPING).survey) as link:
        arguments = ("verify", link, "--manifest", manifest, "--key", signer.public)
        found = json.loads(run(*arguments, "--format", "json").stdout)
    assert (found["same"], found["manifest"]) == (True, str(manifest))
    names = [one["name"] for one in found["compared"]]
    assert {"signed: this release", "signed: main.js", "signed: a style"} <= {*names}
    assert {"the page", "main.js"} <= {*names}
    alone = run("verify", "--manifest", manifest, "--key", signer.public).stdout
    assert "signed: main.js" in alone
    assert "the page" not in alone


def test_a_manifest_is_fetched_with_its_signature(run: Run, signer: Signer, manifest: Path) -> None:
    class Files(Quiet, SimpleHTTPRequestHandler):
        """Serves a folder."""

    with answering(partial(Files, directory=manifest.parent)) as origin:
        run("verify", "--manifest", f"{origin}/{manifest.name}", "--key", signer.public)
        missing = f"{origin}/other.json"
        error = run("verify", "--manifest", missing, "--key", signer.public, exits=1).stderr
        assert f"{missing}: expected status 200, found 404" in error


def test_a_program_but_the_signed_is_named(run: Run, tmp_path: Path, signer: Signer) -> None:
    path = tmp_path / "other.json"
    other = "sha256-" + "x" * 43 + "="
    scripts = {**OWN["hashes"], "/client/main.js": other, "/client/more.js": other}
    del scripts["/client/leave.js"]
    styles = [*OWN["any_hashes"][1:], other]
    headers = {**OWN["headers"], "telling": []}
    shell = {**OWN["shell"], "after": "<a></a>" + OWN["shell"]["after"]}
    other_manifest = {"release": "0.0", "hashes": scripts, "any_hashes": styles}
    other_manifest["not_after"] = (TODAY + timedelta(200)).isoformat()
    path.write_text(json.dumps({**other_manifest, "headers": headers, "shell": shell}))
    signer.sign(path)
    arguments = ("verify", "--manifest", path, "--key", signer.public, "--format", "json")
    found = json.loads(run(*arguments, exits=1).stdout)
    differing = [one["name"] for one in found["compared"] if one["difference"]]
    expected = ["this release", "leave.js", "main.js", "more.js", "a style", "a style"]
    expected += ["known headers", "the shell"]
    assert differing == [f"signed: {name}" for name in expected]
    assert found["same"] is False


def test_the_unsigned_is_doubted(run: Run, tmp_path: Path, signer: Signer, manifest: Path) -> None:
    signature = manifest.with_name(f"{manifest.name}.sig")

    def refused(key: Path = signer.public) -> str:
        return run("verify", "--manifest", manifest, "--key", key, exits=1).stderr

    not_its = "is not its signature by"
    assert not_its in refused(Signer(tmp_path / "another").public)
    honest = manifest.read_text()
    manifest.write_text(honest.replace(__version__, "0.1.1"))
    assert not_its in refused()
    manifest.write_text(honest)
    for text in ("", "%%%", signature.read_text()[:-8]):
        signature.write_text(text)
        assert not_its in refused()
    signature.unlink()
    assert f"{signature}: cannot be read" in refused()
    assert "expected an Ed25519 public key" in refused(signer.private)


@pytest.mark.parametrize(
    "text",
    [
        *(" ", "[]", "{}", "[" * 100_000),
        '{"release": "1", "hashes": [], "any_hashes": [], "headers": {}, "shell": {}}',
        '{"release": "1", "hashes": {}, "any_hashes": []}',
        '{"release": "1", "hashes": {}, "any_hashes": [], "headers": {}}',
        json.dumps({**OWN, "not_after": "never"}),
        json.dumps(OWN),
    ],
)
def test_signed_but_no_manifest_fails(run: Run, tmp_path: Path, signer: Signer, text: str) -> None:
    path = tmp_path / "signed.json"
    path.write_text(text)
    signer.sign(path)
    error = run("verify", "--manifest", path, "--key", signer.public, exits=1).stderr
    assert "expected the manifest of a release" in error


def test_the_release_key_is_the_docs_one() -> None:
    """From the first release on; until then a copy says that it has none."""
    key = ROOT / "cli" / RELEASE_KEY
    if key.exists():
        assert read_key(key.read_text())
        assert key.read_text().strip() in (ROOT / "docs" / "verify.md").read_text()


def test_the_owner_has_one_list() -> None:
    page = (ROOT / "docs" / "contributors.md").read_text()
    rows = re.findall(r"^\| (.*) \|$", page.partition("### What only the owner")[2], re.MULTILINE)
    assert len(rows) <= 10
    # The files that scripts/release.sh looks at, too.
    for file in [*ROOT.glob("*.*"), *(ROOT / "docs").glob("*.md")]:
        for mark in re.findall(r"OWNER: ([\w ]+)", file.read_text() if file.is_file() else ""):
            listed = [row for row in rows if f"mark: {mark.strip()}" in row]
            assert len(listed) == 1, mark
            assert file.relative_to(ROOT).as_posix() in listed[0]


def test_a_missing_key_is_asked(run: Run, manifest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deniable.cli.releases.RELEASE_KEY", "none.pem")
    error = run("verify", "--manifest", manifest, exits=2).stderr
    assert "name one by --key FILE" in error


# The same commit in two places: who made it, and when, is part of it.
MAKERS = ("AUTHOR", "COMMITTER")
WHO = {f"GIT_{one}_{what}": "a" for one in MAKERS for what in ("NAME", "EMAIL")}
WHEN = {f"GIT_{one}_DATE": f"{TODAY}T00:00:00Z" for one in MAKERS}


def _tree(path: Path, signer: Signer, mode: int) -> Path:
    """Copy the project to where a release is made, as a commit that holds the public key."""
    others = (".git", ".venv*", "node_modules", "build", "dist", "__pycache__", ".*_cache", "*.db*")
    shutil.copytree(ROOT, path, symlinks=True, ignore=shutil.ignore_patterns(*others))
    shutil.copyfile(signer.public, path / "cli" / RELEASE_KEY)
    for file in path.rglob("*"):
        if not file.is_symlink() and file.suffix != ".sh":
            file.chmod(file.stat().st_mode & mode)
            os.utime(file, (mode * 1_000_000, mode * 1_000_000))
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "A release"]):
        subprocess.run(["git", *command], cwd=path, env={**os.environ, **WHO, **WHEN}, check=True)
    return path


def _released(tree: Path, signer: Signer, **environment: str) -> dict[str, str]:
    """Make a release, and return the digest of each of its files."""
    subprocess.run(
        ["scripts/release.sh", signer.private, tree / "dist"],
        cwd=tree,
        env={**os.environ, "PYTHON": sys.executable, **environment},
        check=True,
    )
    made = sorted((tree / "dist").iterdir())
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in made}


def _checked_as_the_page_says(dist: Path, signer: Signer) -> None:
    """Run the lines of the page for strangers that check a signature without this project."""
    (lines,) = re.findall(
        r"```bash\n(openssl .*?)```", (ROOT / "docs" / "verify.md").read_text(), re.DOTALL
    )
    shutil.copyfile(signer.public, dist / "release.pem")
    checked = subprocess.run(["/bin/sh", "-ec", lines], cwd=dist, check=True, capture_output=True)
    assert b"Verified Successfully" in checked.stdout


@pytest.mark.campaign
def test_two_builds_are_alike_to_the_byte(run: Run, tmp_path: Path, signer: Signer) -> None:
    one = _tree(tmp_path / "one", signer, 0o700)
    other = _tree(tmp_path / "a longer name" / "other", signer, 0o755)
    # What an older release left there goes; its signatures are good, too.
    (one / "dist").mkdir()
    (one / "dist" / "deniable-0.0.9.json").write_text("{}")
    first = _released(one, signer, TZ="Asia/Tokyo")
    assert first == _released(other, signer, TZ="America/New_York", LC_ALL="C.UTF-8")
    assert {Path(name).suffix for name in first} == {".whl", ".gz", ".json", ".zip", ".sig"}
    assert len(first) == 10
    # What is signed is what is in the wheel, which also brings the key.
    (manifest,) = (one / "dist").glob("*[0-9].json")
    # A year and a day after the commit.
    assert json.loads(manifest.read_text()) == {
        **OWN,
        "not_after": (TODAY + timedelta(366)).isoformat(),
    }
    run("verify", "--manifest", manifest, "--key", one / "cli" / RELEASE_KEY)
    # Somebody who has the sources alone builds the same wheel, in the time of its commit.
    epoch = {"SOURCE_DATE_EPOCH": str(int(datetime.combine(TODAY, time(), UTC).timestamp()))}
    (wheel,) = (one / "dist").glob("*.whl")
    (sources,) = (one / "dist").glob("*.tar.gz")
    pip = (sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation")
    subprocess.run(
        [*pip, "-w", tmp_path / "again", sources], env={**os.environ, **epoch}, check=True
    )
    assert (tmp_path / "again" / wheel.name).read_bytes() == wheel.read_bytes()
    (materials,) = (one / "dist").glob("*.cdx.json")
    (of,) = json.loads(materials.read_text())["metadata"]["component"]["hashes"]
    assert of["content"] == first[wheel.name]
    with zipfile.ZipFile(wheel) as built:
        assert built.read(f"deniable/cli/{RELEASE_KEY}") == signer.public.read_bytes()
        assert built.read("deniable/client/browser/contents.js")
        (shown,) = [name for name in built.namelist() if name.endswith("/METADATA")]
        page = built.read(shown).decode()
    # An index has the README alone.
    relative = re.findall(r"\]\((?!https://|#)[^)]*\)", page.partition("\n# deniable\n")[2])
    assert relative == []
    assert "/docs/pictures/both-sides.png?raw=true)" in page
    _checked_as_the_page_says(one / "dist", signer)
    # Neither with another key, nor of what no commit holds.
    (one / "README.md").write_text("altered")
    with pytest.raises(subprocess.CalledProcessError):
        _released(one, signer)
    with pytest.raises(subprocess.CalledProcessError):
        _released(other, Signer(tmp_path / "another"))


@pytest.mark.campaign
def test_a_release_is_rehearsed_as_the_page_says(tmp_path: Path, signer: Signer) -> None:
    tree = _tree(tmp_path / "clone", signer, 0o755)
    # What `make install` leaves; the interpreter is this one.
    (tree / ".venv").mkdir()
    (tree / ".venv" / ".dev-stamp").touch()
    (lines,) = re.findall(
        r"```bash\n(.*?)```", (tree / "docs" / "contributors.md").read_text(), re.DOTALL
    )
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, **WHO, "PATH": path, "PYTHON": sys.executable}
    done = subprocess.run(
        ["/bin/sh", "-ec", lines],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"Yes: this is the program of deniable {__version__}." in done.stdout
    last = json.loads((tree / "dist" / f"deniable-{__version__}.json").read_text())["not_after"]
    # A year from the day of the release, which may have ended meanwhile.
    assert (date.fromisoformat(last) - datetime.now(UTC).date()).days in (365, 366)
