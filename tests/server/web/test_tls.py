import pytest

from deniable.server.web.tls import is_alterable


@pytest.mark.promise("program")
@pytest.mark.parametrize(
    ("url", "alterable"),
    [
        ("http://192.0.2.1:8000", True),
        ("http://survey.example.org", True),
        ("http://127.example.org", True),
        ("http://localhost.example.org", True),
        ("http://[2001:db8::1]:8000", True),
        ("http://127.0.0.1:8000", False),
        ("http://127.8.9.1:8000", False),
        ("http://[::1]:8000", False),
        ("http://localhost:8000", False),
        ("https://survey.example.org", False),
        ("https://192.0.2.1", False),
    ],
)
def test_what_somebody_on_the_way_can_alter(url: str, alterable: bool) -> None:
    assert is_alterable(url) is alterable
