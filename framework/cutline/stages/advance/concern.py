"""The source rows that new changes concern, and what their translation reads."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from functools import partial, reduce
from itertools import count

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.engine.advance import (
    KEY,
    KeptRows,
    concerned_rows,
    edges_of_changes,
    edges_of_ends,
    keys_of_changes,
    looked_up_rows,
    lookers,
    needs_lookers,
)
from cutline.engine.translate import Changes, Inputs
from cutline.lake.written import TableWritten
from cutline.results import EXTRACT, TRANSLATE, ExtractResult, TranslateResult
from cutline.spark.among import among
from cutline.spark.few_rows import broadcast_if_few
from cutline.spark.parallel import run_parallel
from cutline.spark.written_aside import written_aside
from cutline.stages.advance.over import table_of
from cutline.tables import DISPOSITIONS, REPLACED_ROWS
from cutline.tables.change import SNAPSHOT, changes, changes_name
from cutline.translator.contract import SourceContract
from cutline.translator.part import Lookup, Part
from cutline.translator.translator import Translator
from cutline.workspace import BaseRun, Workspace

FEW_CHANGES = 20_000
"""A slice of so many changes is translated faster than they are sorted out."""

_Contract = type[SourceContract]


class Concern:
    """What new changes concern in a run that has a base. `inputs` are all changes by contract."""

    def __init__(self, workspace: Workspace, base: BaseRun, inputs: Inputs) -> None:
        self._workspace, self._base, self._inputs = workspace, base, inputs
        self._extract = workspace.result_of(ExtractResult)
        self._scratch_names = count()
        translated = base.done[TRANSLATE]
        # Rows of a base that was re-driven may be of another version, which gave other subjects.
        self._is_mixed = isinstance(translated, TranslateResult) and translated.redriven
        self.new_rows = {
            contract: number for contract in inputs if (number := self._new_rows_of(contract))
        }
        """The number of new changes, by contract that has some."""
        self._new = {contract: self._new_changes(contract) for contract in self.new_rows}

    def write_rows(self) -> TableWritten:
        """Write the keys of all rows that are concerned, as REPLACED_ROWS."""
        seeds = reduce(DataFrame.unionByName, self._seeds())
        edges = reduce(DataFrame.unionByName, self._edges())
        keys = concerned_rows(edges, seeds, self._keep)
        return self._workspace.lake.write(keys, REPLACED_ROWS).table

    def rows(self, written: TableWritten) -> DataFrame:
        """The keys that `write_rows` wrote."""
        keys = self._workspace.lake.read(self._workspace.spark, REPLACED_ROWS)
        return broadcast_if_few(keys, written.rows)

    def inputs(self, keys: DataFrame, of: Inputs) -> Inputs:
        """What the translation of these rows reads of `of`: their changes, and rows looked up.

        All changes, where they are few: to find out which are needed would cost more. Otherwise
        they are written aside, for a translation reads its inputs many times.
        """
        if self._extract.rows_out <= FEW_CHANGES:
            return of
        wanted = {contract: [keys] for contract in of}
        for translator, lookup in self._lookups():
            primary = next(iter(translator.parts.values())).contract
            reference = of[lookup.contract]
            rows = looked_up_rows(reference.frame, lookup, among(of[primary].frame, keys))
            wanted[lookup.contract].append(self._with_renamed(rows, lookup.contract, reference))
        frames = {
            contract: self._among_all(table_changes, wanted[contract])
            for contract, table_changes in of.items()
        }
        aside = run_parallel(
            self._workspace.spark, [partial(self._aside, frame) for frame in frames.values()]
        )
        return {
            contract: dataclasses.replace(of[contract], frame=frame)
            for contract, frame in zip(frames, aside, strict=True)
        }

    def _among_all(self, table_changes: Changes, wanted: Sequence[DataFrame]) -> DataFrame:
        if len(wanted) == 1:
            return among(table_changes.frame, wanted[0])
        keys = self._keep(reduce(DataFrame.unionByName, wanted).select(*KEY).distinct())
        return among(table_changes.frame, broadcast_if_few(keys.rows, keys.count))

    def _seeds(self) -> Iterator[DataFrame]:
        yield from (keys_of_changes(new) for new in self._new.values())
        ends = self._ends().where(F.col("key").isNull())
        # Rows without a key are met by no key: all of them are translated anew, few as they are.
        yield ends.select(*KEY).distinct()
        for translator, lookup in self._lookups():
            yield from self._lookers(translator, lookup)

    def _lookers(self, translator: type[Translator], lookup: Lookup) -> Iterator[DataFrame]:
        """The rows that may look up a row that changed, if that may change what they are."""
        new = self._new.get(lookup.contract)
        if new is None:
            return
        ends_told = self._extract.extracts[lookup.contract.source()].transactions == "told"
        if not needs_lookers(translator, lookup, exact_commits=ends_told):
            # A row that is read late was there all the time.
            new = new.where(F.col("op") == SNAPSHOT)
            if new.isEmpty():
                return
        primary = next(iter(translator.parts.values())).contract
        reference = self._inputs[lookup.contract]
        changed = self._with_renamed(keys_of_changes(new), lookup.contract, reference)
        yield lookers(self._inputs[primary].frame, lookup, reference.frame, changed)

    def _edges(self) -> Iterator[DataFrame]:
        yield edges_of_ends(self._ends())
        for translator in self._workspace.translation.translators:
            for part in translator.parts.values():
                yield from self._edges_of(part, translator.aggregate)

    def _edges_of(self, part: Part, aggregate: str) -> Iterator[DataFrame]:
        if (new := self._new.get(part.contract)) is not None:
            yield edges_of_changes(new, part, aggregate)
        table_changes = self._inputs[part.contract]
        if self._is_mixed:
            yield edges_of_changes(table_changes.frame, part, aggregate)
        elif table_changes.features.renames:
            renames = table_changes.frame.where(F.col("old_key").isNotNull())
            yield edges_of_changes(renames, part, aggregate)

    def _with_renamed(
        self, keys: DataFrame, contract: _Contract, table_changes: Changes
    ) -> DataFrame:
        """The keys, with those that their rows had before or after, where keys were changed."""
        if not table_changes.features.renames:
            return keys
        renames = table_changes.frame.where(F.col("old_key").isNotNull())
        edges = edges_of_changes(renames, Part(contract, contract.key()), "")
        return concerned_rows(edges, keys, self._keep)

    def _lookups(self) -> Iterator[tuple[type[Translator], Lookup]]:
        for translator in self._workspace.translation.translators:
            yield from ((translator, lookup) for lookup in translator.lookups.values())

    def _ends(self) -> DataFrame:
        return self._base.lake.read(self._workspace.spark, DISPOSITIONS)

    def _new_rows_of(self, contract: _Contract) -> int:
        name = changes_name(contract.source(), contract.table())
        before = table_of(self._base.done[EXTRACT], name, self._base.run_id)
        return table_of(self._extract, name, self._workspace.run_id).rows - before.rows

    def _new_changes(self, contract: _Contract) -> DataFrame:
        table = changes(contract.source(), contract.table(), contract.ddl())
        return self._workspace.lake.read_new(self._workspace.spark, table)

    def _keep(self, rows: DataFrame) -> KeptRows:
        back = self._aside(rows)
        return KeptRows(back, back.count())

    def _aside(self, rows: DataFrame) -> DataFrame:
        """The rows, computed now and read from where they were written."""
        place = self._workspace.lake.scratch(f"concern/{next(self._scratch_names)}")
        return written_aside(rows, place)
