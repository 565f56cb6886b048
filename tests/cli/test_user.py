"""Accounts, links and invitations on the command line."""

import csv
import os
import re
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from deniable.cli.main import commands
from deniable.server.desk.auth import passwords
from deniable.server.desk.auth.login_links import redeem
from deniable.server.desk.auth.passwords import is_password
from deniable.server.desk.auth.sessions import hash_of
from deniable.server.loopback import loopback
from deniable.server.store import Store, open_store
from deniable.server.store.accounts import NOBODY, Role, Scope, Session
from deniable.server.store.invitations import Invited
from deniable.survey.trial import trial_of
from deniable.survey_file import read
from tests.cli.conftest import DOPING, Run, names
from tests.server.desk.auth.test_accounts import QUICK

PASSWORD = "correct horse battery"


@pytest.fixture
def store(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Open the store that the commands use unless told otherwise."""
    monkeypatch.setattr(passwords, "_HASHER", QUICK)
    with closing(open_store("sqlite:///deniable.db")) as opened:
        yield opened


def signs_in(store: Store, link: str) -> str | None:
    return redeem(store, link.strip().rsplit("/", 1)[1])


def test_the_first_is_administrator_and_others_owners(run: Run, store: Store) -> None:
    refused = run("user", "add", "ada", "--role", "analyst", exits=2)
    assert names(refused.stderr, "--role administrator")
    assert store.users() == []
    added = run("user", "add", "Ada", "--desk-url", "https://desk.example.org")
    assert added.stdout.startswith("https://desk.example.org/desk/sign-in/")
    assert signs_in(store, added.stdout) == "ada"
    run("user", "add", "olu")
    run("user", "add", "ana", "--role", "analyst")
    assert {user.name: user.role for user in store.users()} == {
        "ada": Role.ADMINISTRATOR,
        "olu": Role.OWNER,
        "ana": Role.ANALYST,
    }
    listed = run("user", "list").stdout.splitlines()
    assert [line.split()[:2] for line in listed] == [
        ["ada", "administrator"],
        ["ana", "analyst"],
        ["olu", "owner"],
    ]
    for name in ("olu", "o l u"):
        run("user", "add", name, exits=1)


def test_a_link_is_for_somebody(run: Run, store: Store) -> None:
    guessed = run("sign-in")
    assert signs_in(store, guessed.stdout) == NOBODY
    assert names(guessed.stderr, "http://127.0.0.1:8001", "--desk-url")
    assert not run("sign-in", "--desk-url", "http://127.0.0.1:9181").stderr
    assert names(run("sign-in", "ada", exits=1).stderr, "no account 'ada'", "user add")
    run("user", "add", "ada")
    assert signs_in(store, run("sign-in").stdout) == "ada"
    run("user", "add", "olu")
    assert names(run("sign-in", exits=1).stderr, "whose account", "ada, olu")
    assert signs_in(store, run("sign-in", "OLU").stdout) == "olu"
    run("sign-in", "eve", exits=1)


def typed(arguments: str, text: str = "") -> tuple[int, str]:
    """Run a command to which somebody, or a program, writes."""
    result = CliRunner().invoke(commands, f"user {arguments}".split(), text)
    return result.exit_code, result.output


def test_a_piped_password_is_not_shown(store: Store) -> None:
    code, said = typed("add ada --password", f"{PASSWORD}\n")
    assert code == 0
    assert PASSWORD not in said
    assert "sign-in" not in said
    assert is_password(PASSWORD, store.user("ada").password)
    for wrong in ("", "short\n"):
        assert typed("password ada", wrong)[0] == 1
    assert is_password(PASSWORD, store.user("ada").password)
    assert typed("password ada", f"{PASSWORD}!")[0] == 0
    assert is_password(f"{PASSWORD}!", store.user("ada").password)
    assert typed("password ada --none")[0] == 0
    assert store.user("ada").password == ""


def test_a_terminal_asks_passwords_twice(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.add_user("ada", Role.ADMINISTRATOR)
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _: True)
    code, said = typed("password ada", f"{PASSWORD}\nanother password\n{PASSWORD}\n{PASSWORD}\n")
    assert code == 0
    assert said.count("New password") == 2
    assert PASSWORD not in said
    assert is_password(PASSWORD, store.user("ada").password)


def test_removing(run: Run, store: Store) -> None:
    for name in ("ada", "olu"):
        run("user", "add", name)
    assert names(run("user", "remove", "ada", exits=1).stderr, "last administrator")
    run("user", "remove", "eve", exits=1)
    run("user", "remove", "olu")
    run("user", "remove", "ada")
    assert store.users() == []
    assert "no accounts" in run("user", "list").stdout


def test_accounts_print_no_link_and_stay(announce: Run, store: Store) -> None:
    store.add_user("ada", Role.ADMINISTRATOR)
    session = Session(b"of another run", "ada", "Firefox", 0, 2**40)
    store.begin_session(session)
    printed = announce("doping.yaml").stdout
    assert "/desk/sign-in/" not in printed
    (desk,) = re.findall(r"^  (http://\S+)/desk$", printed, re.MULTILINE)
    assert f"sign-in --desk-url {desk} NAME'" in printed
    assert store.sessions("ada", now=0) == [session]


def test_a_token_is_printed_once(run: Run, store: Store) -> None:
    alone = run("user", "token", "--for", "figures").stdout.strip()
    found = store.token(hash_of(alone), 0)
    assert found is not None
    assert (found.user, found.name, found.scope) == (NOBODY, "figures", Scope.READ)
    run("user", "add", "ada")
    run("user", "add", "olu")
    hers = run("user", "token", "olu", "--for", "sheets", "--may", "all").stdout.strip()
    other = store.token(hash_of(hers), 0)
    assert other is not None
    assert (other.user, other.scope) == ("olu", Scope.ALL)
    run("user", "token", "eve", "--for", "sheets", exits=1)
    run("user", "token", "olu", exits=2)
    run("user", "token", "olu", "--for", "sheets", exits=1)
    assert names(run("user", "token", "olu", "--end", "figures", exits=1).stderr, "sheets")
    run("user", "token", "olu", "--end", "sheets")
    assert store.token(hash_of(hers), 0) is None
    assert store.token(hash_of(alone), 0) is not None


@pytest.mark.slow
def test_a_trial_is_named_to_whoever_checks_it(run: Run) -> None:
    survey = read(DOPING).survey
    with loopback(trial_of(survey)) as link, loopback(survey) as real:
        checked = run("verify", link)
        assert names(checked.stderr, "'trial.doping'", "is a trial", "made up")
        assert "Yes: this is the program of" in checked.stdout
        assert "trial" not in run("verify", real).stderr


STORE = ("--store", "sqlite:///real.db")


def invited() -> Invited | None:
    with closing(open_store("sqlite:///real.db")) as store:
        return store.invited("doping")


def test_codes_are_written_and_used_by_a_simulation(run: Run, stored: None) -> None:
    Path("survey.yaml").write_text(DOPING)
    assert "needs no code" in run("invite", "doping", *STORE).stdout
    run("invite", "doping", "-n", 30, "-o", "codes.csv", *STORE)
    with Path("codes.csv").open(newline="") as lines:
        rows = [*csv.DictReader(lines)]
    assert [*rows[0]] == ["code"]
    assert len({row["code"] for row in rows}) == 30
    assert invited() == Invited(30, {})
    assert stat.S_IMODE(Path("real.db.keys").stat().st_mode) == 0o600
    without = run("simulate", "survey.yaml", "-n", 5, *STORE, exits=1)
    assert "by invitation" in without.stderr
    few = run("simulate", "survey.yaml", "-n", 31, "--codes", "codes.csv", *STORE, exits=1)
    assert "found 30" in few.stderr
    run("simulate", "survey.yaml", "-n", 30, "--codes", "codes.csv", *STORE)
    rate = "Response rate, of the reports that the desk shows: 20 of 30 invited, 67 %."
    for command in ("invite", "collect"):
        assert f"is by invitation. {rate}" in run(command, "doping", *STORE).stdout
    again = run(
        "simulate", "survey.yaml", "-n", 5, "--add", "--codes", "codes.csv", *STORE, exits=1
    )
    assert "have been used" in again.stderr
    run("invite", "doping", "--end", *STORE)
    assert invited() is None


@pytest.mark.promise("code-lists")
@pytest.mark.parametrize("file", ["codes.csv", "slips.html"])
def test_nobody_else_reads_a_list_of_codes(run: Run, stored: None, file: str) -> None:
    before = os.umask(0o022)
    try:
        command = ("invite", "doping", "-n", 3, "--url", "https://survey.example.org", *STORE)
        run(*command, "-o", file)
        assert stat.S_IMODE(Path(file).stat().st_mode) == 0o600
        # Whoever could read what was there before sees nothing of these.
        Path(file).chmod(0o644)
        run(*command, "-o", file, "--force")
        assert stat.S_IMODE(Path(file).stat().st_mode) == 0o600
    finally:
        os.umask(before)


def test_slips_need_the_address_that_they_lead_to(run: Run, stored: None) -> None:
    assert "--url" in run("invite", "doping", "-n", 2, "-o", "s.html", *STORE, exits=2).stderr
    assert invited() is None
    url = "https://survey.example.org"
    run("invite", "doping", "-n", 2, "-o", "s.html", "--url", url, *STORE)
    page = Path("s.html").read_text()
    assert page.count("<svg") == 2
    assert "<style>" in page
    assert "http" not in page.replace(url, "").replace("http://www.w3.org/2000/svg", "")
