"""What an operator copies from `deploy/`: checked by the programs that read it, where they are."""

import json
import re
import shutil
import socket
import ssl
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from http.client import HTTPConnection, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from deniable.cli.main import commands
from deniable.server.respondent.known_headers import Verdict, judge
from deniable.server.store import open_store
from tests.kit import Running, at, first_of, free_ports, needs, report, reports_in, running, surveys
from tests.server.test_alone import started

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
UNITS = ("deniable-respondents.service", "deniable-desk.service")
TIMED = ("deniable-backup.service", "deniable-doctor.service")
CADDYFILES = ("Caddyfile", "compose.Caddyfile")


def tool(name: str) -> str:
    return needs.program(name, "scripts/install.sh proxies", also=(Path("/usr/sbin"),))


def run(*words: str | Path, cwd: Path | None = None) -> str:
    ended = subprocess.run(words, capture_output=True, text=True, check=False, cwd=cwd)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


def options_of_serve() -> set[str]:
    command = commands.get_command(None, "serve")  # type: ignore[arg-type]
    assert command is not None
    return {name for one in command.params for name in one.opts}


def settings(unit: str) -> dict[str, list[str]]:
    """Return the settings of a unit's service; some come several times."""
    found: dict[str, list[str]] = {}
    for line in (DEPLOY / unit).read_text().splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(name, []).append(value)
    return found


def test_an_image_holds_no_store_and_no_keys() -> None:
    """What git ignores, an image lacks as well."""
    left_out = (ROOT / ".dockerignore").read_text().splitlines()
    for line in (ROOT / ".gitignore").read_text().splitlines():
        if not line.startswith("#"):
            name = line.strip("/")
            assert (name if line.startswith("/") else f"**/{name}") in left_out


def test_an_image_keeps_its_health_check() -> None:
    """Podman leaves it out of its own format, and Docker knows no other."""
    pages = [*DEPLOY.iterdir(), *(ROOT / "docs").glob("*.md"), ROOT / "README.md"]
    text = "\n".join(page.read_text() for page in pages)
    built = re.findall(r"podman build .*", text)
    assert len(built) >= 2
    assert all("--format docker" in line for line in built)


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_starts_one_real_program(unit: str) -> None:
    found = settings(unit)
    (start,) = found["ExecStart"]
    _, _, words = start.partition("deniable serve ")
    named = set(re.findall(r"--[a-z-]+", words))
    assert named <= options_of_serve()
    assert f"--only {unit.removeprefix('deniable-').removesuffix('.service')}" in words
    # The same hardening for both.
    same = {name: value for name, value in settings(UNITS[0]).items() if "Protect" in name}
    assert {name: value for name, value in found.items() if "Protect" in name} == same
    assert (found["UMask"], found["StateDirectoryMode"]) == (["0077"], ["0700"])
    assert ("MemoryMax" in found) is (unit == UNITS[1])
    assert found["Type"] == ["notify"]


@pytest.mark.parametrize("unit", TIMED)
def test_timers_start_real_commands(unit: str) -> None:
    words = " ".join(settings(unit)["ExecStart"]).split()
    command = commands.get_command(None, words[1])  # type: ignore[arg-type]
    assert command is not None
    named = {word for word in (DEPLOY / unit).read_text().split() if word.startswith("--")}
    assert named <= {name for one in command.params for name in one.opts}
    assert ("$DENIABLE_DESK_URL" in words) == ("doctor" in unit)
    timer = settings(unit.replace("service", "timer"))
    assert timer["Persistent"] == ["yes"]
    # None starts while an upgrade has the respondents' program stopped, and all start with it.
    assert timer["PartOf"] == [UNITS[0]]
    assert UNITS[0] in timer["After"][0].split()
    assert UNITS[0] in timer["WantedBy"][0].split()


