"""Signing in to a desk over the network."""

import re
import urllib.parse
import urllib.request
from http.client import HTTPResponse


def sign_in(opener: urllib.request.OpenerDirector, link: str) -> HTTPResponse:
    """Open a sign-in link, and press the button on its page."""
    with opener.open(link, timeout=60) as page:
        found = re.search(r'name="csrf_token" value="([^"]+)"', page.read().decode())
    assert found
    address = urllib.parse.urlsplit(link)
    request = urllib.request.Request(
        link,
        urllib.parse.urlencode({"csrf_token": found[1]}).encode(),
        {"Origin": f"{address.scheme}://{address.netloc}"},
    )
    response: HTTPResponse = opener.open(request, timeout=60)
    return response
