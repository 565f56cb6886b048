"""What `deniable doctor` finds: each fault, planted by itself, and nothing where all is well."""

import os
import shutil
import socket
import sqlite3
import ssl
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from deniable.cli import doctor as checked
from deniable.server.desk.headers import DeskHeaders
from deniable.server.respondent.headers import RespondentHeaders
from deniable.server.store import errors, open_store
from deniable.server.store.schedule import Schedule
from deniable.server.store.sqlite import examining
from deniable.survey.about import About
from tests.cli.conftest import Run, names
from tests.kit import Clocks, DrawnBefore, by_invitation, lent, report, surveys, url_for
from tests.kit.threads import Quiet
from tests.kit.threads import serving as served

Headers = list[tuple[str, str]]


def none(headers: Headers) -> Headers:
    """Take the program's own headers away, as if it never answered."""
    return [one for one in headers if one[0] == "Date"]


NONE: dict[str, object] = {"change": none}


@contextmanager
def serving(
    *,
    https: tuple[Path, Path] | None = None,
    desk: bool = False,
    change: Callable[[Headers], Headers] = lambda headers: headers,
    health: int = 200,
    apart: float = 0.0,
    status: int | None = None,
    body: bytes = b"",
) -> Iterator[int]:
    """Answer as a program behind a proxy does, with something changed."""
    secure = https is not None
    own = (
        DeskHeaders(https=secure, respondents_url="http://x").of("/")
        if desk
        else RespondentHeaders(https=secure).of("/")
    )

    class Handler(Quiet, BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            first = 302 if desk else 200
            self.send_response_only(health if self.path == "/health" else status or first)
            headers = [("Date", formatdate(time.time() + apart, usegmt=True)), *own]
            if desk:
                headers.append(("Location", url_for("surveys.index")))
            if status == 307:  # to the address that was asked
                headers.append(("Location", f"http://{self.headers['Host']}/"))
            for name, value in change(headers):
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if https is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*https)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    with served(server):
        yield server.server_address[1]


def without(*missing: str) -> Callable[[Headers], Headers]:
    return lambda headers: [one for one in headers if one[0] not in missing]


