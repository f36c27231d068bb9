"""The tables that a translator draws on: parts, whose changes raise facts, and lookups.

The parts of a subject are merged by commit time, and each one's last image is carried forward, so
that a rule sees all of them whichever table moved. A part or lookup that has no row is null, and so
is every column of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from cutline.errors import ConfigurationError, did_you_mean
from cutline.translator.checks import refuse_uncompilable
from cutline.translator.contract import SourceContract, refuse_undeclared_columns
from cutline.translator.names import as_names

REJECT, HOLD, INFER = "reject", "hold", "infer"
"""What a missing row of a required table means: a person must look at the subject; its rows wait
for the row; they are translated all the same, and the events are labelled `inferred`."""

MISSING = (REJECT, HOLD, INFER)


@dataclass(frozen=True)
class Part:
    """A table keyed by the translator's subject: at most one row per subject and part.

    `subject` are its columns that make the subject, as text and joined by "/"; parts have equally
    many. While a subject has two rows of a part, its rows are ambiguous, `several-rows:<name>`; and
    after one of them was deleted, until the other one changes. While the only row of an optional
    part is quarantined, the others are quarantined as `part-unreadable:<name>`: an unreadable row
    is not an absent one. Where a required part has no row, or it was deleted, `missing` decides
    about the subject's other rows: quarantined as `part-missing:<name>` (reject) or as
    `part-awaited:<name>` (hold), or translated with the label `inferred` (infer). When the part
    comes, all facts that hold then are announced by its change and with its time: for the business,
    they came to be when the whole was there. Rows that were held have the end of the first image in
    which nothing is missing. Of a row that changed while it was held, the last change has it, and
    the others are `no-op`, `changed-while-held`. Rows whose part never comes stay held.
    """

    contract: type[SourceContract]
    subject: tuple[str, ...]
    required: bool = True
    missing: str = REJECT

    def __post_init__(self) -> None:
        check_contract(self.contract, ())
        _refuse_unknown_missing(self.contract, self.missing)


@dataclass(frozen=True)
class Lookup:
    """Reference data joined by key; it never raises a fact.

    `on` are columns of the translator's row (of its first part), `by` the columns of the looked-up
    table they equal; a null equals nothing. The looked-up row is:

    - the one at the commit of the change; for a snapshot's image, the one at the snapshot. Within
      one source the log decides, and a transaction's own changes are included; between two sources
      their clocks do. A change of the looked-up row announces nothing of its own: facts that it
      makes true are announced with the row's next change.
    - with `frozen`, the one at the cut, for every image: old images see later knowledge.
    - with `as_of`, a column of the translator's row, of those at the cut the one whose `valid`
      interval (from inclusive, to exclusive; a null end is open) holds that business time.

    For a source without changes the first two are the same. `cutline check` says which it is.
    More than one row is ambiguous, as `several-rows:<name>` with the count. With `many`, the row
    sees an array of all the looked-up rows (null if there is none). `required` and `missing` are as
    for parts, under the names `lookup-missing:<name>` and `lookup-awaited:<name>`; a row that
    is held until its looked-up row comes sees the first that came, and rows that then look up
    another row are released too. While a row of the key is quarantined none is seen, as of
    whatever moment it is looked up: it is not what it was, and not absent. What looks it up is
    `lookup-unreadable:<name>`; of a `required` lookup it is missing.
    """

    contract: type[SourceContract]
    on: tuple[str, ...]
    by: tuple[str, ...]
    many: bool = False
    required: bool = False
    missing: str = REJECT
    as_of: str | None = None
    valid: tuple[str, str] | None = None
    frozen: bool = False

    @property
    def by_commit(self) -> bool:
        """Whether an image sees the looked-up row at its own commit."""
        return not self.frozen and self.as_of is None

    def __post_init__(self) -> None:
        check_contract(self.contract, (*self.by, *(self.valid or ())))
        _refuse_unknown_missing(self.contract, self.missing)
        if len(self.on) != len(self.by):
            raise ConfigurationError(
                f"a lookup of {self.contract.__name__} joins {len(self.on)} columns "
                f"({', '.join(self.on)}) with {len(self.by)} ({', '.join(self.by)})"
            )
        if (self.as_of is None) != (self.valid is None):
            raise ConfigurationError(
                f"a lookup of {self.contract.__name__} has `as_of` without `valid`, or the reverse",
                next_step="`as_of` names a time of the row, `valid` the interval (from, to) of the "
                "looked-up rows.",
            )
        if self.frozen and self.as_of is not None:
            raise ConfigurationError(
                f"a lookup of {self.contract.__name__} is both `frozen` and `as_of` a time",
                next_step="Leave `frozen` out: with `as_of` the rows at the cut are looked at.",
            )


def part(
    contract: type[SourceContract],
    *,
    subject: str | tuple[str, ...],
    required: bool = True,
    missing: str = REJECT,
) -> Part:
    """A table whose changes raise facts on the composed image; see Part."""
    return Part(contract, as_names(subject), required, missing)


def lookup(
    contract: type[SourceContract],
    *,
    on: str | tuple[str, ...],
    by: str | tuple[str, ...] | None = None,
    many: bool = False,
    required: bool = False,
    missing: str = REJECT,
    as_of: str | None = None,
    valid: tuple[str, str] | None = None,
    frozen: bool = False,
) -> Lookup:
    """Reference data for the row; `by` defaults to the looked-up table's key. See Lookup."""
    joined = as_names(by) if by else contract.key()
    return Lookup(contract, as_names(on), joined, many, required, missing, as_of, valid, frozen)


def check_contract(contract: type[SourceContract], columns: tuple[str, ...]) -> None:
    """ConfigurationError unless `contract` is a contract, can be compiled and has `columns`."""
    if not (isinstance(contract, type) and issubclass(contract, SourceContract)):
        raise ConfigurationError(
            f"{contract!r} is no contract",
            next_step="Tables are named by classes that derive from SourceContract.",
        )
    refuse_uncompilable(contract)
    refuse_undeclared_columns(contract)
    available = tuple(contract.columns())
    for name in columns:
        if name not in available:
            raise ConfigurationError(
                f"contract {contract.__name__} has no column {name!r}."
                f"{did_you_mean(name, available)}",
                next_step=f"Its columns are: {', '.join(available)}.",
            )


def _refuse_unknown_missing(contract: type[SourceContract], missing: str) -> None:
    if missing not in MISSING:
        raise ConfigurationError(
            f"{contract.__name__}: `missing` is {missing!r}; it must be one of {', '.join(MISSING)}"
        )
