"""The one answer to: is this personal?"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from cutline.masking.texts import MASK, masked_json


@dataclass(frozen=True)
class Masking:
    """What must be masked where data is shown.

    `names` are the personal columns of every contract and the personal fields of every payload, in
    lower case: a payload may have been composed of several tables, and a native event may repeat a
    column. `keys` are the key columns of each (source, table), `subjects` the aggregates whose
    subject is made of personal columns, `states` the state columns that are fed by personal
    fields, by aggregate. `tables` are the personal columns of each changes table; one that is not
    among them has no contract, and all of it is taken to be personal. Without
    `contracts_known`, because no plugin of the context is installed, everything that a source wrote
    is masked.
    """

    names: frozenset[str]
    keys: Mapping[tuple[str, str], tuple[str, ...]]
    subjects: frozenset[str] = frozenset()
    states: Mapping[str, frozenset[str]] = field(default_factory=dict)
    tables: Mapping[str, frozenset[str]] = field(default_factory=dict)
    contracts_known: bool = True

    def payload(self, text: str | None, *, lines: bool = True) -> str | None:
        """A JSON payload, the value of each personal key masked at any depth.

        Indented for people; without `lines`, on one line and still JSON. What is no JSON is
        withheld where anything is personal.
        """
        if text is None:
            return None
        if not self.contracts_known:
            return MASK
        names = self.names
        if self.subjects:
            # A live record as it was read names its subject around its payload.
            names = names | {"key", "ce_subject", "ce_partitionkey"}
        return masked_json(text, names, lines=lines)

    def key(self, source: str | None, table: str | None, text: str | None) -> str | None:
        """A row's key, a canonical JSON array, with personal key columns masked."""
        columns = self.keys.get((source or "", table or ""), ())
        if text is None or (self.contracts_known and not self._personal(columns)):
            return text
        try:
            values = json.loads(text)
        except ValueError:
            return MASK
        if not isinstance(values, list) or len(values) != len(columns):
            return MASK
        shown = [MASK if self._is_personal(c) else v for c, v in zip(columns, values, strict=True)]
        return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))

    def hides_keys(self) -> bool:
        """Whether the key of any table is personal."""
        return not self.contracts_known or any(
            self._personal(columns) for columns in self.keys.values()
        )

    def subject(self, aggregate: str | None, text: str | None) -> str | None:
        """A subject, masked whole where it is made of personal data.

        Where the aggregate is not known, it may be any of them.
        """
        return MASK if text is not None and self.hides_subject(aggregate) else text

    def hides_subject(self, aggregate: str | None) -> bool:
        """Whether the subjects of an aggregate, or of any, are personal."""
        if not self.contracts_known:
            return True
        return aggregate in self.subjects if aggregate else bool(self.subjects)

    def value(
        self, column: str | None, text: str | None, aggregate: str | None = None
    ) -> str | None:
        """The value of a state column, masked where that is personal."""
        return MASK if text is not None and self.hides(column, aggregate) else text

    def hides(self, column: str | None, aggregate: str | None = None) -> bool:
        """Whether a state column is fed by a personal field, or named like a personal column."""
        if column is None:
            return False
        if aggregate is None:
            fed = any(column in columns for columns in self.states.values())
        else:
            fed = column in self.states.get(aggregate, ())
        return fed or self._is_personal(column) or not self.contracts_known

    def _is_personal(self, column: str) -> bool:
        return not self.contracts_known or column.casefold() in self.names

    def _personal(self, columns: Iterable[str]) -> bool:
        return any(self._is_personal(c) for c in columns)
