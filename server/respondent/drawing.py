"""Outlines of the privacy page's hundred people and a sheet's disc, as the browser draws them."""

import math


def people(start: int, stop: int) -> str:
    """Return the outlines of some of a hundred people, ten in a row; each is head and shoulders.

    >>> people(0, 1)
    'M3 3a2 2 0 1 1 4 0a2 2 0 1 1-4 0M2 10v-1a3 3 0 0 1 6 0v1z'
    """
    corners = [(10 * (place % 10) + 5, 12 * (place // 10)) for place in range(start, stop)]
    return "".join(
        f"M{x - 2} {y + 3}a2 2 0 1 1 4 0a2 2 0 1 1-4 0M{x - 3} {y + 10}v-1a3 3 0 0 1 6 0v1z"
        for x, y in corners
    )


def sector(share: float, start: float = 0) -> str:
    """Return the outline of a part of a disc, clockwise from `start`: the top, or another share.

    >>> sector(0.25)
    'M50 50L50.00 2.00A48 48 0 0 1 98.00 50.00z'
    """
    corners = [on_disc(at, 48) for at in (start, start + share)]
    (x, y), (to_x, to_y) = corners
    return f"M50 50L{x:.2f} {y:.2f}A48 48 0 {int(share > 0.5)} 1 {to_x:.2f} {to_y:.2f}z"


def on_disc(share: float, radius: float) -> tuple[float, float]:
    """Return a point in a box of 100 by 100, by its share of the circle from the top."""
    angle = math.tau * share
    return 50 + radius * math.sin(angle), 50 - radius * math.cos(angle)
