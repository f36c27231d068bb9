"""What all models of stage results have in common."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from pydantic import BaseModel, ConfigDict, PlainSerializer


class ResultModel(BaseModel):
    """A frozen value that a stage hands on.

    Fields that a run of an older version did not have take their defaults; what a newer version
    added is passed over. An alias is the name by which the control database keeps a field.
    """

    model_config = ConfigDict(
        frozen=True, extra="ignore", populate_by_name=True, use_attribute_docstrings=True
    )


Moment = Annotated[dt.datetime, PlainSerializer(dt.datetime.isoformat, when_used="json")]
"""A moment, which the control database keeps as ISO 8601 with its offset."""
