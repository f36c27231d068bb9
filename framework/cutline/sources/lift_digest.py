"""The identity of older shapes and their lifts, for the names of runs and extracts."""

from __future__ import annotations

import datetime as dt
from functools import cache
from types import FunctionType
from typing import Any, cast

from cutline.translator.code_digest import code_digest
from cutline.translator.contract import SourceContract


@cache
def _lift_digest(lift: FunctionType) -> str:
    # Once in a process: a file that is edited during a run is not the code that runs.
    return code_digest(lift)


def older_shapes_identity(contract: type[SourceContract]) -> dict[str, Any]:
    """`older`, with columns, range and lift of each older shape, and `ignores`; empty without any.

    A lift is identified by a digest of its code, since no Spark session is there to analyse it.
    """
    if not contract.older():
        return {}
    shapes = [
        {
            "columns": shape.contract.ddl(),
            "lift": _lift_digest(cast(FunctionType, shape.lift)),
            "until_position": shape.position,
            "until_time": shape.until_time and str(shape.until_time.astimezone(dt.UTC)),
            "by": shape.by,
        }
        for shape in contract.older()
    ]
    return {"older": shapes, "ignores": sorted(contract.ignores())}
