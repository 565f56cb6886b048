"""Compression of the respondents' pages: a phone on a slow network waits for every byte.

Only pages that are the same for everybody are compressed. Where a page holds a secret beside text
that an attacker can choose, like a form's token at the desk, the compressed length could reveal the
secret.
"""

import gzip
from functools import lru_cache
from typing import Final

from flask import Response, request

from deniable.survey.wordings import MEDIA_TYPE

_WORTH_IT: Final = 512
"""Bytes below which the header costs more than is saved."""

_KINDS: Final = {"text/html", "text/css", "text/javascript", "application/json", MEDIA_TYPE}


def compressed(response: Response) -> Response:
    """Compress a response by gzip if the browser accepts that."""
    if response.mimetype not in _KINDS:
        return response
    response.vary.add("Accept-Encoding")
    body = response.get_data()
    if len(body) < _WORTH_IT or not request.accept_encodings["gzip"]:
        return response
    response.set_data(_gzip(body))
    response.content_encoding = "gzip"
    tag, _ = response.get_etag()
    if tag is not None:
        # Weak: the same content, but other bytes.
        response.set_etag(tag, weak=True)
    return response


@lru_cache(maxsize=64)
def _gzip(body: bytes) -> bytes:
    # Without the time of compression, so that everybody gets the same bytes.
    return gzip.compress(body, 9, mtime=0)
