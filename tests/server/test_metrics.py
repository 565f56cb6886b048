"""What /metrics and the log tell: load and trouble, and of nobody when."""

import logging
import random
from itertools import pairwise

import pytest

from deniable.server.metrics import Metrics
from deniable.server.web.failures import log_with_levels
from deniable.survey import Survey
from tests.kit import Start, report


def polled(arrivals: list[float], minutes: int) -> list[bytes]:
    """Return what somebody reads who asks each second while reports arrive at these times."""
    now = 0.0
    metrics = Metrics(10, lambda: now)
    read, waiting = [], sorted(arrivals, reverse=True)
    for second in range(60 * minutes):
        while waiting and waiting[-1] <= second:
            now = waiting.pop()
            metrics.count(201)
        now = float(second)
        read.append(metrics.answer().body)
    return read


@pytest.mark.promise("batches")
@pytest.mark.parametrize("a_minute", [0.5, 3, 15, 200])
def test_asking_often_learns_only_batches(a_minute: float) -> None:
    chance = random.Random(7)
    times = [chance.uniform(0, 40 * 60) for _ in range(int(40 * a_minute))]
    # Each report at another moment of its minute: nothing that is read depends on it.
    others = [60 * (one // 60) + chance.uniform(0.001, 59.999) for one in times]
    read = polled(times, 42)
    assert read == polled(others, 42)
    shown = [int(body.split()[-1]) if b"201" in body else 0 for body in read]
    for second, (before, now) in enumerate(pairwise(shown), 1):
        assert now == before or (second % 60 == 0 and (now - before) % 10 == 0)
    # One batch stays behind: whoever adds ten of their own does not push out the others'.
    assert shown[-1] == max(0, len(times) // 10 - 1) * 10


def test_metrics_are_opt_in(start: Start, survey: Survey, caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    metrics = Metrics(10, lambda: now)
    call = start(metrics=metrics)
    for _ in range(20):
        assert call.send(report(survey)).status == 201
    assert call("/metrics", sender="127.0.0.1:9").body == b"# TYPE deniable_answers counter\n"
    now = 3600.0
    log_with_levels()
    told = call("/metrics", sender="127.0.0.1:9")
    assert told.body.decode().splitlines()[1:] == ['deniable_answers{status="201"} 10']
    assert caplog.records[-1].levelno == logging.INFO
    assert "201: 10" in caplog.text
    through = {"X-Forwarded-For": "127.0.0.1"}
    assert call("/metrics", headers=through, sender="127.0.0.1:9").status == 404
    assert call("/metrics", sender="192.0.2.7:9").status == 404
    assert start()("/metrics", sender="127.0.0.1:9").status == 404