@pytest.mark.slow
@pytest.mark.parametrize("unit", [*UNITS, *TIMED])
def test_systemd_takes_a_unit_and_finds_it_hardened(unit: str, tmp_path: Path) -> None:
    systemd = tool("systemd-analyze")
    if unit in TIMED:
        timer = tmp_path / unit.replace("service", "timer")
        shutil.copy(DEPLOY / timer.name, timer)
    # Its paths are of a machine where all is installed.
    there = (DEPLOY / unit).read_text().replace("/opt/deniable/.venv/bin/deniable", "/bin/true")
    (tmp_path / unit).write_text(re.sub(r"After=.*", "", there))
    assert "Unknown" not in run(systemd, "verify", *tmp_path.iterdir())
    most = "60" if unit in TIMED else "15"
    run(systemd, "security", "--offline=true", f"--threshold={most}", tmp_path / unit)


@pytest.mark.slow
@pytest.mark.parametrize("name", CADDYFILES)
def test_caddy_takes_its_file(name: str) -> None:
    caddy = tool("caddy")
    assert "Valid configuration" in run(
        caddy, "validate", "--adapter", "caddyfile", "--config", DEPLOY / name
    )


def test_a_proxy_is_told_to_write_down_nobody() -> None:
    """The slow test below asks running ones."""
    nginx = (DEPLOY / "nginx.conf").read_text()
    assert re.findall(r"\w+_log\b[^;]*", nginx) == ["error_log /dev/null", "access_log off"]
    for name in CADDYFILES:
        logs = re.findall(r"^\s*log\b.*\n.*", (DEPLOY / name).read_text(), re.MULTILINE)
        assert [log.split() for log in logs] == [
            ["log", "default", "{", "exclude", "http.log", "http.handlers"]
        ]


