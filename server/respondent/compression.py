"""Compression of the respondents' pages: a phone on a slow network waits for every byte.

Only pages that are the same for everybody are compressed. Where a page holds a secret beside text
that an attacker can choose, like a form's token at the desk, the compressed length could reveal the
secret.
"""

import gzip
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, lru_cache
from http import HTTPStatus
from typing import Final

import brotli
from flask import Response, request

from deniable.survey.wordings import MEDIA_TYPE

_WORTH_IT: Final = 512
"""Bytes below which the header costs more than is saved."""

_KINDS: Final = {"text/html", "text/css", "text/javascript", "application/json", MEDIA_TYPE}

_BY_BROTLI: Final = {"respondent.survey", "respondent.document"}
"""The endpoints whose bodies are also packed by brotli: all that a survey's page loads. There are
as many bodies as stored surveys, whatever is requested."""

_packing: Final = ThreadPoolExecutor(1, "brotli")


def compressed(response: Response) -> Response:
    """Compress a response by brotli or gzip, as the browser accepts them."""
    if response.mimetype not in _KINDS:
        return response
    response.vary.add("Accept-Encoding")
    body = response.get_data()
    if len(body) < _WORTH_IT:
        return response
    by_brotli, by_gzip = (request.accept_encodings[name] for name in ("br", "gzip"))
    prefers_brotli = by_brotli and by_brotli >= by_gzip and _takes_brotli(response)
    if prefers_brotli and (packed := _brotli(body)).done():
        response.set_data(packed.result())
        response.content_encoding = "br"
    elif by_gzip:
        response.set_data(_gzip(body))
        response.content_encoding = "gzip"
    else:
        return response
    tag, _ = response.get_etag()
    if tag is not None:
        # Weak: the same content, but other bytes.
        response.set_etag(tag, weak=True)
    return response


def _takes_brotli(response: Response) -> bool:
    return request.endpoint in _BY_BROTLI and response.status_code == HTTPStatus.OK


def pack(bodies: Callable[[], Iterable[bytes]]) -> None:
    """Pack bodies by brotli before anybody asks for them, away from the thread that starts."""
    _packing.submit(lambda: [_brotli(body) for body in bodies()])


def stop_packing() -> None:
    """Pack no more: the program ends."""
    _packing.shutdown(cancel_futures=True)


@cache
def _brotli(body: bytes) -> "Future[bytes]":
    # At its best brotli takes up to half a second; until then, gzip is fast.
    return _packing.submit(brotli.compress, body)


@lru_cache(maxsize=64)
def _gzip(body: bytes) -> bytes:
    # Without the time of compression, so that everybody gets the same bytes.
    return gzip.compress(body, 9, mtime=0)