FAULTS: dict[str, dict[str, object]] = {
    "the header Content-Security-Policy is missing": {"change": without("Content-Security-Policy")},
    "the header Referrer-Policy is another one": {
        "change": lambda headers: [*without("Referrer-Policy")(headers), ("Referrer-Policy", "x")]
    },
    "sets a cookie": {"change": lambda headers: [*headers, ("Set-Cookie", "route=1")]},
    "the header alt-svc was added": {"change": lambda headers: [*headers, ("Alt-Svc", "h3")]},
    "answered 421; expected the proxy to pass on": {**NONE, "status": 421, "health": 421},
    "answered 307; expected the proxy to pass on": {"status": 307},
    "study.db: the disk is full": {
        "health": 503,
        "body": b'{"detail": "The store cannot be used now. study.db: the disk is full"}',
    },
    "/health: answered 404, expected 200: another program answered": {"health": 404},
    "the proxy answered 502: the program behind it does not answer": {**NONE, "status": 502},
    "another program answered 404, with no header of this one": {**NONE, "status": 404},
    "answered 400: this port speaks TLS; expected https": {
        **{**NONE, "status": 400, "health": 400},
        "body": b"The plain HTTP request was sent to HTTPS port",
    },
    "seconds ahead of this machine": {"apart": 90.7},
    "does not say what time it is": {"change": without("Date")},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_server_is_one_sentence(run: Run, fault: str) -> None:
    with serving(**FAULTS[fault]) as port:  # type: ignore[arg-type]
        said = run("doctor", f"http://127.0.0.1:{port}", exits=1).stdout
    assert said.count("\n") == 1, said
    assert fault in said


def test_a_server_that_is_not_there_is_told(run: Run) -> None:
    assert "connection refused" in run("doctor", "http://127.0.0.1:9", exits=1).stdout


def test_each_address_that_is_down_is_told(run: Run) -> None:
    with serving() as port, serving(desk=True) as desk, serving(change=none, status=502) as down:
        here, there, gone = (f"http://127.0.0.1:{one}" for one in (port, desk, down))
        said = run("doctor", here, there).stdout
        assert names(said, "All is well", here, there)
        assert said.count("\n") == 1
        said = run("doctor", here, gone, exits=1).stdout
        assert said == f"{gone}: the proxy answered 502: the program behind it does not answer.\n"
        assert "the desk answers at none" in run("doctor", here, here, exits=1).stdout


def test_without_tls_only_this_machine_is_well(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as port:
        monkeypatch.setattr(checked, "is_loopback", lambda host: False)
        said = run("doctor", f"http://127.0.0.1:{port}", exits=1).stdout
    assert names(said, "TLS", "expected https")


def openssl(words: str) -> None:
    subprocess.run(["openssl", *words.split()], check=True, capture_output=True)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[Path, Path]]:
    folder = tmp_path_factory.mktemp("tls")
    key = folder / "key.pem"
    new = f"-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout {key}"

    def make(days: int, address: str = "127.0.0.1") -> tuple[Path, Path]:
        certificate = folder / f"{days}-{address}.pem"
        made = new if not key.exists() else f"-key {key}"
        names = f"-subj /CN=here -addext subjectAltName=IP:{address}"
        openssl(f"req -x509 {made} -days {days or 1} {names} -out {certificate}")
        if not days:  # it ends as it is made
            openssl(f"x509 -in {certificate} -signkey {key} -days 0 -out {certificate}")
            time.sleep(1.1)
        return certificate, key

    return make


@pytest.mark.parametrize(
    ("days", "trusted", "fault"),
    [
        ((90,), True, None),
        ((5,), True, "the certificate ends in"),
        ((90,), False, "verify failed: self"),
        ((0,), True, "certificate has expired"),
        ((90, "192.0.2.1"), True, "IP address mismatch"),
    ],
)
def test_a_certificate_is_looked_at(
    run: Run,
    certificates: Callable[..., tuple[Path, Path]],
    monkeypatch: pytest.MonkeyPatch,
    days: tuple[int | str, ...],
    trusted: bool,
    fault: str | None,
) -> None:
    pair = certificates(*days)
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(pair[0]))
    with serving(https=pair) as port, serving(status=200) as plain:
        monkeypatch.setattr(checked, "PLAIN_PORT", 9)
        said = run("doctor", f"https://127.0.0.1:{port}", exits=1 if fault else 0).stdout
        assert (fault or "All is well") in said
        assert said.count("\n") == 1
        if fault is None:
            # Pages that also come without TLS, and not by way of a redirection.
            monkeypatch.setattr(checked, "PLAIN_PORT", plain)
            said = run("doctor", f"https://127.0.0.1:{port}", exits=1).stdout
            assert "answers without TLS" in said
            onward = [("Location", f"https://127.0.0.1:{port}/")]
            with serving(status=308, change=lambda headers: [*headers, *onward]) as leading:
                monkeypatch.setattr(checked, "PLAIN_PORT", leading)
                run("doctor", f"https://127.0.0.1:{port}")


