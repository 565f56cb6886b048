"""Print who may do what at the desk, a line for each route: ``python -m tools.rights``.

``tests/server/desk/rights.txt`` is its output as a person has read and approved it.
"""

from collections.abc import Iterable, Iterator
from typing import cast

from werkzeug.routing import Rule

from deniable.server.desk.app import create_desk_app
from deniable.server.desk.permissions import Route
from deniable.server.store import Store


def lines(rules: Iterable[Rule]) -> Iterator[str]:
    """Yield the method of each route, the right that it needs, and its address."""
    for rule in sorted(rules, key=lambda rule: rule.rule):
        right = rule.needs if isinstance(rule, Route) else None
        who = "nobody" if right is None else right.value
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            yield f"{method:4}  {who:57}  {rule.rule}"


if __name__ == "__main__":
    # No route is called, so none needs a store.
    desk = create_desk_app(cast("Store", None), "")
    print(*lines(desk.url_map.iter_rules()), sep="\n")
