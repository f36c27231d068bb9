"""What tells apart two ways of lifting older rows, for the names of runs and extracts."""

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
    """`older`, each older shape's columns, range and lift, and `ignores`; empty without any.

    Of a lift it is its code that counts, as no Spark is there to compile it.
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
