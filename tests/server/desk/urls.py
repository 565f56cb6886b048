"""The desk's addresses, by endpoint."""

from functools import cache
from unittest.mock import Mock

from werkzeug.routing import MapAdapter

from deniable.server.desk.app import create_desk_app


@cache
def _addresses() -> MapAdapter:
    return create_desk_app(Mock(), "http://answers.example").url_map.bind("localhost")


def url_for(endpoint: str, **values: object) -> str:
    """Return the path of a page of the desk: of the survey ``doping``, unless told another slug."""
    addresses = _addresses()
    if addresses.map.is_endpoint_expecting(endpoint, "slug"):
        values = {"slug": "doping", **values}
    return addresses.build(endpoint, values)
