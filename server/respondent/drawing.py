"""The hundred people of the privacy page, as the browser draws them too."""

from __future__ import annotations


def people(start: int, stop: int) -> str:
    """Return the outlines of some of a hundred people, ten in a row: head and shoulders each.

    Parameters
    ----------
    start, stop : int
        From which to before which, 0 to 100.

    Returns
    -------
    str
        The data of an SVG path, in a picture 100 wide and 120 high.

    Examples
    --------
    >>> people(0, 1)
    'M3 3a2 2 0 1 1 4 0a2 2 0 1 1-4 0M2 10v-1a3 3 0 0 1 6 0v1z'
    """
    corners = [(10 * (place % 10) + 5, 12 * (place // 10)) for place in range(start, stop)]
    return "".join(
        f"M{x - 2} {y + 3}a2 2 0 1 1 4 0a2 2 0 1 1-4 0M{x - 3} {y + 10}v-1a3 3 0 0 1 6 0v1z"
        for x, y in corners
    )
