"""A translation: what one legacy estate's team brings for one context, under one version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cutline.context import Context
from cutline.errors import ConfigurationError, did_you_mean
from cutline.translator.contract import SourceContract
from cutline.translator.translator import (
    Translator,
    refuse_non_semantic_version,
    version_numbers,
)


@dataclass(frozen=True)
class Truth:
    """What the legacy itself says, by SQL on its own databases, through no translator.

    Each query sees every source of the project as a database of that name (`erp.orders`) and
    `:region`. `aggregates` maps an aggregate to SQL with a `subject` column and the state columns
    it vouches for, one row per subject; `outcomes` maps an outcome to SQL with `subject` and
    `value`. A null value means: not in the population.

    Either may return two more columns (where the state has none of that name): `not_eligible`, why
    the subject is not to be there, null or blank where it is; and `changed_at`, when it was last
    changed: after the end of history it is late, and not compared now. Where a legacy goes on while
    it is asked, SQL of an outcome gives `changed_at` with a null `value` as well: what left the
    population after the end of history is then late, too. SQL of an outcome may also return
    `category`, by which its decisions are counted, and the column that `partitioned` names. Any
    other column is refused.

    `partitioned` maps a name of either to a column of its answer by whose values the query may be
    asked in parts, all under one snapshot: a PostgreSQL source is then asked by several connections
    at once. It changes no answer, and is of use where the database need not do all of the query's
    work for each part, as where it groups by that column. ConfigurationError for a name without a
    query.
    """

    aggregates: Mapping[str, str] = field(default_factory=dict)
    outcomes: Mapping[str, str] = field(default_factory=dict)
    partitioned: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = {*self.aggregates, *self.outcomes}
        for name in self.partitioned:
            if name not in names:
                raise ConfigurationError(
                    f"truth is partitioned for {name!r}, about which there is no query."
                    + did_you_mean(name, names)
                )


@dataclass(frozen=True)
class Translation:
    """The plugin behind an entry point of group `cutline.translators`.

    `name` is what cutline.yaml selects, together with the major of `version`; the entry is called
    `<name>-<major>`, as in `retail-2 = "cutline_translators.retail.v2:RETAIL_2"`. A table is
    translated by one translator only; others may look it up. ConfigurationError if two translate
    one, if a translator is of another context or of none, for truth of an aggregate or an outcome
    that the context lacks, or for a version that is not semantic.
    """

    name: str
    version: str
    context: Context
    translators: tuple[type[Translator], ...]
    truth: Truth = field(default_factory=Truth)

    def __post_init__(self) -> None:
        refuse_non_semantic_version(self.version, f"translation {self.name}")
        self._refuse_unknown_truth()
        owners: dict[tuple[str, str], str] = {}
        for translator in self.translators:
            if not hasattr(translator, "context"):
                raise ConfigurationError(
                    f"translation {self.name}: {translator.__name__} does not say whose it is",
                    next_step=f"Give it `context`, that of {self.context.name!r}, and `aggregate`.",
                )
            if translator.context is not self.context:
                raise ConfigurationError(
                    f"translation {self.name}: {translator.__name__} belongs to context "
                    f"{translator.context.name}, not {self.context.name}"
                )
            for part in translator.parts.values():
                table = (part.contract.source(), part.contract.table())
                owner = owners.setdefault(table, translator.__name__)
                if owner != translator.__name__:
                    raise ConfigurationError(
                        f"translation {self.name}: {'.'.join(table)} is translated by both {owner} "
                        f"and {translator.__name__}, but each source row has one disposition",
                        next_step="Let one of them look it up instead.",
                    )

    def _refuse_unknown_truth(self) -> None:
        for kind, queries, names in (
            ("aggregate", self.truth.aggregates, [a.name for a in self.context.aggregates]),
            ("outcome", self.truth.outcomes, [o.name for o in self.context.outcomes]),
        ):
            for name in queries:
                if name not in names:
                    raise ConfigurationError(
                        f"translation {self.name} brings truth about {kind} {name}, which context "
                        f"{self.context.name} does not have.{did_you_mean(name, names)}",
                        next_step=f"Its {kind}s are: {', '.join(names) or 'none'}.",
                    )

    @property
    def major(self) -> int:
        """The major version, which cutline.yaml selects."""
        return version_numbers(self.version)[0]

    def contracts(self) -> tuple[type[SourceContract], ...]:
        """The contracts of every table that is read, translated ones first, each once."""
        parts = [p.contract for t in self.translators for p in t.parts.values()]
        lookups = [k.contract for t in self.translators for k in t.lookups.values()]
        views = [v.contract for t in self.translators for v in t.views.values()]
        return tuple(dict.fromkeys([*parts, *lookups, *views]))
