"""Invitations at the intake: a code becomes a token, and a report counts with one."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from deniable import Report, Survey
from deniable.crypto.blind import BITS, Blinded, blind, mark_of, new_key, unblind
from deniable.server.store import Store
from deniable.server.store.errors import KeyFileError
from deniable.server.store.invitations import new_codes
from deniable.server.store.keys import NO_KEYS, KeyFile, invite
from deniable.server.store.schedule import NO_SCHEDULE, Schedule
from tests.kit import (
    KEYS,
    MARKS,
    PUBLIC,
    Answer,
    Caller,
    Start,
    at,
    by_invitation,
    disk_of,
    of_wave,
    panel,
    report,
    token,
)
from tests.server.intake.test_endpoint import assert_problem

pytestmark = pytest.mark.promise("token")

CODES = new_codes(3)
ADDRESS = at("doping", "tokens")


def ask(
    respondents: Caller,
    code: str,
    hidden: Blinded,
    more: dict[str, Any] | None = None,
    slug: str = "doping",
) -> Answer:
    fields = {"key": MARKS[0], "code": code, "blinded": hidden.blinded.hex(), **(more or {})}
    headers = {"Content-Type": "application/json"}
    return respondents(
        at(slug, "tokens"), json.dumps(fields).encode(), method="POST", headers=headers
    )


def signed(answer: Answer) -> bytes:
    assert answer.status == 200, answer.text
    return bytes.fromhex(answer.json["signed"])


def test_what_is_full_spends_no_code_and_takes_waiting_reports_later(
    respondents: Caller, store: Store
) -> None:
    by_invitation(store, "doping", CODES[:2])
    survey = store.survey("doping")
    mine, late = report(survey), blind(PUBLIC[0], report(survey).id)
    hidden = blind(PUBLIC[0], mine.id)
    good = unblind(PUBLIC[0], hidden, signed(ask(respondents, CODES[0], hidden))).hex()
    store.insert_reports([report(survey) for _ in range(10)], [MARKS[0]] * 10)
    store.set_schedule("doping", Schedule(cap=10))
    for answer in (
        ask(respondents, CODES[1], late),
        respondents.send(mine, Survey_Token=good),
    ):
        assert_problem(answer, 503)
        assert "as many reports as it wants" in answer.json["detail"]
    store.set_schedule("doping", NO_SCHEDULE)
    assert respondents.send(mine, Survey_Token=good).status == 201
    assert ask(respondents, CODES[1], late).status == 200


def test_a_code_s_token_counts_a_report(respondents: Caller, store: Store, survey: Survey) -> None:
    by_invitation(store, "doping", CODES[:2])
    mine = report(store.survey("doping"))
    hidden = blind(PUBLIC[0], mine.id)
    assert_problem(respondents.send(mine), 401)
    answer = ask(respondents, CODES[0].lower(), hidden)
    # Asked again, since the answer was lost.
    assert signed(ask(respondents, CODES[0], hidden)) == signed(answer)
    good = unblind(PUBLIC[0], hidden, signed(answer)).hex()
    assert respondents.send(mine, Survey_Token=good).status == 201
    assert respondents.send(mine, Survey_Token=good).status == 200
    assert respondents.send(mine).status == 200
    assert store.count("doping") == 1


def test_an_earlier_revision_needs_today_s_key(respondents: Caller, store: Store) -> None:
    mine = report(store.survey("doping"))  # opened before, without a key
    by_invitation(store, "doping", CODES)
    assert_problem(respondents.send(mine, Survey_Token=token(mine, KEYS[1])), 401)
    assert respondents.send(mine, Survey_Token=token(mine)).status == 201


def test_used_and_false_codes_get_clear_answers(respondents: Caller, store: Store) -> None:
    by_invitation(store, "doping", CODES[:2])
    signed(ask(respondents, CODES[0], blind(PUBLIC[0], bytes(16))))
    again = ask(respondents, CODES[0], blind(PUBLIC[0], bytes(16)))
    assert_problem(again, 403)
    assert "has been used" in again.text
    unknown = ask(respondents, CODES[2], blind(PUBLIC[0], bytes(16)))
    assert_problem(unknown, 401)
    for answer in (again, unknown):
        assert answer.headers["WWW-Authenticate"] == "Survey-Code"
        assert CODES[0] not in answer.text


def test_no_forged_token_is_taken(respondents: Caller, store: Store) -> None:
    by_invitation(store, "doping", CODES)
    asked = store.survey("doping")
    mine, other = report(asked), report(asked)
    good = token(mine)
    forged = [
        "",
        "00" * 288,
        good[:-1],
        good.upper(),
        f"{good}00",
        good[:-1] + ("0" if good[-1] != "0" else "1"),
        token(other),  # of another report: spent for two it would be one too many
        token(mine, KEYS[1]),  # by another survey's key, or another wave's
    ]
    for one in forged:
        answer = respondents.send(mine, Survey_Token=one)
        assert_problem(answer, 401)
        assert answer.headers["WWW-Authenticate"] == "Survey-Code"
    assert respondents.send(mine, Survey_Token=good).status == 201
    # Spent twice: with another id, with other answers.
    assert_problem(respondents.send(other, Survey_Token=good), 401)
    changed = Report(mine.survey, mine.revision, mine.id, bytes([1 - mine.answers[0]]))
    assert_problem(respondents.send(changed, Survey_Token=good), 409)
    assert store.count("doping") == 1


def test_a_wave_s_token_is_signed_by_its_key(respondents: Caller, store: Store) -> None:
    store.register(panel())
    by_invitation(store, "panel", CODES[:1])
    store.begin_wave("panel", 2)
    mine = of_wave(store.survey("panel"), 2)
    hidden = blind(PUBLIC[1], mine.id)
    answer = ask(respondents, CODES[0], hidden, {"key": MARKS[1]}, slug="panel")
    good = unblind(PUBLIC[1], hidden, signed(answer)).hex()
    # One that was kept from the wave before.
    assert_problem(respondents.send(mine, "panel", Survey_Token=token(mine)), 401)
    assert respondents.send(mine, "panel", Survey_Token=good).status == 201


def test_who_listens_does_not_learn_whether_a_code_was_used_in_an_earlier_wave(
    respondents: Caller, store: Store
) -> None:
    store.register(panel())
    by_invitation(store, "panel", CODES[:2])
    hidden = [blind(key, bytes(16)) for key in PUBLIC[:2]]
    ask(respondents, CODES[0], hidden[0], slug="panel")
    store.begin_wave("panel", 2)
    again, new = (
        ask(respondents, code, hidden[1], {"key": MARKS[1]}, slug="panel") for code in CODES[:2]
    )
    assert [again.json["earlier"], new.json["earlier"]] == [1, 0]
    assert len(again.body) == len(new.body)
    assert [*map(len, again.headers.values())] == [*map(len, new.headers.values())]


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"key": MARKS[1]}, 409),
        ({"key": ""}, 409),
        ({"blinded": ""}, 422),
        ({"blinded": "g" * 512}, 422),
        ({"blinded": PUBLIC[0]}, 422),
        ({"blinded": "f" * 512}, 422),
        ({"blinded": "0" * 511}, 422),
        ({"blinded": 1}, 400),
        ({"more": ""}, 400),
        ({"code": None}, 400),
        ({"code": "é\0"}, 401),
    ],
)
def test_mistakes_spend_none(
    respondents: Caller, store: Store, more: dict[str, Any], status: int
) -> None:
    by_invitation(store, "doping", CODES[:1])
    assert_problem(ask(respondents, CODES[0], blind(PUBLIC[0], bytes(16)), more), status)
    signed(ask(respondents, CODES[0], blind(PUBLIC[0], bytes(16))))


def test_a_request_s_head_is_checked_too(respondents: Caller, start: Start, store: Store) -> None:
    hidden = blind(PUBLIC[0], bytes(16))
    assert_problem(ask(respondents, CODES[0], hidden), 409)  # it needs no code
    by_invitation(store, "doping", CODES)
    assert_problem(respondents(ADDRESS), 405)
    assert_problem(respondents(ADDRESS, b"{}", method="POST"), 415)
    json_of = {"Content-Type": "application/json", "Sec-Fetch-Site": "cross-site"}
    assert_problem(respondents(ADDRESS, b"{}", method="POST", headers=json_of), 403)
    plain = {"Content-Type": "application/json"}
    assert_problem(respondents(at("none", "tokens"), b"{}", method="POST", headers=plain), 404)
    # A guess counts as a report does.
    limited = start(reports_per_minute=2)
    body, sender = json.dumps({"key": MARKS[0], "code": "X", "blinded": "0" * 512}), "10.0.0.1"
    answers = [
        limited(ADDRESS, body.encode(), method="POST", headers=plain, sender=sender).status
        for _ in range(3)
    ]
    assert answers == [401, 401, 429]
    store.end_invitations("doping")
    assert_problem(ask(respondents, CODES[0], hidden), 409)


@pytest.mark.promise("signing-keys")
def test_without_the_private_key_nothing_is_spent(
    start: Start, store: Store, respondents: Caller, keys: KeyFile, caplog: pytest.LogCaptureFixture
) -> None:
    by_invitation(store, "doping", CODES[:1])
    hidden = blind(PUBLIC[0], bytes(16))
    path = keys.path
    assert path is not None
    text = path.read_text()
    for spoil, told in (
        (
            lambda: path.write_text(text.splitlines()[1]),
            f"does not hold the private key {MARKS[0]}",
        ),
        (lambda: path.write_text("{}"), "line 1: expected two primes"),
        (lambda: path.chmod(0o640), "others on this machine can read"),
        (path.unlink, "cannot be read"),
    ):
        spoil()
        answer = ask(respondents, CODES[0], hidden)
        assert_problem(answer, 503)
        assert told in caplog.text
        assert answer.headers["Retry-After"] == "5"
    assert_problem(ask(respondents, CODES[0], hidden), 503)  # said once
    assert caplog.text.count("no token can be signed") == 4
    # The file is back, and with it all is as before.
    path.touch(mode=0o600)
    path.write_text(text)
    signed(ask(respondents, CODES[0], blind(PUBLIC[0], bytes(16))))
    assert caplog.text.count("tokens of doping are signed again") == 1


@pytest.mark.promise("signing-keys")
def test_private_keys_are_never_in_the_store(
    store: Store, keys: KeyFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deniable.server.store.keys.new_key", new_key)
    fresh = KeyFile(tmp_path / "fresh.keys")
    with pytest.raises(KeyFileError, match="--keys"):
        invite(store, NO_KEYS, "doping", CODES[:1])
    assert store.invited("doping") is None
    invite(store, fresh, "doping", CODES[:1])
    invite(store, fresh, "doping", CODES[1:])
    (key,) = store.survey("doping").token_keys
    assert key not in PUBLIC
    assert int(key, 16).bit_length() == BITS == 2048
    (line,) = (tmp_path / "fresh.keys").read_text().splitlines()
    assert stat.S_IMODE((tmp_path / "fresh.keys").stat().st_mode) == 0o600
    assert KeyFile(tmp_path / "fresh.keys").find(mark_of(key)).public == key
    held = disk_of(store)
    assert key.encode() in held
    for prime in json.loads(line).values():
        assert prime.encode() not in held
        assert bytes.fromhex(prime) not in held
    # Whose keys are elsewhere makes no codes that nobody could use.
    with pytest.raises(KeyFileError, match="does not hold the private key"):
        invite(store, keys, "doping", CODES)


def test_a_code_and_a_word_are_both_asked(respondents: Caller, store: Store) -> None:
    store.set_schedule("doping", Schedule(access_word="sea-lion"))
    by_invitation(store, "doping", CODES)
    mine = report(store.survey("doping"))
    answer = respondents.send(mine, Survey_Token=token(mine))
    assert answer.headers["WWW-Authenticate"] == "Survey-Pin"
    assert respondents.send(mine, Survey_Token=token(mine), Survey_Pin="sea-lion").status == 201


@pytest.mark.promise("unlinkable")
def test_no_code_leads_to_a_report(
    respondents: Caller, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    by_invitation(store, "doping", CODES)
    mine = report(store.survey("doping"))
    hidden = blind(PUBLIC[0], mine.id)
    good = unblind(PUBLIC[0], hidden, signed(ask(respondents, CODES[0], hidden)))
    respondents.send(mine, Survey_Token=good.hex())
    held = disk_of(store)
    assert mine.id in held
    for secret in (hidden.blinded, good[:32], good[32:], good[32:64]):
        assert secret not in held
        assert secret.hex().encode() not in held
    for code in CODES:
        assert code.encode() not in held
        assert code.replace("-", "").encode() not in held
    assert not caplog.records
