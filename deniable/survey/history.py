"""What the wordings of a survey corrected, as methods, codebook and status say it."""

from itertools import pairwise

from deniable.survey import Survey
from deniable.survey.document import fingerprint_of
from deniable.survey.revisions import corrections


def history(survey: Survey) -> tuple[str, ...]:
    """Say what each wording corrected of the one before, and the check number that it has."""
    found = []
    read = (*survey.earlier, survey)
    for number, (then, now) in zip(survey.numbers[1:], pairwise(read), strict=True):
        told = [
            f"{place}: “{before}” became “{after}”"
            for place, before, after in corrections(now, then)
            if place.partition("/")[0] in then.languages
        ]
        told += [f"language {one} was added" for one in now.languages if one not in then.languages]
        found.append(f"{fingerprint_of(number)}: {'; '.join(told)}")
    return tuple(found)
