"""Signing in with a name and a password, one's own account, the accounts of others."""

import base64
import hashlib
import json
import re
import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from flask.sessions import SecureCookieSessionInterface

from deniable.cli.upgrade import upgrade_to_serve
from deniable.server.desk.app import create_desk_app
from deniable.server.desk.auth import passwords as credentials
from deniable.server.desk.auth.api_tokens import make_token
from deniable.server.desk.auth.login_links import new_link, redeem
from deniable.server.desk.auth.passwords import hash_password, is_password, read_name
from deniable.server.desk.auth.throttle import FOR_ALL, FOR_ONE_NAME, Attempts
from deniable.server.desk_program import open_program
from deniable.server.settings import Settings
from deniable.server.store import Store, StoreError, open_store
from deniable.server.store.accounts import Role, Scope
from deniable.server.store.keys import KeyFile
from tests.kit import ORIGIN, RESPONDENTS, Answer, Browser, Caller, Start, disk_of, path_of, url_for
from tests.kit.fixtures import signed_in
from tests.server.desk.test_pages import without_tokens

pytestmark = pytest.mark.promise("rights")

PASSWORD = "correct horse"
FORM = url_for("auth.password_page")

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture
def slowly() -> None:
    """Hash passwords as the program does: that is slow on purpose."""


@pytest.fixture(autouse=True)
def quickly(request: pytest.FixtureRequest) -> Iterator[None]:
    """Hash passwords in no time, but for the tests that want it done `slowly`."""
    with pytest.MonkeyPatch.context() as patch:
        if "slowly" not in request.fixturenames:
            patch.setattr(credentials, "_HASHER", QUICK)
            patch.setattr(credentials, "_OF_NOBODY", QUICK.hash("nobody's"))
        yield


@pytest.fixture
def accounts(store: Store, quickly: None) -> Store:
    store.add_user("ada", Role.ADMINISTRATOR, hash_password(PASSWORD))
    store.add_user("olu", Role.OWNER)
    return store


def enter(browser: Browser, name: str, password: str) -> Answer:
    form = {"csrf_token": browser.token(FORM), "name": name, "password": password}
    return browser(FORM, method="POST", form=form)


@pytest.fixture
def ada(accounts: Store, desk: Caller) -> Browser:
    """Open a browser, and sign the administrator in by a link."""
    return signed_in(accounts, desk, "ada")


def test_a_name_and_a_password_sign_in(accounts: Store, desk: Caller) -> None:
    browser = Browser(desk)
    before = browser.token(FORM), browser.cookie
    answer = enter(browser, "adam", PASSWORD)
    assert answer.status == 401
    answer = enter(browser, " Ada ", PASSWORD)
    assert (answer.status, answer.headers["Location"]) == (303, url_for("surveys.index"))
    assert browser.see("surveys.index").status == 200
    # Nothing that a visitor had before signing in opens anything now.
    visitor = Browser(desk)
    visitor.cookie = before[1]
    assert visitor.see("surveys.index").status == 401


