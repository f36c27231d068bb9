"""The tables that a translator draws on: parts, whose changes raise facts, and lookups."""

from __future__ import annotations

from dataclasses import dataclass

from cutline.translator.contract import SourceContract


@dataclass(frozen=True)
class Part:
    """A table keyed by the translator's subject: at most one row per subject and part.

    `subject` are its columns that make the subject. Without a required part's row, the subject's
    other rows are quarantined as `part-missing:<name>`.
    """

    contract: type[SourceContract]
    subject: tuple[str, ...]
    required: bool = True


@dataclass(frozen=True)
class Lookup:
    """Reference data joined by key as of the cut; it never raises a fact.

    `on` are columns of the translator's row (of its first part), `by` the columns of the looked-up
    table they equal. With `many`, the row sees an array of the looked-up rows (null if there is
    none), else the one row.
    """

    contract: type[SourceContract]
    on: tuple[str, ...]
    by: tuple[str, ...]
    many: bool = False


def part(
    contract: type[SourceContract], *, subject: str | tuple[str, ...], required: bool = True
) -> Part:
    """A table whose changes raise facts on the composed image; see Part."""
    return Part(contract, _names(subject), required)


def lookup(
    contract: type[SourceContract],
    *,
    on: str | tuple[str, ...],
    by: str | tuple[str, ...] | None = None,
    many: bool = False,
) -> Lookup:
    """Reference data for the row; `by` defaults to the looked-up table's key. See Lookup."""
    return Lookup(contract, _names(on), _names(by) if by else contract.key(), many)


def _names(names: str | tuple[str, ...]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names
