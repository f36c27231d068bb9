"""A translator class as its validators see it, before the class is complete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from cutline.context import Context
from cutline.translator.contract import SourceContract
from cutline.translator.in_commit import InCommit
from cutline.translator.part import Lookup, Part
from cutline.translator.rules import FactRule, RowRule


class DeclaredTranslator(Protocol):
    """The declarations of a translator class."""

    @property
    def context(self) -> Context: ...
    @property
    def parts(self) -> Mapping[str, Part]: ...
    @property
    def lookups(self) -> Mapping[str, Lookup]: ...
    @property
    def views(self) -> Mapping[str, InCommit]: ...
    @property
    def facts(self) -> Sequence[FactRule]: ...
    @property
    def row_rules(self) -> Sequence[RowRule]: ...
    def tables(self) -> dict[str, type[SourceContract]]:
        """The contracts of all tables that it reads, by the names of parts, lookups and views."""
