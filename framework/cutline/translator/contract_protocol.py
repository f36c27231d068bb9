"""A contract and its older shapes as validators see them, before the contract is complete."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any, Protocol


class ShapedContract(Protocol):
    """A contract class: its columns, as pandera's schema objects, and its older shapes."""

    def columns(self) -> Mapping[str, Any]:
        """The columns by name, in the order of declaration."""

    def older(self) -> tuple[OlderShape, ...]:
        """The shapes that rows of the table had before, oldest first."""

    def ignores(self) -> frozenset[str]:
        """The columns that rows may have beside those of their shape."""

    def to_schema(self) -> Any:
        """pandera's schema of the contract."""


class OlderShape(Protocol):
    """One older shape; `cutline.translator.older` says what each field means."""

    @property
    def contract(self) -> ShapedContract: ...
    @property
    def lift(self) -> Callable[[Any], Mapping[str, Any]]: ...
    @property
    def until_position(self) -> str | None: ...
    @property
    def until_time(self) -> dt.datetime | None: ...
    @property
    def by(self) -> str | None: ...
    @property
    def position(self) -> str | None: ...
    @property
    def ranged(self) -> bool: ...
