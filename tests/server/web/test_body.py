"""One timer ends whatever takes too long, and nothing else."""

import asyncio

import pytest

from deniable.server.web import body


def test_what_takes_too_long_is_ended_and_what_does_not_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(body, "SECONDS", 0.3)

    async def work(seconds: float) -> str:
        await asyncio.sleep(seconds)
        return "done"

    async def all_of_them() -> list[object]:
        clock = body._Clock(asyncio.get_running_loop())
        jobs = [asyncio.create_task(clock.within(work(seconds))) for seconds in (5, 0.01, 5)]
        await asyncio.sleep(0.2)
        later = asyncio.create_task(clock.within(work(0.2)))  # over when it would be for the others
        jobs[2].cancel()  # by somebody else
        ended = await asyncio.wait_for(asyncio.gather(*jobs, later, return_exceptions=True), 2)
        assert not clock._since
        assert not clock._over
        again = await asyncio.gather(clock.within(work(5)), return_exceptions=True)
        return [*ended, *again]

    slow, quick, cancelled, later, again = asyncio.run(all_of_them())
    assert (quick, later) == ("done", "done")
    assert isinstance(slow, TimeoutError)
    assert isinstance(cancelled, asyncio.CancelledError)
    assert isinstance(again, TimeoutError)
