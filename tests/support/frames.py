"""Whether the engine's steps keep to the frames that they declare."""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pyspark.errors import ParseException
from pyspark.sql import DataFrame
from pyspark.sql import types as T

from cutline.engine.frames import Frame, FrameColumn, StepContract, observed

CHECKS_PER_STEP = 3
"""How often a step is checked in one test: generated tests run the same steps a hundred times."""


@contextmanager
def steps_checked() -> Iterator[None]:
    """Within it, a step whose frames are not as declared raises AssertionError."""
    checked: Counter[str] = Counter()

    def observe(contract: StepContract, arguments: Mapping[str, Any], result: DataFrame) -> None:
        checked[contract.step] += 1
        if checked[contract.step] <= CHECKS_PER_STEP:
            check_step(contract, arguments, result)

    with observed(observe):
        yield


def check_step(contract: StepContract, arguments: Mapping[str, Any], result: DataFrame) -> None:
    """AssertionError where names or types of columns are not those of the step's contract."""
    returned = _types(result.schema)
    step = contract.step
    if contract.needs is not None:
        input_types = _types(input_of(arguments).schema)
        needed = declared(resolved(contract.needs, arguments))
        unlike = {
            name: input_types.get(name) for name in needed if input_types.get(name) != needed[name]
        }
        assert unlike == {}, f"{step} needs { ({name: needed[name] for name in unlike}) }"
        if contract.returns is None:
            drops = resolved(contract.drops, arguments)
            assert set(drops) <= set(input_types), f"{step} drops what it was not given"
            types_left = {name: kind for name, kind in input_types.items() if name not in drops}
            expected = types_left | columns_declared(resolved(contract.adds, arguments))
            assert returned == expected, f"{step} adds and drops other columns than it declares"
    if contract.returns is not None:
        expected = declared(resolved(contract.returns, arguments))
        assert returned == expected, f"{step} returns other columns than it declares"


def input_of(arguments: Mapping[str, Any]) -> DataFrame:
    """The first argument that is a frame."""
    return next(value for value in arguments.values() if isinstance(value, DataFrame))


def resolved(declaration: Any, arguments: Mapping[str, Any]) -> Any:
    """A declaration, called with those of the step's arguments that it takes by name."""
    if not isinstance(declaration, Callable):  # type: ignore[arg-type]
        return declaration
    names = inspect.signature(declaration).parameters
    return declaration(**{n: input_of(arguments) if n == "frame" else arguments[n] for n in names})


def declared(frame: Frame) -> dict[str, str]:
    """The types of a frame's columns as Spark writes them, by name."""
    return columns_declared(frame.columns)


def columns_declared(columns: tuple[FrameColumn, ...]) -> dict[str, str]:
    names = [str(column) for column in columns]
    assert len(names) == len(set(names)), f"declared twice: {sorted(names)}"
    return {str(column): _simple(column.type) for column in columns}


@functools.cache
def _simple(ddl: str) -> str:
    try:
        return T.DataType.fromDDL(ddl).simpleString()
    except ParseException:
        # A type that was taken from another frame, whose fields' names are not quoted.
        return ddl


def _types(schema: T.StructType) -> dict[str, str]:
    types = {field.name: field.dataType.simpleString() for field in schema.fields}
    assert len(types) == len(schema.fields), f"two columns of one name: {schema.names}"
    return types
