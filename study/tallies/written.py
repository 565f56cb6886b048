"""What a tally file holds, for pydantic."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from deniable.analysis.counts.labels import MOST_REPORTS

_Count = Annotated[int, Field(ge=0, le=MOST_REPORTS)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class Wave(_Strict):
    """What was counted in a wave."""

    wave: int
    n: _Count
    table: list[list[_Count]]


class Revision(_Strict):
    """A revision with its document."""

    document: str
    waves: list[Wave]


class File(_Strict):
    """A tally file."""

    format: Literal["deniable tally"]
    version: Literal[1]
    survey: str
    current: str
    revisions: list[Revision]