@pytest.fixture
def good_place(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each place of a store be a good one, whatever disk the tests run on."""
    mounts = folder / "mounts"
    mounts.write_text("/dev/sda1 / ext4 rw,relatime 0 0\n")
    monkeypatch.setattr(examining, "_MOUNTS", mounts)
    monkeypatch.setattr(examining, "_TOO_FAST", 0.0)
    monkeypatch.setattr(examining, "LEAST_FREE", 0)


@pytest.fixture
def store(run: Run, folder: Path, good_place: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a store in a good place."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    run("simulate", "doping.yaml", "-n", 30, "--store", home / "study.db")
    monkeypatch.setattr("deniable.cli.doctor.of_server", lambda url: [])
    return home / "study.db"


def doctor(run: Run, store: object, *options: object, exits: int = 1) -> str:
    return run("doctor", "http://127.0.0.1:9", "--store", store, *options, exits=exits).stdout


def test_the_store_of_a_stopped_server_is_looked_at_alone(run: Run, store: Path) -> None:
    assert run("doctor", "--store", store).stdout == f"All is well: sqlite:///{store}.\n"
    assert "Name a server's address, or --store" in run("doctor", exits=2).stderr


@pytest.mark.usefixtures("good_place")
def test_a_folder_that_others_may_enter_is_told_and_is_refused_to_a_server(run: Run) -> None:
    """As in a home of mode 755: they would see each arrival by the times of the store's files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "study.db"
        open_store(f"sqlite:///{path}").close()
        serve = ("serve", "--store", path, "--host", "192.0.2.1")
        folder.chmod(0o755)
        said = f"{folder}: other accounts of this machine may enter this folder"
        assert said in run("doctor", "--store", path, exits=1).stdout
        refused = run(*serve, "--url", "https://survey.example.org", exits=1).stderr
        assert names(refused, f"Error: {said}", f"chmod 700 {folder}")
        # Who tries it in their network is told, and goes on: here as far as the address.
        for tried in (serve, ("ask", "Why?", *serve[1:]), ("classroom", *serve[1:])):
            assert names(run(*tried, exits=1).stderr, f"warning: {said}", "192.0.2.1")
        folder.chmod(0o700)
        assert run("doctor", "--store", path).stdout.startswith("All is well")
        # Closed, it gets as far as the address, which is no other machine's to give.
        assert "may enter" not in run(*serve, exits=1).stderr


def test_deleted_reports_are_told(run: Run, store: Path, clocks: Clocks) -> None:
    kept = replace(surveys.survey(slug="kept"), about=About(delete_reports="2999-01-31"))
    with closing(open_store(f"sqlite:///{store}")) as opened:
        opened.register(kept)
        opened.insert_reports([report(kept)])
    run("backup", store, store.with_name("study.backup"))
    assert names(doctor(run, store, exits=0), "All is well")
    clocks.go_on_to("2999-01-31")
    said = doctor(run, store)
    assert names(said, "study.db: holds the reports of 'kept'", "'deniable delete --due'")
    assert names(said, "study.backup: holds 1 report", "delete this backup")
    run("delete", "--due", "--store", store)
    done = run("doctor", "http://127.0.0.1:9", "--store", store)
    assert names(done.stdout, "All is well")
    assert names(done.stderr, "'kept' were deleted on 2999-01-31", "exports, downloads")


def test_what_waits_for_somebody_is_told(run: Run, store: Path, clocks: Clocks) -> None:
    full, timed = (surveys.survey(slug=slug) for slug in ("full", "timed"))
    with closing(open_store(f"sqlite:///{store}")) as opened:
        for one in (full, timed):
            opened.register(one)
        opened.insert_reports([report(full) for _ in range(10)])
        opened.set_schedule("full", Schedule(cap=10))
        opened.set_schedule("timed", Schedule(closes=int(time.time()) + 3600))
        opened.look_at_clock()
    said = doctor(run, store)
    assert names(said, "full: Full:", "Set a higher cap to take more, or close it")
    run("close", "full", "--store", store)
    clocks.jump(86_400 * 10)
    said = doctor(run, store)
    assert names(said, "timed: Waiting:", "'deniable close --due'")
    assert "full: " not in said
    assert names(run("close", "--due", "--store", store).stdout, "timed is closed")
    assert names(doctor(run, store, exits=0), "All is well")
    assert names(run("close", "--store", store, exits=2).stderr, "SURVEY or --due")


def test_a_read_only_store_is_told(run: Run, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = store.read_bytes()
    assert names(doctor(run, store, exits=0), "All is well")
    assert store.read_bytes() == before
    monkeypatch.setattr("deniable.server.store.sqlite.connections._BUSY_TIMEOUT", 50)
    with closing(sqlite3.connect(store, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        assert names(doctor(run, store), "study.db: another process is using it")
    assert store.read_bytes() == before


def test_a_store_of_others_is_told(run: Run, store: Path) -> None:
    with lent([]) as (server, path):
        with closing(open_store(f"sqlite:///{path}")) as opened:
            opened.register(surveys.survey(slug="doping"))
        assert names(run("doctor", server.url, "--store", store).stdout, "All is well")
        with closing(open_store(f"sqlite:///{path}")) as opened:
            opened.delete("doping")
        told = run("doctor", server.url, "--store", store, exits=1).stdout
        assert names(told, f"{server.url}: has no survey 'doping', as", "study.db has")


def test_unusable_keys_are_told(run: Run, store: Path, folder: Path) -> None:
    beside = Path(f"{store}.keys")
    DrawnBefore(beside)
    with closing(open_store(f"sqlite:///{store}")) as opened:
        by_invitation(opened, "doping", ["x" * 20])
    assert names(doctor(run, store, exits=0), "All is well")
    beside.chmod(0o644)
    assert names(doctor(run, store), "study.db.keys: others on this machine can read")
    beside.chmod(0o600)
    elsewhere = beside.rename(folder / "elsewhere.keys")
    assert names(doctor(run, store), "study.db.keys: cannot be read")
    assert names(doctor(run, store, "--keys", elsewhere, exits=0), "All is well")
    elsewhere.write_text("")
    said = doctor(run, store, "--keys", elsewhere)
    assert names(said, "elsewhere.keys: does not hold the private key")


def test_files_that_others_may_read_are_told(run: Run, store: Path) -> None:
    store.chmod(0o644)
    assert names(doctor(run, store), "study.db: others may read", "chmod 600")
    store.chmod(0o600)
    audit, cookies = (store.with_name(name) for name in ("desk.audit", "study.db.cookies"))
    for file, options in ((cookies, ()), (audit, ("--audit", audit))):
        file.touch(0o600)
        assert names(doctor(run, store, *options, exits=0), "All is well", *map(str, options[1:]))
        file.chmod(0o644)
        assert names(doctor(run, store, *options), f"{file}: others may read", "chmod 600")
        file.chmod(0o600)
    if os.getuid() == 0:  # nobody else can give a file away
        os.chown(cookies, 1, -1)
        assert names(doctor(run, store), f"{cookies}: belongs to another user than {store}")
        os.chown(cookies, 0, -1)
    store.parent.chmod(0o777)
    assert names(doctor(run, store), "others may write this folder")
    assert stat.S_IMODE(store.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("tmpfs {} tmpfs rw 0 0", "lies in memory (tmpfs)"),
        ("server:/x {} nfs4 rw 0 0", "network file system (nfs4)"),
        ("/dev/sdb {} ext4 rw,nobarrier 0 0", "mounted without barriers"),
    ],
)
def test_a_lossy_disk_is_told(run: Run, store: Path, folder: Path, line: str, fault: str) -> None:
    with (folder / "mounts").open("a") as mounts:
        mounts.write(line.format(store.parent) + "\n")
    assert fault in doctor(run, store)


def test_a_false_fsync_is_told(run: Run, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examining, "_TOO_FAST", 10e-6)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    assert "fsync returns within" in doctor(run, store)

    def broken(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    assert "cannot be written durably (Input/output error)" in doctor(run, store)


def test_a_disk_nearly_full_is_told(run: Run, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = shutil.disk_usage(store.parent)._replace(free=5_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: free)
    assert "GB are free" in doctor(run, store)  # fewer than twice the store
    monkeypatch.setattr(shutil, "disk_usage", lambda path: free._replace(free=10**9 - 1))
    monkeypatch.setattr(examining, "LEAST_FREE", 10**9)
    assert names(doctor(run, store), "1.0 GB are free", "at least 1.0 GB")


def sql(statement: str) -> Callable[[Path], None]:
    def change(store: Path) -> None:
        with closing(sqlite3.connect(store, isolation_level=None)) as db:
            db.execute(statement)

    return change


def flip(store: Path) -> None:
    """Turn one bit of the survey's name, as it lies on the disk."""
    whole = store.read_bytes()
    at = whole.index(b"doping")
    store.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (sql("DROP TABLE tokens"), "the table 'tokens' is missing"),
        (flip, "its current revision is missing"),
        (lambda store: store.write_text("a note\n" * 99), "file is not a database"),
        (lambda store: store.write_bytes(b"x" * 4096), "expected a deniable store"),
        (lambda store: store.unlink() or store.mkdir(), "found a folder"),
    ],
)
def test_a_store_that_cannot_be_used_is_told(
    run: Run, store: Path, change: Callable[[Path], object], fault: str
) -> None:
    change(store)
    said = doctor(run, store)
    assert said.count("\n") == 1
    assert names(said, "study.db", fault)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "mode", "owner", "fault"),
    [
        ("study.db", 0o400, 0, "study.db: it cannot be written"),
        ("", 0o500, 0, "study.db: it cannot be written"),
        ("study.db", 0o600, 1, "belongs to daemon, and you may not read it; run this command as"),
    ],
)
def test_no_right_to_it_is_told(store: Path, place: str, mode: int, owner: int, fault: str) -> None:
    """As root of a service of systemd, whom permissions bind as everybody else."""
    bound = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if not os.getuid() else []
    if owner and not bound:
        pytest.skip("only root can give a file away")
    target = store.parent / place
    os.chown(target, os.getuid() + owner, -1)
    target.chmod(mode)
    words = [*bound, sys.executable, "-m", "deniable.cli.main", "doctor", "http://127.0.0.1:9"]
    done = subprocess.run([*words, "--store", store], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert fault in done.stdout


def test_a_port_where_another_program_answers_is_told(run: Run) -> None:
    def answer(other: socket.socket) -> None:
        with other.accept()[0] as one:
            one.sendall(b"E\0\0\0\x0a")

    with socket.create_server(("127.0.0.1", 0)) as other:  # as PostgreSQL does
        threading.Thread(target=answer, args=(other,)).start()
        said = run("doctor", f"http://127.0.0.1:{other.getsockname()[1]}", exits=1).stdout
    assert "answers there, and not by HTTP" in said


SETTINGS = {
    "log_statement": "'all'",
    "log_min_duration_statement": "0",
    "log_min_duration_sample": "5",
    "log_parameter_max_length_on_error": "-1",
    "auto_explain.log_min_duration": "0",
}


def test_a_database_that_logs_reports_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.server.store.cluster import CLUSTER  # noqa: PLC0415

    url = CLUSTER.url("deniable", "doctor")
    admin = CLUSTER.admin()
    admin.execute("CREATE SCHEMA doctor AUTHORIZATION deniable")
    open_store(url).close()
    monkeypatch.setattr("deniable.cli.doctor.of_server", lambda url: [])
    assert names(doctor(run, url, exits=0), "All is well")
    for setting, value in SETTINGS.items():
        admin.execute(f"ALTER ROLE deniable SET {setting} = {value}")
        try:
            said = doctor(run, url)
        finally:
            admin.execute(f"ALTER ROLE deniable RESET {setting}")
        assert said.count("\n") == 1
        assert f"{setting} is" in said


def test_superusers_and_wrong_clocks_are_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.server.store.cluster import CLUSTER  # noqa: PLC0415

    CLUSTER.admin().execute("CREATE SCHEMA IF NOT EXISTS doctored")
    url = CLUSTER.url("admin", "doctored")
    open_store(url).close()
    monkeypatch.setattr("deniable.cli.doctor.of_server", lambda url: [])
    monkeypatch.setattr(errors, "MOST_SECONDS", -1)
    said = doctor(run, url)
    assert said.count("\n") == 2
    assert names(said, "admin is a superuser", "its clock is 0 seconds")
