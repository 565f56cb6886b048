"""What every store promises of the people at the desk, whichever engine it has."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from deniable.server.store import Store
from deniable.server.store.accounts import (
    NOBODY,
    LastAdministratorError,
    Role,
    Scope,
    Session,
    Token,
    User,
)
from tests.kit import surveys

pytestmark = pytest.mark.promise("rights")


def session(token_hash: bytes, user: str = NOBODY, since: int = 0, ends: int = 100) -> Session:
    return Session(token_hash, user, "Firefox on Linux", since, ends)


def token(token_hash: bytes, user: str = NOBODY, since: int = 0, ends: int = 100) -> Token:
    return Token(token_hash, user, "nightly figures", Scope.READ, since, ends)


@pytest.fixture
def people(store: Store) -> Store:
    """Give the store an administrator, an owner and an analyst."""
    store.add_user("ada", Role.ADMINISTRATOR, "a hash")
    store.add_user("olu", Role.OWNER)
    store.add_user("ana", Role.ANALYST)
    return store


def test_accounts_come_and_are_found_by_name(people: Store) -> None:
    ada, ana, olu = (
        User("ada", Role.ADMINISTRATOR, "a hash"),
        User("ana", Role.ANALYST, ""),
        User("olu", Role.OWNER, ""),
    )
    assert people.users() == [ada, ana, olu]
    assert people.user("olu") == olu
    with pytest.raises(KeyError):
        people.user("eve")


def test_a_name_is_taken_once(people: Store) -> None:
    with pytest.raises(ValueError, match="there is an account 'ada' already"):
        people.add_user("ada", Role.OWNER, "another hash")
    assert people.user("ada") == User("ada", Role.ADMINISTRATOR, "a hash")


@pytest.mark.parametrize("role", [Role.OWNER, Role.ANALYST])
def test_the_first_account_is_an_administrator_s(store: Store, role: Role) -> None:
    with pytest.raises(LastAdministratorError):
        store.add_user("ada", role)
    assert store.users() == []


def test_accounts_always_have_an_administrator(people: Store) -> None:
    with pytest.raises(LastAdministratorError):
        people.remove_user("ada")
    with pytest.raises(LastAdministratorError):
        people.set_role("ada", Role.OWNER)
    assert people.user("ada").role is Role.ADMINISTRATOR
    people.set_role("olu", Role.ADMINISTRATOR)
    people.set_role("ada", Role.ANALYST)
    assert people.user("ada").role is Role.ANALYST
    for name in ("ada", "ana", "olu"):
        people.remove_user(name)
    assert people.users() == []


def test_what_is_not_there_is_a_key_error(people: Store) -> None:
    for use in (
        lambda: people.remove_user("eve"),
        lambda: people.set_role("eve", Role.OWNER),
        lambda: people.set_password("eve", "a hash"),
        lambda: people.share("doping", "eve", Role.OWNER),
        lambda: people.share("none", "olu", Role.OWNER),
        lambda: people.shares("none"),
        lambda: people.add_sign_in(b"h", expires=100, now=0, user="eve"),
        lambda: people.add_token(token(b"t", "eve")),
        lambda: people.add_token(token(b"t", NOBODY)),
    ):
        with pytest.raises(KeyError):
            use()


def test_the_first_account_takes_nobody_s_over(store: Store) -> None:
    store.begin_session(session(b"s"))
    store.add_sign_in(b"h", expires=100, now=0)
    store.add_token(token(b"t"))
    store.add_user("ada", Role.ADMINISTRATOR)
    store.add_user("olu", Role.OWNER)
    assert [one.user for one in store.sessions("ada", now=0)] == ["ada"]
    assert store.take_sign_in(b"h", now=0) == "ada"
    assert store.tokens("ada", now=0) == [token(b"t", "ada")]
    # Where there are accounts, nobody without one can get in.
    with pytest.raises(KeyError):
        store.add_sign_in(b"h", expires=100, now=0)


@pytest.mark.promise("tokens")
def test_a_new_password_ends_the_old_one_s(people: Store) -> None:
    for token_hash, user in ((b"mine", "olu"), (b"stolen", "olu"), (b"hers", "ada")):
        people.begin_session(session(token_hash, user))
        people.add_sign_in(token_hash, expires=100, now=0, user=user)
        people.add_token(token(token_hash, user))
    people.set_password("olu", "new", keep=b"mine")
    assert people.user("olu").password == "new"
    assert [one.token_hash for one in people.sessions("olu", now=0)] == [b"mine"]
    assert people.take_sign_in(b"mine", now=0) is None
    assert people.session(b"hers", now=0) is not None
    assert people.take_sign_in(b"hers", now=0) == "ada"
    assert people.tokens("olu", now=0) == []
    assert people.token(b"hers", now=0) == token(b"hers", "ada")


def test_whoever_is_removed_leaves_nothing_behind(people: Store) -> None:
    people.share("doping", "olu", Role.OWNER)
    people.begin_session(session(b"s", "olu"))
    people.add_sign_in(b"h", expires=100, now=0, user="olu")
    people.add_token(token(b"t", "olu"))
    people.remove_user("olu")
    assert people.token(b"t", now=0) is None
    assert people.session(b"s", now=0) is None
    assert people.take_sign_in(b"h", now=0) is None
    # Somebody else of the same name begins anew.
    people.add_user("olu", Role.OWNER)
    assert people.shared_with("olu") == people.shares("doping") == {}


def test_sharing_changing_and_taking_back(people: Store) -> None:
    people.register(surveys.survey(slug="other"))
    people.share("doping", "olu", Role.ANALYST)
    people.share("other", "olu", Role.OWNER)
    people.share("doping", "ana", Role.ANALYST)
    assert people.shares("doping") == {"ana": Role.ANALYST, "olu": Role.ANALYST}
    people.share("doping", "olu", Role.OWNER)
    assert people.shared_with("olu") == {"doping": Role.OWNER, "other": Role.OWNER}
    for _ in range(2):
        people.share("doping", "olu", None)
    assert people.shared_with("olu") == {"other": Role.OWNER}
    assert people.shares("doping") == {"ana": Role.ANALYST}


@pytest.mark.parametrize("what", ["session", "token"])
def test_sessions_and_tokens_last_until_they_end(people: Store, what: str) -> None:
    kinds: dict[str, tuple[Any, Any, Any, Any]] = {
        "session": (session, people.begin_session, people.session, people.sessions),
        "token": (token, people.add_token, people.token, people.tokens),
    }
    make, add, one, all_of = kinds[what]
    made = make(b"s", "olu", since=5)
    add(made)
    assert one(b"s", now=99) == made
    assert all_of("olu", now=99) == [made]
    assert one(b"s", now=100) is None
    assert all_of("olu", now=100) == []
    assert one(b"never made", now=0) is None
    # Another one forgets what is over, even for a clock that goes backwards.
    another = make(b"new", "ada", since=100, ends=200)
    add(another)
    assert one(b"new", now=100) == another
    assert one(b"s", now=0) is None


def test_sessions_are_ended_by_whose_they_are(people: Store) -> None:
    for number, user in enumerate(["olu", "olu", "olu", "ada"]):
        people.begin_session(session(bytes([number]), user, since=number))
    people.end_session("olu", bytes([3]))
    assert len(people.sessions("ada", now=0)) == 1
    people.end_session("olu", bytes([1]))
    assert [one.since for one in people.sessions("olu", now=0)] == [2, 0]
    people.end_sessions("olu")
    assert people.sessions("olu", now=0) == []
    assert len(people.sessions("ada", now=0)) == 1


def test_a_sign_in_works_once_in_time(people: Store) -> None:
    people.add_sign_in(b"h", expires=100, now=0, user="olu")
    people.add_sign_in(b"late", expires=100, now=0, user="olu")
    assert people.take_sign_in(b"h", now=99) == "olu"
    assert people.take_sign_in(b"h", now=99) is None
    assert people.take_sign_in(b"late", now=100) is None
    assert people.take_sign_in(b"never made", now=0) is None


def test_expired_sign_ins_are_forgotten(store: Store) -> None:
    store.add_sign_in(b"old", expires=100, now=0)
    store.add_sign_in(b"new", expires=300, now=200)
    # Even for a clock that goes backwards.
    assert store.take_sign_in(b"old", now=0) is None
    assert store.take_sign_in(b"new", now=200) == NOBODY


def test_one_of_many_uses_a_link(store: Store) -> None:
    store.add_sign_in(b"h", expires=100, now=0)
    with ThreadPoolExecutor(8) as threads:
        taken = list(threads.map(lambda _: store.take_sign_in(b"h", now=0), range(8)))
    assert sorted(taken, key=str) == [NOBODY, *[None] * 7]


def test_tokens_end_by_owner_and_not_by_session(people: Store) -> None:
    for number, user in enumerate(["olu", "olu", "ada"]):
        people.add_token(token(bytes([number]), user, since=number))
    people.end_sessions("olu")
    assert [one.since for one in people.tokens("olu", now=0)] == [1, 0]
    assert not people.end_token("olu", bytes([2]))
    assert len(people.tokens("ada", now=0)) == 1
    assert people.end_token("olu", bytes([0]))
    assert [one.since for one in people.tokens("olu", now=0)] == [1]
