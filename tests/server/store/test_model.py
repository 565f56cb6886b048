"""A store against a model of it: whatever is done in whatever order, the same reports are there.

Each report has its own pattern of ones, so one that came twice, or came otherwise, is seen.
"""

import random
import shutil
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from deniable.report import Report
from deniable.server.store import Outcome, State, Store, open_store
from deniable.server.store.backups import back_up, restore
from deniable.survey_file import read
from tests.kit import surveys
from tests.server.store.cluster import CLUSTER
from tests.server.store.engines import ENGINES, SQLITE, Engine

pytestmark = pytest.mark.promise("durable")

ITEMS = 8

ASKED = surveys.yes_or_no(*[", flip: 1/4"] * ITEMS)
WAVES = "waves: {count: 3, redraw: 1/10}"
PANEL = read(surveys.file_of(*ASKED, head=WAVES, slug="panel")).survey


class Model(RuleBasedStateMachine):
    """What was acknowledged, and what the store then has to hold."""

    start: Engine = SQLITE

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="deniable-model-"))
        self.stack = ExitStack()
        self.places = 0
        self.made = 0
        self.kept: dict[bytes, Report] = {}
        self.state, self.wave = State.OPEN, 1
        self.most_held = 2 * PANEL.batch - 1

    @initialize()
    def begin(self) -> None:
        self.engine = self.start
        self.store = self.another(self.start)
        self.store.register(PANEL)
        self.submit(27)  # some are held back, and the desk sees others

    def another(self, engine: Engine) -> Store:
        """Open an empty store."""
        self.places += 1
        return self.open(engine)

    def open(self, engine: Engine) -> Store:
        store = open_store(engine.url(self.folder, f"s{self.places}"))
        self.stack.callback(store.close)
        return store

    def reports(self, count: int) -> list[Report]:
        """Write new reports: of each, one item alone is yes, another one each time."""
        made = []
        for _ in range(count):
            self.made += 1
            hot = bytes(int(place == self.made % ITEMS) for place in range(ITEMS))
            id = self.made.to_bytes(2) * 8
            made.append(Report(PANEL.slug, PANEL.revision, id, hot, self.wave))
        return made

    # ------------------------------------------------------------------ what people do

    @rule(count=st.integers(3, 17))
    def submit(self, count: int) -> None:
        reports = self.reports(count)
        is_open = self.state is State.OPEN
        expected = Outcome.STORED if is_open else Outcome.CLOSED
        assert self.store.insert_reports(reports) == [expected] * count
        if is_open:
            self.most_held = 2 * PANEL.batch - 1
            self.kept |= {one.id: one for one in reports}

    @precondition(lambda self: self.kept)
    @rule(pick=st.randoms(use_true_random=False), new=st.booleans())
    def send_again(self, pick: random.Random, new: bool) -> None:
        """Send what is there once more, the same and otherwise, in a batch with something new."""
        known = pick.choice([*self.kept.values()])
        answers = bytes([1 - known.answers[0]]) + known.answers[1:]
        other = Report(known.survey, known.revision, known.id, answers)
        fresh = self.reports(1) if new else []
        outcomes = self.store.insert_reports([known, *fresh, other, known])
        assert outcomes[0] == outcomes[-1] == Outcome.REPEATED
        assert outcomes[-2] == Outcome.CONFLICT
        if new and self.state is State.OPEN:
            assert outcomes[1] == Outcome.STORED
            self.most_held = 2 * PANEL.batch - 1
            self.kept[fresh[0].id] = fresh[0]

    # ------------------------------------------------------------------ what owners do

    @rule()
    def close_or_open(self) -> None:
        self.state = State.CLOSED if self.state is State.OPEN else State.OPEN
        self.store.set_state(PANEL.slug, self.state)
        if self.state is State.CLOSED:
            self.most_held = PANEL.batch - 1

    @precondition(lambda self: self.wave < 3)
    @rule()
    def begin_wave(self) -> None:
        self.wave += 1
        self.store.begin_wave(PANEL.slug, self.wave)
        self.most_held = PANEL.batch - 1

    @rule()
    def erase_order(self) -> None:
        assert self.store.erase_order()

    @rule(to=st.sampled_from(ENGINES))
    def migrate(self, to: Engine) -> None:
        new = self.another(to)
        with self.store.moving_out() as tables:
            assert new.move_in(tables) == len(self.kept)
        self.go_on(to, new)

    @rule(to=st.sampled_from(ENGINES))
    def restore_a_backup(self, to: Engine) -> None:
        file = self.folder / f"{self.places}.backup"
        assert back_up(self.store, file) == len(self.kept)
        new = self.another(to)
        assert restore(file, new) == len(self.kept)
        self.go_on(to, new)

    @rule(to=st.sampled_from(ENGINES))
    def export(self, to: Engine) -> None:
        new = self.another(to)
        with self.store.copying(PANEL.slug) as copy:
            assert new.adopt(copy) == len(self.kept)
        self.go_on(to, new)

    # ------------------------------------------------------------------ what happens

    @rule()
    def end_and_begin(self) -> None:
        self.store.close()
        self.store = self.open(self.engine)

    @rule(count=st.integers(3, 17))
    def crash(self, count: int) -> None:
        """Crash in the middle of a batch: nothing of it was acknowledged, and nothing is there."""
        reports = self.reports(count)
        transaction = self.store._engine.transaction()
        db = transaction.__enter__()
        db.add_rows("reports", 1, [(one.id, one.answers) for one in reports])
        db.execute("UPDATE checksums SET reports = reports + 1")
        if self.engine is SQLITE:
            # The files as they lie at this moment, which is all that a crash leaves.
            here = self.folder / f"s{self.places}.db"
            self.places += 1
            there = self.folder / f"s{self.places}.db"
            for ending in ("", "-wal"):
                shutil.copy(f"{here}{ending}", f"{there}{ending}")
        else:
            CLUSTER.admin().execute(
                b"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                b"WHERE usename = 'deniable' AND pid <> pg_backend_pid()"
            )
        with suppress(KeyboardInterrupt):
            transaction.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
        self.store.close()
        self.store = self.open(self.engine)

    # ------------------------------------------------------------------ what holds always

    @invariant()
    def holds_what_was_acknowledged(self) -> None:
        if not hasattr(self, "store"):
            return
        with self.store.copying(PANEL.slug) as copy:
            assert (copy.state, copy.wave) == (self.state, self.wave)
            (one,) = copy.revisions
            held, shown = [*one.held], [*one.reports]
        assert len([row for row in held if row[1][-1] == self.wave - 1]) <= self.most_held
        rows = held + shown
        assert len(rows) == len(self.kept)
        assert dict(rows) == {id: report.row for id, report in self.kept.items()}
        snapshot = self.store.snapshot(PANEL.slug)
        assert snapshot.count() == len(shown)
        for wave, counts in snapshot.tallies.get(PANEL.revision, {}).items():
            those = [answers for _, answers in shown if answers[-1] == wave - 1]
            assert len(counts) == ITEMS
            for place, times in enumerate(counts):
                assert times.get(1, 0) == sum(answers[place] for answers in those)
            # One-hot: a report that is counted twice, or in part, is seen in the sum.
            assert sum(times.get(1, 0) for times in counts) == len(those)
        assert self.store.check() == []

    def go_on(self, engine: Engine, store: Store) -> None:
        self.store.close()
        self.engine, self.store = engine, store

    def teardown(self) -> None:
        self.stack.close()
        shutil.rmtree(self.folder)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_stores_hold_what_was_acknowledged_whatever_is_done(engine: Engine) -> None:
    """What begins in one engine moves to the other, and back."""
    machine = type("Started", (Model,), {"start": engine})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=10,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
