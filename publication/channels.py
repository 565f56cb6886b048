"""channels.csv: how likely each report of an item is, given each truth.

The chance is the weight divided by 4294967296, which is exact: these are the integers that browsers
drew by.
"""

from deniable.publication.groups import items_of_groups
from deniable.results.files import Export, Row
from deniable.survey import Survey


def lay_out_channels(survey: Survey) -> Export:
    """Lay the channels out, a row for each item, truth and report."""
    rows: list[Row] = [
        {"item": item.id, "truth": truth.code, "report": report.code, "weight": weight}
        for item in (*survey.items, *items_of_groups(survey))
        for truth, weights in zip(item.truths, item.channel.weights, strict=True)
        for report, weight in zip(item.reports, weights, strict=True)
    ]
    return Export(("item", "truth", "report", "weight"), rows, {})