@pytest.mark.slow
@pytest.mark.promise("guesses")
@pytest.mark.usefixtures("slowly")
def test_wrong_names_and_passwords_cost_the_same(
    accounts: Store, desk: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify = credentials._HASHER.verify
    compared: list[str] = []

    def counted(_: PasswordHasher, stored: str, password: str) -> bool:
        compared.append(stored)
        return verify(stored, password)

    monkeypatch.setattr(PasswordHasher, "verify", counted)
    pages = []
    # One that has a password, one that has none, and one that is nobody's.
    for name in ("ada", "olu", "eve"):
        answer = enter(Browser(desk), name, "wrong password")
        page = without_tokens(answer.text)
        pages.append((answer.status, answer.headers.keys(), page))
    assert pages[0] == pages[1] == pages[2]
    assert pages[0][0] == 401
    # Each was compared with a hash once, and all those hashes cost the same.
    assert len(compared) == 3
    assert len({stored.rsplit("$", 2)[0] for stored in compared}) == 1
    assert all(stored.startswith("$argon2id$") for stored in compared)


def test_a_password_is_the_same_from_every_keyboard() -> None:
    assert is_password("cafe\u0301 au lait", hash_password("caf\u00e9 au lait"))
    assert not is_password("", "")


@pytest.mark.parametrize("name", ["", " ", "a b", "-a", "a" * 65, "a/b", "é", "<b>"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="A name has"):
        read_name(name)


def test_a_short_password_is_refused() -> None:
    with pytest.raises(ValueError, match="12 characters"):
        hash_password("eleven char")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.promise("guesses")
def test_guesses_slow_down_and_lock_nobody_out() -> None:
    clock = Clock()
    attempts = Attempts(clock)
    assert [attempts.take("ada") for _ in range(FOR_ONE_NAME.at_once)] == [0] * 5
    # However often somebody tries meanwhile, the pause gets no longer.
    assert {attempts.take("ada") for _ in range(1000)} == {60}
    # It is the name's alone.
    assert attempts.take("olu") == 0
    clock.now += 60
    assert attempts.take("ada") == 0
    assert attempts.take("ada") == 60
    clock.now += 300
    assert [attempts.take("ada") for _ in range(6)] == [0] * 5 + [60]


@pytest.mark.promise("guesses")
def test_guesses_of_many_names_are_slowed_down_together() -> None:
    clock = Clock()
    attempts = Attempts(clock)
    assert not any(attempts.take(f"name {n}") for n in range(FOR_ALL.at_once))
    assert attempts.take("ada") == 2
    clock.now += 2
    assert attempts.take("ada") == 0
    # In an hour, who tries all the time gets this many.
    tried = 0
    for _ in range(3600):
        clock.now += 1
        tried += attempts.take(f"name {clock.now}") == 0
    assert tried <= 3600 / 2 + FOR_ALL.at_once
    assert len(attempts._names) < 1000


@pytest.mark.promise("guesses")
def test_too_many_attempts_wait_and_links_work(
    accounts: Store, start_desk: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However long a machine takes to guess, no second of the wait is over.
    monkeypatch.setattr(Attempts.__init__, "__defaults__", (Clock(),))
    desk = start_desk()
    guesser = Browser(desk)
    with monkeypatch.context() as unread:
        unread.setattr("deniable.server.desk.auth.routes.is_password", lambda *_: False)
        for name in ("ada", "eve"):
            answers = [enter(guesser, name, "guess") for _ in range(6)]
            assert [answer.status for answer in answers] == [401] * 5 + [429]
            assert answers[-1].headers["Retry-After"] == "60"
    assert enter(Browser(desk), "ada", PASSWORD).status == 429
    owner = signed_in(accounts, desk, "ada")
    # Nor can a stolen session be used to guess, nor guesses of others keep its owner out.
    new = {"new": "another password", "again": "another password"}
    for old, status in [(PASSWORD, 303), *[("guess", 422)] * 5, (new["new"], 422)]:
        assert owner.send("account.change_password", old=old, **new).status == status


@pytest.mark.promise("guesses")
def test_a_known_device_tells_nobody_and_stays_in(
    accounts: Store, start_desk: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However long the hashes of passwords take here, no guess becomes free again meanwhile.
    monkeypatch.setattr(Attempts.__init__, "__defaults__", (Clock(),))
    accounts.set_password("olu", hash_password(PASSWORD))
    desk = start_desk()
    hers, guesser = Browser(desk), Browser(desk)
    entered = enter(hers, "ada", PASSWORD)
    assert entered.status == 303
    (kept,) = (one for one in entered.set_cookies if one.startswith("desk-device="))
    assert {"HttpOnly", "SameSite=Strict", "Path=/desk"} <= {*kept.split("; ")}
    assert re.fullmatch("desk-device=[0-9a-f]{96}", hers.device)  # no name, nor a name's length
    # Of one name, and then of all.
    told = [[enter(guesser, name, "guess").status for _ in range(6)] for name in ("ada", "eve")]
    for n in range(12):
        enter(guesser, f"name{n}", "guess")
    assert enter(Browser(desk), "olu", PASSWORD).status == 429
    for _ in range(7):
        assert enter(hers, "ada", PASSWORD).status == 303
    # Who guesses learns neither that there is an ada nor that she was here.
    assert told == [[401] * 5 + [429]] * 2
    assert [enter(guesser, name, "guess").status for name in ("ada", "eve")] == [429, 429]
    # It is known by this name, until the password is another one; it guesses no faster.
    assert enter(hers, "olu", PASSWORD).status == 429
    assert [enter(hers, "ada", "guess").status for _ in range(6)] == [401] * 5 + [429]
    desk = hers._call = start_desk()  # also after a restart
    for _ in range(5):
        enter(Browser(desk), "ada", "guess")
    accounts.set_password("ada", hash_password("another password"))
    assert enter(hers, "ada", "another password").status == 429
    accounts.set_password("ada", hash_password(PASSWORD))
    assert enter(hers, "ada", PASSWORD).status == 429


@pytest.mark.promise("damage")
def test_a_lost_store_shows_by_its_cookie_key(tmp_path: Path) -> None:
    store = tmp_path / "begun.db"
    url = f"sqlite:///{store}"
    with closing(open_store(url)):
        pass
    program = open_program(Settings(url, "127.0.0.1", 0, RESPONDENTS, RESPONDENTS, RESPONDENTS))
    program.close()
    cookies = tmp_path / "begun.db.cookies"
    assert cookies.exists()
    store.write_bytes(b"")
    with pytest.raises(StoreError, match=re.escape(f"{cookies} is what a server keeps beside")):
        upgrade_to_serve(url, None)


@pytest.mark.promise("sessions")
def test_a_restart_ends_no_session(
    ada: Browser, start_desk: Start, keys: KeyFile, store: Store
) -> None:
    path = Path(store.name).with_suffix(".db.cookies")
    key = path.read_bytes()
    assert (len(key), path.stat().st_mode & 0o777) == (32, 0o600)

    def status(cookie: str) -> int:
        browser = Browser(start_desk())
        browser.cookie = cookie
        return browser.see("surveys.index").status

    assert status(ada.cookie) == 200
    app = create_desk_app(store, RESPONDENTS, keys)
    signing = SecureCookieSessionInterface().get_signing_serializer(app)
    assert signing
    assert status(f"desk={signing.dumps({'session': 'a guess'})}") == 401
    # One that others could read signs nothing, nor does a part of one.
    path.chmod(0o640)
    assert status(ada.cookie) == 401
    path.chmod(0o600)
    path.write_bytes(key[:9])
    assert status(ada.cookie) == 401
    path.write_bytes(key)
    assert status(ada.cookie) == 200


@pytest.mark.promise("sessions")
def test_a_new_password_ends_other_sessions(accounts: Store, ada: Browser, desk: Caller) -> None:
    thief, left = signed_in(accounts, desk, "ada"), new_link(accounts, ORIGIN, "ada")
    new = "another password"
    for form in (
        {"old": "wrong", "new": new, "again": new},
        {"new": new, "again": new},
        {"old": PASSWORD, "new": new, "again": "yet another one"},
        {"old": PASSWORD, "new": "short", "again": "short"},
    ):
        assert ada.send("account.change_password", **form).status == 422
    assert thief.see("surveys.index").status == 200
    assert ada.send("account.change_password", old=PASSWORD, new=new, again=new).status == 303
    assert ada.see("surveys.index").status == 200
    assert thief.see("surveys.index").status == 401
    assert thief.sign_in(left).status == 401
    assert enter(Browser(desk), "ada", PASSWORD).status == 401
    assert enter(Browser(desk), "ada", new).status == 303


def sessions_shown(browser: Browser) -> list[str]:
    return re.findall(r'name="session" value="([0-9a-f]{64})"', browser.see("account.page").text)


@pytest.mark.promise("sessions")
def test_sessions_end_one_by_one_or_all(accounts: Store, ada: Browser, desk: Caller) -> None:
    elsewhere, other = (signed_in(accounts, desk, name) for name in ("ada", "olu"))
    (mine,) = [one.token_hash.hex() for one in accounts.sessions("olu", int(time.time()))]
    shown = sessions_shown(ada)
    assert len(shown) == 2
    assert mine not in shown
    # Of others, nobody can end a session.
    assert ada.send("account.end_sessions", session=mine).status == 303
    assert other.see("surveys.index").status == 200
    assert ada.send("account.end_sessions", session="no hex").status == 400
    (hers,) = {*shown} - {hashlib.sha256(session_token(ada).encode()).hexdigest()}
    ada.send("account.end_sessions", session=hers)
    assert (ada.see("surveys.index").status, elsewhere.see("surveys.index").status) == (200, 401)
    elsewhere.sign_in(new_link(accounts, ORIGIN, "ada"))
    assert b'<button name="session" value="all">' in ada.see("account.page").body
    ada.send("account.end_sessions", session="all")
    assert ada.see("surveys.index").status == elsewhere.see("surveys.index").status == 401
    assert accounts.sessions("ada", int(time.time())) == []
    assert other.see("surveys.index").status == 200


def test_a_session_says_which_browser_and_since_when(accounts: Store, desk: Caller) -> None:
    path = path_of(new_link(accounts, ORIGIN, "ada"))
    browser = Browser(desk)
    token = browser.token(path)
    answer = desk(
        path,
        f"csrf_token={token}".encode(),
        method="POST",
        headers={
            "Cookie": browser.cookie,
            "Origin": ORIGIN,
            "Content-Type": "application/x-www-form-urlencoded",
            "User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 "
            "Mobile/15E148 Safari/604.1",
        },
    )
    browser.cookie = answer.set_cookies[0].split(";")[0]
    text = browser.see("account.page").text
    assert "Signed in on Safari on iOS, since" in text
    assert time.strftime("%Y", time.gmtime()) in text
    # No more than that is kept.
    (kept,) = accounts.sessions("ada", int(time.time()))
    assert kept.device == "Safari on iOS"


def test_who_is_added_gets_one_link(ada: Browser, desk: Caller) -> None:
    answer = ada.send("people.add", name="Eli", role="analyst")
    assert answer.status == 201
    found = re.search(r">(http://localhost/desk/sign-in/[^<]+)<", answer.text)
    assert found
    eli = Browser(desk)
    signed = eli.sign_in(found[1])
    # Nothing secret is in an address after that.
    assert (signed.status, signed.headers["Location"]) == (303, url_for("surveys.index"))
    assert "eli" in eli.see("account.page").text
    assert Browser(desk).sign_in(found[1]).status == 401
    for name in ("eli", "no name"):
        refused = ada.send("people.add", name=name, role="owner")
        assert refused.status == 422


def test_a_new_link_ends_old_sessions(accounts: Store, ada: Browser, desk: Caller) -> None:
    olu = signed_in(accounts, desk, "olu")
    # Whoever came by a link chooses a password.
    assert olu.send("account.change_password", new=PASSWORD, again=PASSWORD).status == 303
    assert is_password(PASSWORD, accounts.user("olu").password)
    assert ada.send("people.renew", name="olu").status == 201
    assert olu.see("surveys.index").status == 401
    assert enter(Browser(desk), "olu", PASSWORD).status == 401


def test_roles_and_removals_work_at_once(accounts: Store, ada: Browser, desk: Caller) -> None:
    olu = signed_in(accounts, desk, "olu")
    assert olu.see("people.page").status == 403
    ada.send("people.change_role", name="olu", role="administrator")
    assert olu.see("people.page").status == 200
    assert ada.send("people.change_role", name="olu", role="emperor").status == 400
    assert ada.send("people.remove", name="olu").status == 422
    assert olu.see("surveys.index").status == 200
    assert ada.send("people.remove", name="olu", confirmed="yes").status == 303
    assert olu.see("surveys.index").status == 401


@pytest.mark.parametrize("form", ["role", "link", "remove"])
def test_nobody_locks_their_own_account(accounts: Store, ada: Browser, form: str) -> None:
    answer = ada.post(f"/desk/people/{form}", name="ada", role="analyst", confirmed="yes")
    assert answer.status == 400
    assert accounts.user("ada").role is Role.ADMINISTRATOR
    assert ada.post(f"/desk/people/{form}", name="eve", role="analyst").status == 404


def session_token(browser: Browser) -> str:
    """Read the token in a cookie, whose signature protects it and does not hide it."""
    cookie = browser.cookie.removeprefix("desk=")
    packed = base64.urlsafe_b64decode(cookie.lstrip(".").split(".")[0] + "===")
    held = json.loads(zlib.decompress(packed) if cookie.startswith(".") else packed)
    token: str = held["session"]
    assert len(token) > 40
    return token


@pytest.fixture
def stolen(accounts: Store, ada: Browser) -> list[str]:
    """Steal the file of a store in use, and read every value in it as a thief could write it."""
    link = new_link(accounts, ORIGIN, "olu")
    token = make_token(accounts, "ada", "figures", Scope.ALL)
    accounts.erase_order()
    with closing(sqlite3.connect(accounts.name)) as db:
        values = [
            value
            for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            for row in db.execute(f"SELECT * FROM {table}")  # noqa: S608
            for value in row
            if isinstance(value, str | bytes) and value
        ]
    raw = disk_of(accounts)
    for secret in (PASSWORD, link.rsplit("/", 1)[1], session_token(ada), token):
        assert secret.encode() not in raw
    return [one if isinstance(one, str) else one.hex() for one in values]


@pytest.mark.promise("stolen-store")
@pytest.mark.usefixtures("slowly")
def test_a_stolen_store_signs_nobody_in(stolen: list[str], accounts: Store) -> None:
    """A thief tries all that is in it: as password, link, session under every key, token."""
    assert any(value.startswith("$argon2id$v=19$m=65536,t=3,p=4$") for value in stolen)
    assert len({value for value in stolen if re.fullmatch("[0-9a-f]{64}", value)}) >= 2
    short = [value for value in stolen if len(value) < 200]
    # The same password under a hash that takes no time to try so many against.
    quick = QUICK.hash(PASSWORD)
    assert is_password(PASSWORD, quick)
    for value in short:
        assert redeem(accounts, value) is None
        as_typed = [value]
        if re.fullmatch("([0-9a-f]{2})+", value):
            as_typed.append(bytes.fromhex(value).decode("latin-1"))
        for password in as_typed:
            assert not is_password(password, quick)
    # Even a thief who knew the key of the cookies could not make one.
    app = create_desk_app(accounts, RESPONDENTS)
    for value in short:
        client = app.test_client()
        with client.session_transaction() as session:
            session["session"] = value
        assert client.get(url_for("surveys.index")).status_code == 401
        shown = {"Authorization": f"Bearer {value}"}
        assert client.get("/api/v1/surveys", headers=shown).status_code in (401, 429)
