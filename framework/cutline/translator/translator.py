"""The base class of translators."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from cutline.context import Context
from cutline.errors import ConfigurationError
from cutline.translator.contract import SourceContract
from cutline.translator.determinism import refuse_nondeterminism
from cutline.translator.in_commit import InCommit
from cutline.translator.names import SELF
from cutline.translator.part import Lookup, Part, part
from cutline.translator.rules import FactRule, RowRule, rules_of
from cutline.translator.validation import facts_with_views, refuse_misfits, refuse_unknown_columns
from cutline.translator.within import WHOLE, WithinTransaction


class Translator:
    """Says what the changes of one subject's legacy rows mean, in the context's words.

    Fill in:

    - `context`, the bounded context; `aggregate`, the name of the one that `subject` identifies;
      `version`, semantic: its major is part of every event id.
    - either `source` (one contract) and `subject` (the column, or columns, that identify it),
      after which rules see the row's columns as `row.status`;
    - or several `part(…)` attributes, after which rules see `row.<part>.status`. The first part
      declared is the primary one.
    - `lookup(…)` attributes for reference data: `row.<lookup>.name`.
    - `in_commit(…)` attributes for what else a commit did: `row.<view>.deleted`, in facts.
    - methods marked `@fact(Event)`, `@changed(Event, of=[…])` and `@removed(Event)`, which announce
      events, and `@reject(rule)`, `@ambiguous(rule)`, `@ignore(rule)`, `@understood(rule)` and
      `@todo(rule)`, which say what a row is.
    - `within_transaction = EACH`, where every step that a transaction writes has a meaning.

    Images are those of commits. A transaction is seen as a whole by whoever reads the source, so a
    rule is asked about what each commit left, never about what stood between two of its rows, and
    all its rows for the subject have one end. What a source does not tell of its transactions is
    said in the run's certificate.

    A rule is given one image of the row, the one after a change (`@removed` the last there was), in
    Spark columns: `row.status == "A"` is a column, and `if` cannot ask it; use `F.when`, `&`, `|`
    and `~`. A lookup with `many` is an array of structs, for `each` or Spark's array functions. A
    misspelt column fails when the class is defined. Before any row is read, Spark analyses each
    rule: what looks at other rows, the clock, chance or the session is refused by name.

    Rules are asked in a fixed order, and the first that answers is the row's end: rows that cannot
    be read or break the contract; subjects, parts and lookups that are missing or too many; then
    `reject`, `ambiguous`, `ignore` and `todo`; values that no rule has an eye on; facts that
    contradict each other; then facts. The module `cutline.translator.rules` has all of it.

    What the rules, contracts and payloads mean has a fingerprint, which the control database keeps
    by version. A run refuses another meaning under the same `version`, and a version that goes
    backwards within its major. `parts`, `lookups`, `views`, `facts` and `row_rules` are found by
    the class itself.
    """

    context: ClassVar[Context]
    aggregate: ClassVar[str]
    version: ClassVar[str]
    source: ClassVar[type[SourceContract] | None] = None
    subject: ClassVar[str | tuple[str, ...]] = ()
    within_transaction: ClassVar[WithinTransaction] = WHOLE

    parts: ClassVar[dict[str, Part]]
    lookups: ClassVar[dict[str, Lookup]]
    views: ClassVar[dict[str, InCommit]]
    facts: ClassVar[list[FactRule]]
    row_rules: ClassVar[list[RowRule]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        members = {n: m for c in reversed(cls.__mro__) for n, m in vars(c).items()}
        cls.lookups = {n: m for n, m in members.items() if isinstance(m, Lookup)}
        cls.parts = {n: m for n, m in members.items() if isinstance(m, Part)}
        cls.views = {n: m for n, m in members.items() if isinstance(m, InCommit)}
        if cls.source is not None and cls.subject:
            cls.parts = {SELF: part(cls.source, subject=cls.subject), **cls.parts}
        cls.facts, cls.row_rules = rules_of(cls)
        if not getattr(cls, "__abstractmethods__", None) and hasattr(cls, "context"):
            cls._validate()

    @classmethod
    def name(cls) -> str:
        """The translator's name in lineage, such as `erp-orders`."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    @classmethod
    def tables(cls) -> dict[str, type[SourceContract]]:
        """The contracts of all tables that it reads, by the name of part, lookup or view."""
        declared: dict[str, Part | Lookup | InCommit] = {**cls.parts, **cls.lookups, **cls.views}
        return {name: one.contract for name, one in declared.items()}

    @classmethod
    def major(cls) -> int:
        """The major version: events of another major are another interpretation."""
        return version_numbers(cls.version)[0]

    @classmethod
    def _validate(cls) -> None:
        where = f"translator {cls.__module__}.{cls.__qualname__}"
        refuse_non_semantic_version(getattr(cls, "version", None), where)
        if not cls.parts:
            raise ConfigurationError(f"{where}: declare `source` and `subject`, or parts")
        if getattr(cls, "aggregate", None) not in {a.name for a in cls.context.aggregates}:
            raise ConfigurationError(
                f"{where}: `aggregate` must be one of context {cls.context.name}: "
                + ", ".join(a.name for a in cls.context.aggregates)
            )
        refuse_unknown_within_transaction(cls.within_transaction, where)
        refuse_misfits(cls, where)
        refuse_unknown_columns(cls)
        cls.facts = facts_with_views(cls, where)
        for method in (*(f.method for f in cls.facts), *(r.method for r in cls.row_rules)):
            refuse_nondeterminism(method, f"{where}, method {method.__name__}", cls)


def refuse_unknown_within_transaction(within_transaction: object, where: str) -> None:
    """ConfigurationError for another value than a WithinTransaction."""
    if not isinstance(within_transaction, WithinTransaction):
        raise ConfigurationError(
            f"{where}: `within_transaction` is {within_transaction!r}",
            next_step="It is WHOLE or EACH, both from cutline.translator.",
        )


def refuse_non_semantic_version(version: object, where: str) -> None:
    """ConfigurationError for a version that is not three numbers."""
    if not isinstance(version, str) or not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ConfigurationError(
            f"{where}: `version` must be three numbers, such as 1.0.0; it is {version!r}",
            next_step="Its first number is in the ids of all events: raise it when facts get "
            "other ids, the second when more is announced, the third when nothing else moves.",
        )


def version_numbers(version: str) -> tuple[int, ...]:
    """The three numbers of a version, which sort as versions do."""
    return tuple(int(number) for number in version.split("."))
