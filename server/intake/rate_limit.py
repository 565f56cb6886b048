"""A limit on the reports a minute from each network, to slow down ballot stuffing.

It has two adversaries. One sends thousands of reports; the limit slows them down, but does not stop
anybody with many addresses or much time. The other comes later and wants to learn who answered: so
only an HMAC of a network is kept, whose random key is forgotten with all counts as the process is
replaced, at each full half hour (`server/worker.py`).

Each network has a token bucket, as the generic cell rate algorithm keeps it (ITU-T I.371): one
point in time, at which the bucket would be full again.
"""

import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

MOST_NETWORKS: Final = 2**16
"""Networks that are counted at the same time: some 20 MB. A limit does not slow down a sender with
more networks than this; so the network that was quiet for longest is forgotten, and nobody is kept
out."""

AT_ONCE: Final = 60
"""Reports that a network may send at once: a lecture room, and no whole survey with a cap."""

LONGEST_PAUSE: Final = 60
"""Seconds in ``Retry-After`` at most; browsers wait no longer (`submission.js`)."""

_SECOND: Final = 10**9
_MINUTE: Final = 60 * _SECOND


@dataclass(slots=True)
class _Bucket:
    """A network's token bucket, in whole nanoseconds, which add up without rounding."""

    full_again: int = 0  # when it may send as many reports at once as ever again
    turn: int = 0  # the latest time that a refused sender was told to try again


class RateLimit:
    """Token buckets, one for each network. For the event loop only."""

    def __init__(
        self,
        per_minute: int,
        at_once: int = AT_ONCE,
        *,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._each = _MINUTE // per_minute
        self._most = min(at_once, per_minute) * self._each
        self._clock = clock
        self._key = secrets.token_bytes(32)
        self._buckets: OrderedDict[bytes, _Bucket] = OrderedDict()

    def take(self, network: bytes) -> int:
        """Count one report of a network; return the seconds to wait, 0 if it is admitted."""
        now = self._clock()
        bucket = self._bucket(network)
        taken = max(bucket.full_again, now) + self._each
        if taken - now <= self._most:
            bucket.full_again = taken
            pause = 0
        else:
            turn = max(bucket.turn, now) + self._each
            bucket.turn = min(turn, now + LONGEST_PAUSE * _SECOND)
            pause = -((now - bucket.turn) // _SECOND)  # rounded up
        self._forget_oldest(now)
        return pause

    def _bucket(self, network: bytes) -> _Bucket:
        """Return a network's bucket, and move it to the newest place."""
        name = hmac.digest(self._key, network, "sha256")[:16]
        bucket = self._buckets.setdefault(name, _Bucket())
        self._buckets.move_to_end(name)
        return bucket

    def _forget_oldest(self, now: int) -> None:
        # A bucket that is full again says nothing about its network.
        while self._buckets:
            oldest = next(iter(self._buckets.values()))
            if oldest.full_again > now and len(self._buckets) <= MOST_NETWORKS:
                return
            self._buckets.popitem(last=False)
