"""Questions that were randomised as one answer, as one item of the zip with cells as its answers.

The item's id joins the ids of its questions by `+`, and a cell's code those of its answers.
"""

from collections.abc import Iterator

import numpy as np

from deniable.analysis.joint.counting import joint_counts
from deniable.analysis.results import item_results
from deniable.publication.material import Material
from deniable.results.files import Row
from deniable.results.rows import in_wave, rows_of_item
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Answer, Protection
from deniable.survey.together import Group

JOINT = "+"


def items_of_groups(survey: Survey) -> tuple[Item, ...]:
    """Return each group as an item, whose truths and reports are its cells."""
    return tuple(
        _item(survey, group, places)
        for group, places in zip(survey.groups, survey.places_together, strict=True)
    )


def rows_of_groups(material: Material) -> Iterator[Row]:
    """Yield the share of each cell as a row of estimates.csv, for each wave."""
    survey, rows = material.told.survey, material.told
    parts = zip(items_of_groups(survey), survey.groups, survey.places_together, strict=True)
    for item, group, places in parts:
        channels = [survey.items[place].channel for place in places]
        for wave, results in material.each():
            sent = rows.wave(wave)
            counts = joint_counts(sent.answers, channels, places, times=sent.times)[
                tuple(np.array(group.cells).T)
            ]
            for row in rows_of_item(results, item_results(item, counts, material.level)):
                yield in_wave(survey, row, wave)


def _item(survey: Survey, group: Group, places: tuple[int, ...]) -> Item:
    members = [survey.items[place] for place in places]
    cells = tuple(
        Answer(
            JOINT.join(one.truths[truth].code for one, truth in zip(members, cell, strict=True)),
            " + ".join(one.truths[truth].text for one, truth in zip(members, cell, strict=True)),
        )
        for cell in group.cells
    )
    return Item(
        id=JOINT.join(group.questions),
        question=JOINT.join(group.questions),
        text=" + ".join(one.text for one in members),
        truths=cells,
        reports=cells,
        channel=group.channel,
        protection=Protection.RANDOMISED,
        memory=group.memory,
    )
