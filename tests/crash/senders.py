"""Respondents who send until they are acknowledged, and remember what they were told."""

from __future__ import annotations

import asyncio
import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from deniable import Report, Survey
from tests.kit import at

CONNECTIONS = 24

TIMEOUT = 60.0
"""Seconds without an answer after which somebody sends again."""

ACKNOWLEDGED = {201: "stored", 200: "stored already"}


@dataclass
class Ledger:
    """What the respondents were told."""

    begun: dict[bytes, bytes] = field(default_factory=dict)
    acknowledged: dict[bytes, bytes] = field(default_factory=dict)
    answers: Counter[int] = field(default_factory=Counter)
    surprises: list[str] = field(default_factory=list)

    @property
    def refused(self) -> int:
        return self.answers[503]

    @property
    def unanswered(self) -> int:
        return self.answers[0]


class Senders:
    def __init__(self, survey: Survey, chance: random.Random) -> None:
        self.ledger = Ledger()
        self.ports: list[int] = []
        self._survey = survey
        self._chance = chance
        self._stopping = False
        self._giving_up = False

    @contextmanager
    def sending(self, connections: int = CONNECTIONS) -> Iterator[None]:
        """Send reports during a block, and then until every one that was begun is acknowledged."""
        self._stopping = False
        thread = threading.Thread(target=lambda: asyncio.run(self._send_all(connections)))
        thread.start()
        try:
            yield
        except BaseException:
            self._giving_up = True
            raise
        finally:
            self._stopping = True
            thread.join()

    async def _send_all(self, connections: int) -> None:
        await asyncio.gather(*(self._keep_sending() for _ in range(connections)))

    async def _keep_sending(self) -> None:
        lines: dict[int, _Line] = {}
        while not self._stopping:
            await self._send(lines)
        for line in lines.values():
            line.hang_up()

    async def _send(self, lines: dict[int, _Line]) -> None:
        """Send one report again and again, until it is acknowledged."""
        report = Report(
            self._survey.slug,
            self._survey.revision,
            self._chance.randbytes(16),
            bytes(self._chance.choices((0, 1), k=len(self._survey.items))),
        )
        self.ledger.begun[report.id] = report.answers
        times = 0
        while not self._giving_up:
            if not self.ports:
                await asyncio.sleep(0.02)
                continue
            port = self._chance.choice(self.ports)
            for former in [known for known in lines if known not in self.ports]:
                lines.pop(former).hang_up()  # of a server that has ended, perhaps while all rested
            status = await lines.setdefault(port, _Line(port)).post(report)
            times += 1
            self.ledger.answers[status] += 1
            if status in ACKNOWLEDGED:
                if status == 200 and times == 1:
                    self.ledger.surprises.append("stored already, and never sent before")
                self.ledger.acknowledged[report.id] = report.answers
                return
            if status not in (0, 503):
                self.ledger.surprises.append(f"status {status}")
                return
            await asyncio.sleep(0.02)


class _Line:
    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, report: Report) -> int:
        """Send a report; return the status, 0 if no answer came."""
        try:
            return await asyncio.wait_for(self._post(report), TIMEOUT)
        except (OSError, EOFError, TimeoutError):
            self.hang_up()
            return 0

    def hang_up(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None

    async def _post(self, report: Report) -> int:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        body = report.to_json()
        head = (
            f"POST {at(report.survey)}reports HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        told = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        await reader.readexactly(int(told.split("content-length:")[1].split()[0]))
        return int(told.split()[1])
