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
"""What a missing row of a required table means: a person must look; wait for it to come; translate
all the same and label the events `inferred`."""

MISSING = (REJECT, HOLD, INFER)


@dataclass(frozen=True)
class Part:
    """A table keyed by the translator's subject: at most one row per subject and part.

    `subject` are its columns that make the subject, as text and joined by "/"; parts have equally
    many. While a subject has two rows of a part, its rows are ambiguous, `several-rows:<name>`.
    While the only row of an optional part is one that was quarantined, the others are quarantined
    as `part-unreadable:<name>`: what cannot be read is not absent. Where a required
    part has no row, or it was deleted, `missing` says what becomes of the subject's other rows:
    quarantined as `part-missing:<name>` (reject) or as `part-awaited:<name>` (hold), or translated
    with the label `inferred` (infer). When the part comes, all that holds then is announced, by the
    change that brought it and with its time: for the business, the fact came to be when the whole
    was there. Rows that were held end as the image in which nothing is missing any more, whatever
    becomes of it; of a row that changed while it was held the last change does, and the others are
    `no-op`, `changed-while-held`. What never comes leaves its rows held.
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
    table they equal; a null equals nothing. Which of the looked-up rows is seen:

    - the one that stood there when the change was committed, a snapshot's image the one that stood
      at the snapshot. Within one source the log says so, and a transaction's own changes are seen;
      between two sources it goes by their clocks. What is seen moves, and announces nothing of its
      own: what it makes true is told with the row's next change.
    - with `frozen`, the one that stands there at the cut, for every image: old ones are judged by
      what came to be known later.
    - with `as_of`, a column of the translator's row, of those at the cut the one whose `valid`
      interval (from inclusive, to exclusive; a null end is open) holds that business time.

    Where the source has no changes the first two are the same. `cutline check` says which it is.
    More than one row is ambiguous, as `several-rows:<name>` with the count. With `many`, the row
    sees an array of all the looked-up rows (null if there is none). `required` and `missing` are as
    for parts, under the names `lookup-missing:<name>` and `lookup-awaited:<name>`; what is held
    until its row comes sees the first that came, and what then looks up another row is let go too.
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
        """Whether an image sees what stood there when it was committed."""
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
