"""The shapes of a table must be distinguishable, and each must be liftable to the next."""

from __future__ import annotations

from collections.abc import Sequence

from cutline.errors import ConfigurationError, did_you_mean
from cutline.translator.column import spark_ddl
from cutline.translator.contract_protocol import OlderShape, ShapedContract
from cutline.translator.names import class_name
from cutline.translator.shapes.lifts import refuse_unknown_lift_columns
from cutline.translator.shapes.ranges import refuse_wrong_ranges

EVERY_OTHER = "*"
"""As an element of `ignores`: rows may have any further column."""

_TIMES = ("timestamp", "timestamp_ntz", "date")


def refuse_wrong_shapes(contract: ShapedContract) -> None:
    """ConfigurationError for older shapes that cannot be distinguished or lifted."""
    shapes, where = contract.older(), f"contract {class_name(contract)}"
    if not shapes:
        if contract.ignores():
            raise ConfigurationError(
                f"{where}: `ignores` is for a contract with older shapes; without them, columns "
                "that are not declared are passed over anyway"
            )
        return
    refuse_wrong_ranges(where, shapes)
    chain = [*(s.contract for s in shapes), contract]
    _refuse_duplicate_shapes(where, chain)
    _refuse_two_spellings(where, chain)
    _refuse_same_columns(where, shapes, chain)
    _refuse_wrong_time(where, shapes, chain)
    _refuse_ignored(where, contract, chain)
    for shape, following in zip(shapes, chain[1:], strict=True):
        refuse_unknown_lift_columns(where, shape, following)


def _refuse_duplicate_shapes(where: str, chain: Sequence[ShapedContract]) -> None:
    for i, shape in enumerate(chain):
        if shape in chain[:i]:
            raise ConfigurationError(f"{where}: {class_name(shape)} is twice among its shapes")
    for shape in chain[:-1]:
        if shape.older():
            raise ConfigurationError(
                f"{where}: its older shape {class_name(shape)} declares older shapes of its own",
                next_step="List the whole chain once, oldest first, in the newest contract.",
            )


def _refuse_two_spellings(where: str, chain: Sequence[ShapedContract]) -> None:
    """Refuse names that differ in case only: Spark's column names ignore case."""
    spellings: dict[str, str] = {}
    for name in (name for shape in chain for name in shape.columns()):
        if spellings.setdefault(name.lower(), name) != name:
            raise ConfigurationError(
                f"{where}: its shapes spell a column {spellings[name.lower()]!r} and {name!r}, "
                "which differ in upper and lower case only",
                next_step="Have one of them renamed where the extract is made.",
            )


def _refuse_same_columns(
    where: str, shapes: Sequence[OlderShape], chain: Sequence[ShapedContract]
) -> None:
    shapes_by_columns = [
        (s.contract, frozenset(s.contract.columns())) for s in shapes if not s.ranged
    ]
    if shapes_by_columns:
        shapes_by_columns.append((chain[-1], frozenset(chain[-1].columns())))
    for i, (shape, columns) in enumerate(shapes_by_columns):
        for earlier, earlier_columns in shapes_by_columns[:i]:
            if columns == earlier_columns:
                raise ConfigurationError(
                    f"{where}: {class_name(earlier)} and {class_name(shape)} have the same "
                    "columns, so a row does not tell which of them it is",
                    next_step="Say until when the older one was written: `until_position=` or "
                    "`until_time=` with `by=`.",
                )


def _refuse_wrong_time(
    where: str, shapes: Sequence[OlderShape], chain: Sequence[ShapedContract]
) -> None:
    by = next((s.by for s in shapes if s.by is not None), None)
    if by is None:
        return
    types: dict[str, str] = {}
    for shape in chain:
        columns = shape.columns()
        if by not in columns:
            raise ConfigurationError(
                f"{where}: shape {class_name(shape)} has no column {by!r}, which is to tell the "
                f"shapes by time.{did_you_mean(by, columns)}"
            )
        types[class_name(shape)] = spark_ddl(columns[by])
    if len(set(types.values())) > 1 or not set(types.values()) <= set(_TIMES):
        types_by_shape = ", ".join(f"{kind} in {name}" for name, kind in types.items())
        raise ConfigurationError(
            f"{where}: column {by!r}, which is to tell the shapes by time, is {types_by_shape}",
            next_step=f"It must be the same in every shape, one of: {', '.join(_TIMES)}.",
        )


def _refuse_ignored(where: str, contract: ShapedContract, chain: Sequence[ShapedContract]) -> None:
    declared = {name for shape in chain for name in shape.columns()}
    for name in sorted(declared & contract.ignores()):
        raise ConfigurationError(f"{where}: column {name!r} is declared, and among `ignores`")
    if EVERY_OTHER in contract.ignores() and len(contract.ignores()) > 1:
        raise ConfigurationError(f"{where}: {EVERY_OTHER!r} among `ignores` leaves nothing to name")
