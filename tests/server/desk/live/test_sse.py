"""Events of meetings: heartbeats, a bounded number of streams, and the store asked once for all."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from deniable.server.desk.live import sse as streaming
from deniable.server.desk.live.sse import Streams
from deniable.server.desk.live.state import Moment
from deniable.server.store import StoreUnavailable
from deniable.server.web.response import Response, Stream

NOBODY: Any = SimpleNamespace(headers={})


class Meeting:
    """Shows what it is told to, and counts how often it is asked."""

    def __init__(self) -> None:
        self.shows: Moment | Exception = Moment("1", "{}")
        self.asked = 0

    def __call__(self, id: str) -> Moment:
        self.asked += 1
        if isinstance(self.shows, Exception):
            raise self.shows
        return self.shows


@pytest.fixture
def meeting(monkeypatch: pytest.MonkeyPatch) -> Meeting:
    monkeypatch.setattr(streaming, "TICK", 0.01)
    return Meeting()


async def opened(streams: Streams) -> Stream:
    answer = await streams.answer("a", NOBODY)
    assert isinstance(answer, Stream)
    return answer


def test_a_stream_that_has_nothing_to_say_says_that_it_is_there(meeting: Meeting) -> None:
    async def listen() -> list[bytes]:
        stream = await opened(Streams(meeting, heartbeat=0.03))
        found = [await anext(stream.pieces) for _ in range(3)]
        # The store is away for a moment: that ends nothing.
        meeting.shows = StoreUnavailable("away")
        found.append(await anext(stream.pieces))
        meeting.shows = Moment("2", "{}")
        while found[-1] == b": here\n\n":
            found.append(await anext(stream.pieces))
        meeting.shows = KeyError("a")
        while found[-1].startswith((b":", b"id")):
            found.append(await anext(stream.pieces))
        return [piece for piece in found if piece != b": here\n\n"]

    assert asyncio.run(listen()) == [
        b"id: 1\ndata: {}\n\n",
        b"id: 2\ndata: {}\n\n",
        b"event: over\ndata: {}\n\n",
    ]


def test_there_are_some_dozens_of_streams_and_the_store_is_asked_once_for_all(
    meeting: Meeting,
) -> None:
    async def crowd() -> tuple[int, int, int]:
        streams = Streams(meeting)
        opening = [await opened(streams) for _ in range(streaming.MOST)]
        for stream in opening:
            assert await anext(stream.pieces) == b"id: 1\ndata: {}\n\n"
        refused = await streams.answer("a", NOBODY)
        assert isinstance(refused, Response)
        before = meeting.asked
        await asyncio.sleep(0.1)
        asked = meeting.asked - before
        await opening[0].pieces.aclose()
        again = await opened(streams)
        await anext(again.pieces)
        streams.end()
        with pytest.raises(StopAsyncIteration):
            await anext(again.pieces)
        return int(refused.status), asked, before

    status, asked, before = asyncio.run(crowd())
    assert status == 503
    assert asked <= 10
    assert before <= 10


def test_as_many_streams_begin_if_all_come_at_once(meeting: Meeting) -> None:
    async def crowd() -> list[bool]:
        streams = Streams(meeting)
        kept: list[object] = []  # a stream that nobody holds ends, and another one takes its place

        async def one() -> bool:
            found = await streams.answer("a", NOBODY)
            kept.append(found)
            return isinstance(found, Stream) and bool(await anext(found.pieces))

        return await asyncio.gather(*(one() for _ in range(streaming.MOST + 9)))

    assert sum(asyncio.run(crowd())) == streaming.MOST
