"""Compression of what is handed to respondents: a phone on a slow network waits for every byte.

Only of pages that are the same for everybody. Where a secret stands beside text of somebody else's
choosing, as a form's token does at the desk, the compressed length could tell the secret.
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
    """Compress a response by gzip where the browser takes that."""
    if response.mimetype not in _KINDS:
        return response
    response.vary.add("Accept-Encoding")
    body = response.get_data()
    if len(body) < _WORTH_IT or not request.accept_encodings["gzip"]:
        return response
    response.set_data(_gzipped(body))
    response.content_encoding = "gzip"
    tag, _ = response.get_etag()
    if tag is not None:
        # The same to whoever reads it, but not byte by byte.
        response.set_etag(tag, weak=True)
    return response


@lru_cache(maxsize=64)
def _gzipped(body: bytes) -> bytes:
    # Without the time of compression: the same bytes for everybody.
    return gzip.compress(body, 9, mtime=0)
