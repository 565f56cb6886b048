"""What tests need: surveys, stores, both programs, servers and somebody at the desk.

`docs/contributors.md` has an example; the fixtures are in `tests/kit/fixtures.py`.
"""

from tests.kit import surveys
from tests.kit.calling import (
    ORIGIN,
    RESPONDENTS,
    Answer,
    Browser,
    Caller,
    Start,
    at,
    event_loop,
    path_of,
    report,
    url_for,
)
from tests.kit.cases import first_of
from tests.kit.clocks import Clocks
from tests.kit.keys import KEYS, MARKS, PUBLIC, DrawnBefore, by_invitation, draw_no_keys, token
from tests.kit.network import LIES, OLD, Network, network
from tests.kit.servers import (
    LOST,
    Running,
    Starting,
    end_shared,
    free_ports,
    lent,
    load,
    running,
    send,
    send_alone,
    sign_in,
    started,
    starting,
    until,
)
from tests.kit.stores import adopt, disk_of, empty, reports_in, tables_in
from tests.kit.surveys import PANEL_TEXT, of_wave, others, panel