def nginx_file(tmp_path: Path) -> str:
    """Return the file with a certificate, folders and ports of the test's own."""
    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=x"]
    made = [tmp_path / name for name in ("privkey.pem", "fullchain.pem")]
    run(tool("openssl"), "req", "-x509", *new, "-keyout", made[0], "-out", made[1])
    text = (DEPLOY / "nginx.conf").read_text()
    text = re.sub(r"/etc/letsencrypt/live/[a-z.]+", str(tmp_path), text)
    text = text.replace("/run/nginx.pid", f"{tmp_path}/nginx.pid")
    text = text.replace("/var/www/acme", f"{tmp_path}/acme")
    text = re.sub(r"listen \[::\].*", "", text)  # a container may have IPv4 alone
    text = re.sub(r"listen (80|443)", r"listen 127.0.0.1:\g<1>80", text)
    folders = "".join(
        f"{kind}_temp_path {tmp_path}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    return text.replace("access_log off;", f"access_log off; {folders}")


ONION = f"{'a' * 56}.onion"
CLEAR = "survey.example.org"
DESK = "desk.example.org"


@contextmanager
def proxy(
    name: str, folder: Path, server: Running | SimpleNamespace, second: int = 0
) -> Iterator[tuple[str, str]]:
    """Start a proxy that tells of the onion service; lend its address and that for Tor."""
    onion, clear = free_ports(2)
    place = {"nginx": "nginx.conf", "caddy": "Caddyfile", "compose": "compose.Caddyfile"}[name]
    text = nginx_file(folder) if name == "nginx" else (DEPLOY / place).read_text()
    text = text.replace("import kept.caddy", (DEPLOY / "kept.caddy").read_text())
    for old, new in (
        ("# add_header Onion", "add_header Onion"),
        ("# header /", "header /"),
        ("youraddress.onion", ONION),
        ("# server 127.0.0.1:8003", f"{'#' if not second else ''} server 127.0.0.1:{second}"),
        ("intake-1:8000 intake-2:8000", f"127.0.0.1:8000 127.0.0.1:{second}"),
        ("reverse_proxy desk:8001", "reverse_proxy 127.0.0.1:8001"),
        ("127.0.0.1:8000", f"127.0.0.1:{server.port}"),
        ("127.0.0.1:8001", f"127.0.0.1:{server.desk_port}"),
        ("http://:8002 ", f"http://:{onion} "),
        ("*.onion:8002 ", f"*.onion:{onion} "),
        ("\nhttp:// {", f"\nhttp://:{clear} {{"),
        ("\nhttps:// {", f"\nhttp://:{free_ports(1)[0]} {{"),
        ("127.0.0.1:8002", f"127.0.0.1:{onion}"),
        ("127.0.0.1:44380", f"127.0.0.1:{clear}"),
        ("\nsurvey.example.org {", f"\nhttp://{CLEAR}:{clear} {{"),
        ("\ndesk.example.org {", f"\nhttp://desk.example.org:{clear} {{"),
        ("{\n\t# Requests", "{\n\tadmin off\n\t# Requests"),
        ("{\n\tlog default", "{\n\tadmin off\n\tlog default"),
    ):
        text = text.replace(old, new)
    (folder / place).write_text(text)
    words: tuple[str | Path, ...] = ("run", "--adapter", "caddyfile", "--config", folder / place)
    home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    if name == "nginx":
        words = ("-p", folder, "-c", folder / place, "-e", folder / "e")
        assert "test is successful" in run(tool(name), "-t", *words)
        words = (*words, "-g", "daemon off; user root;")
    with (folder / "said").open("w") as said:
        started = subprocess.Popen(
            [tool("nginx" if name == "nginx" else "caddy"), *words],
            env={"PATH": "/usr/sbin:/usr/bin", **home},
            stdout=said,
            stderr=said,
        )
    try:
        scheme = "https" if name == "nginx" else "http"
        yield f"{scheme}://127.0.0.1:{clear}", f"http://127.0.0.1:{onion}"
    finally:
        started.terminate()
        started.wait(60)


def named(url: str, host: str) -> tuple[str, ...]:
    """Return how curl asks this machine by a name, also in the TLS handshake."""
    address = urlsplit(url)
    there = f"{host}:{address.port}:127.0.0.1"
    return ("--resolve", there, "--path-as-is", url.replace("127.0.0.1", host, 1))


def ask(url: str, host: str, *more: str) -> str:
    """Return what is answered, with its head in small letters."""
    patient = ("--retry", "50", "--retry-connrefused", "--retry-delay", "1")
    told = run(tool("curl"), "-si", "--insecure", *patient, *more, *named(url, host))
    head, _, body = told.replace("\r", "").partition("\n\n")
    return f"{head.lower()}\n\n{body}"


def connection_to(url: str) -> HTTPConnection:
    """Return a connection to a proxy of this machine, which knows the survey by its name."""
    address = urlsplit(url)
    unverified = ssl._create_unverified_context()  # noqa: S323  a certificate of our own
    made = (
        HTTPSConnection(CLEAR, address.port, context=unverified)
        if address.scheme == "https"
        else HTTPConnection(CLEAR, address.port)
    )
    here = socket.create_connection(("127.0.0.1", address.port or 0))
    made._create_connection = lambda *_: here  # type: ignore[attr-defined]
    return made


class Told(BaseHTTPRequestHandler):
    """A program that says what it was asked."""

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        told = json.dumps([[*map(list, self.headers.items())], body.decode()]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    do_POST = do_GET  # noqa: N815  as the library calls it

    def log_message(self, *_: object) -> None:
        pass


OF_THE_SENDER = {
    "accept-encoding": "br, gzip",
    "content-type": "application/json",
    "origin": "https://elsewhere.example",
    "sec-fetch-site": "cross-site",
    "survey-pin": "a word",
    "survey-token": "0a",
}
MORE_OF_THE_SENDER = {
    **{"user-agent": "Browser-17", "accept-language": "de-CH", "cookie": "known=17", "dnt": "1"},
    **{"referer": "https://elsewhere.example/17", "sec-ch-ua": "17", "accept": "text/html"},
    **{"x-forwarded-for": "198.18.0.17", "if-none-match": "17", "x-known": "17", "via": "17"},
}
OF_THE_PROXY = {
    *("host", "connection", "content-length", "x-forwarded-for", "x-forwarded-host"),
    *("x-forwarded-proto", "transfer-encoding"),
}


@pytest.mark.slow
@pytest.mark.promise("forgets")
@pytest.mark.parametrize("name", ["nginx", "caddy", "compose"])
def test_a_proxy_hands_on_nothing_of_the_sender(name: str, tmp_path: Path) -> None:
    program = ThreadingHTTPServer(("127.0.0.1", 0), Told)
    threading.Thread(target=program.serve_forever, daemon=True).start()
    behind = SimpleNamespace(port=program.server_port, desk_port=program.server_port)
    heads = {**OF_THE_SENDER, **MORE_OF_THE_SENDER}
    words = [word for one, value in heads.items() for word in ("-H", f"{one}: {value}")]
    with closing(program.socket), proxy(name, tmp_path, behind, program.server_port) as found:
        clear, onion = found
        sites = [(clear, CLEAR), *([] if name == "compose" else [(onion, ONION)])]
        for url, host in sites:
            for more, body in ((words, ""), ([*words, "-d", "{}"], "{}"), ([], "")):
                told, read = json.loads(ask(f"{url}/s", host, *more).partition("\n\n")[2])
                given = {one.lower(): value for one, value in told}
                assert len(given) == len(told)
                kept = {one: value for one, value in given.items() if one not in OF_THE_PROXY}
                sent = OF_THE_SENDER if more else {}
                empty = dict.fromkeys(OF_THE_SENDER, "") | {"accept-encoding": "identity"}
                assert {**empty, **kept} == {**empty, **sent}
                assert given["host"].partition(":")[0] == host
                assert given["x-forwarded-for"] == "127.0.0.1"
                other = [value for one, value in told if one.lower() != "host"]
                assert not re.search(r"\b17\b", str(other))
                assert read == body
        # The desk knows its people.
        told, _ = json.loads(ask(f"{clear}/desk/", DESK, *words).partition("\n\n")[2])
        assert ["cookie", "known=17"] in [[one.lower(), value] for one, value in told]
        for url, host in (*sites, (clear, DESK)):
            for path in ("/health", "/metrics", "//health", "/%6detrics", "/x/../metrics"):
                assert " 404" in ask(url + path, host).partition("\n")[0], path
        for url, _ in sites:
            for host in ("evil.example", f"anna.{CLEAR}", "localhost", "127.0.0.1"):
                refused = subprocess.run(
                    [tool("curl"), "-si", "--insecure", *named(f"{url}/s", host)],
                    capture_output=True,
                    check=False,
                )
                assert refused.returncode in (35, 52), host
                assert refused.stdout == b""
        # By one name in the handshake and by another in the request.
        refused = subprocess.run(
            [tool("curl"), "-si", "--insecure", "-H", "Host: evil", *named(f"{clear}/s", CLEAR)],
            capture_output=True,
            check=False,
        )
        assert refused.returncode
        assert refused.stdout == b""
        program.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nginx", "caddy"])
def test_a_proxy_writes_down_nobody_on_any_port(name: str, tmp_path: Path) -> None:
    # As it was built, nginx would write into this file.
    usual = re.search(r"--http-log-path=(\S+)", run(tool("nginx"), "-V"))
    assert usual is not None
    logged = Path(usual[1]).stat().st_size if Path(usual[1]).exists() else 0
    with running(tmp_path, []) as server:
        down = replace(server, port=free_ports(1)[0])  # nobody is there, which is an error
        with proxy(name, tmp_path, down) as addresses:
            plain = ["http://127.0.0.1:8080"] if name == "nginx" else []
            for url in plain:
                challenge = tmp_path / "acme" / ".well-known" / "acme-challenge" / "x1"
                challenge.parent.mkdir(parents=True)
                challenge.write_text("proof of the host")
                assert ask(url + "/.well-known/acme-challenge/x1", CLEAR).endswith("of the host")
            for url, host, said in zip(
                (*addresses, *plain), (CLEAR, ONION, CLEAR), (502, 502, 308), strict=False
            ):
                ask(f"{url}/health", host)  # waits until the proxy is there
                told = ask(f"{url}/person17", host, "--retry", "0")
                assert f" {said}" in told.partition("\n")[0]
    assert logged == (Path(usual[1]).stat().st_size if Path(usual[1]).exists() else 0)
    texts = [one.read_text(errors="replace") for one in tmp_path.rglob("*") if one.is_file()]
    assert not [text for text in texts if "person17" in text or '"remote_ip"' in text]


@pytest.mark.slow
@pytest.mark.promise("onion")
@pytest.mark.parametrize("name", ["nginx", "caddy"])
def test_the_onion_service_shows_respondents_pages(name: str, tmp_path: Path) -> None:
    survey = surveys.survey(surveys.single("q"), slug="club")
    pages = [at("club", end) for end in ("", "survey.json", "state.json", "privacy", "poster")]
    pages += ["/device", "/client/main.js"]
    with running(tmp_path, [survey]) as server, proxy(name, tmp_path, server) as (clear, onion):
        assert f"\nonion-location: http://{ONION}/\n" in ask(f"{clear}/", CLEAR)
        for page in pages:
            assert "onion-location" not in ask(clear + page, CLEAR)
            there = ask(onion + page, ONION)
            assert " 200" in there.partition("\n")[0]
            assert "example.org" not in there
            assert "strict-transport-security" not in there
        sent = ("-H", "Content-Type: application/json", "-d", report(survey).to_json().decode())
        assert " 201" in ask(onion + at("club", "reports"), ONION, *sent).partition("\n")[0]
        # The desk answers through the proxy, and not where Tor comes in.
        desk = ask(f"{clear}/desk/sign-in", "desk.example.org")
        assert " 404" not in desk.partition("\n")[0]
        assert " 404" in ask(f"{onion}/desk/sign-in", ONION).partition("\n")[0]
        assert " 404" in ask(f"{onion}/health", ONION).partition("\n")[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", first_of(["nginx", "compose", "caddy"], 1, pytest.mark.campaign))
def test_a_rolling_restart_loses_nothing(name: str, tmp_path: Path) -> None:
    """Two intakes, or for `caddy` the one that its file has, are started again under load."""
    survey = surveys.survey(surveys.single("q"), slug="club")
    with closing(open_store(f"sqlite:///{tmp_path}/store.db")) as store:
        store.register(survey)
    ports = free_ports(2)[: 1 if name == "caddy" else 2]
    (unit,) = settings(UNITS[0])["ExecStart"]
    drain = ("--drain", unit.split("--drain ")[1], "--behind-proxy", "--reports-per-minute", "0")
    start = partial(started, str(tmp_path / "store.db"), "respondents", *drain)
    said: Counter[tuple[str, int]] = Counter()
    stop = threading.Event()

    def keep_asking(url: str, method: str) -> None:
        while not stop.wait(0.01):
            body = report(survey).to_json() if method == "POST" else None
            heads = {"Content-Type": "application/json"}
            with closing(connection_to(url)) as asked:
                asked.request(method, at("club", "reports" if body else ""), body, heads)
                said[method, asked.getresponse().status] += 1

    with ExitStack() as whole:
        intakes = [whole.enter_context(ExitStack()) for _ in ports]
        for intake, port in zip(intakes, ports, strict=True):
            intake.enter_context(start(port=port))
        behind = SimpleNamespace(port=ports[0], desk_port=1)
        url, _ = whole.enter_context(proxy(name, tmp_path, behind, ports[-1]))
        ask(f"{url}/health", CLEAR)
        askers = [
            threading.Thread(target=keep_asking, args=(url, kind)) for kind in 4 * ["GET", "POST"]
        ]
        for one in askers:
            whole.callback(one.join)
        whole.callback(stop.set)
        for one in askers:
            one.start()
        for _ in range(2):
            for intake, port in zip(intakes, ports, strict=True):
                intake.close()  # stops it, and waits until it has stopped
                intake.enter_context(start(port=port))
    assert {status for method, status in said if method == "GET"} == {200}
    # One that is alone can be cut off while it takes a report, which the page then sends again.
    sent = {201} if name != "caddy" else {201, 502}
    assert {status for method, status in said if method == "POST"} <= sent
    with closing(open_store(f"sqlite:///{tmp_path / 'store.db'}")) as store:
        assert (
            0
            < said["POST", 201]
            <= len(reports_in(store, "club"))
            <= said["POST", 201] + said["POST", 502]
        )


@pytest.mark.promise("onion")
def test_only_respondents_have_an_onion_port() -> None:
    torrc = (DEPLOY / "torrc").read_text()
    assert re.findall(r"(?m)^HiddenServicePort (.*)$", torrc) == ["80 127.0.0.1:8002"]
    assert "listen 127.0.0.1:8002;" in (DEPLOY / "nginx.conf").read_text()
    for unit in UNITS:
        assert "8002" not in (DEPLOY / unit).read_text()
    # A questionnaire that came with it would not be judged honest.
    assert judge("onion-location", f"http://{ONION}/") is not Verdict.YES


@pytest.mark.slow
def test_tor_takes_its_file(tmp_path: Path) -> None:
    (tmp_path / "survey").mkdir(mode=0o700)
    text = (DEPLOY / "torrc").read_text().replace("/var/lib/tor", str(tmp_path))
    (tmp_path / "torrc").write_text(f"{text}DataDirectory {tmp_path}\n")
    said = run(tool("tor"), "--verify-config", "-f", tmp_path / "torrc", "--hush")
    assert "warn" not in said.replace("running Tor as root", "").replace("[warn] You are", "")


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def test_compose_has_intakes_desk_database_and_proxy() -> None:
    services = compose()["services"]
    assert {*services} == {"intake-1", "intake-2", "desk", "database", "proxy"}
    for name in ("intake-1", "intake-2", "desk"):
        words = services[name]["command"]
        assert words[0] == "serve"
        assert {word for word in words if word.startswith("--")} <= options_of_serve()
        assert words[words.index("--only") + 1] == ("desk" if name == "desk" else "respondents")
        # Nobody but the proxy reaches them: neither a port nor a network of the world's.
        assert "ports" not in services[name]
        assert services[name]["networks"] == ["inside"]
        assert services[name]["environment"]["DENIABLE_STORE"].startswith("postgresql://")
    assert compose()["networks"]["inside"] == {"internal": True}
    assert services["desk"]["environment"]["PORT"] == "8001"
    (most,) = settings(UNITS[1])["MemoryMax"]
    assert services["desk"]["mem_limit"] == services["desk"]["memswap_limit"] == most.lower()
    proxy = (DEPLOY / "compose.Caddyfile").read_text()
    assert "reverse_proxy intake-1:8000 intake-2:8000" in proxy
    assert "reverse_proxy desk:8001" in proxy
    assert "${POSTGRES_PASSWORD:?" in (DEPLOY / "compose.yaml").read_text()


def test_every_file_that_is_named_is_there() -> None:
    for one in compose()["services"].values():
        for volume in one.get("volumes", []):
            here = volume.partition(":")[0]
            assert not here.startswith("./") or (DEPLOY / here).is_file(), here


def test_the_container_installs_what_is_locked(tmp_path: Path) -> None:
    text = (DEPLOY / "Containerfile").read_text()
    script = re.search(r"awk '(.*?)'", text, re.DOTALL)
    assert script is not None
    lock = run("awk", script[1], ROOT / "requirements.lock")
    packages = set(re.findall(r"^([a-z0-9-]+)(?:\[.*?\])?==", lock, re.MULTILINE))
    assert {"flask", "granian", "psycopg", "psycopg-binary", "setuptools"} <= packages
    assert not packages & {"pytest", "selenium", "ruff"}
    assert lock.count("--hash=sha256:") >= len(packages)


@pytest.mark.slow
def test_the_container_is_built_and_runs(tmp_path: Path) -> None:
    for name in ("podman", "docker"):
        runtime = shutil.which(name)
        if (
            runtime
            and not subprocess.run([runtime, "info"], check=False, capture_output=True).returncode
        ):
            break
    else:
        pytest.skip("no container runtime works here; the container is built where one does")
    run(runtime, "build", "-f", DEPLOY / "Containerfile", "-t", "deniable-test", ".", cwd=ROOT)
    assert run(runtime, "run", "--rm", "deniable-test", "--version").startswith("deniable")
    started = run(runtime, "run", "--rm", "-d", "deniable-test").strip()
    try:
        ask = (
            "import time, urllib.request as r\n"
            "for _ in range(60):\n"
            "    try: print(r.urlopen('http://127.0.0.1:8000/health').read()); break\n"
            "    except OSError: time.sleep(.5)\n"
        )
        assert "ok" in run(runtime, "exec", started, "python", "-c", ask)
    finally:
        run(runtime, "stop", started)
