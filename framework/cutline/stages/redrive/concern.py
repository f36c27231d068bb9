"""The source rows that the exceptions of a run concern, and what their translation reads."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql import DataFrame

from cutline.engine.advance import edges_of_changes, edges_of_ends, lookers
from cutline.engine.translate import Inputs
from cutline.spark.among import among
from cutline.stages.advance.concern import Concern
from cutline.workspace import BaseRun, Workspace


class ExceptionConcern(Concern):
    """What some rows, the `seeds`, concern in a run that has a base and no new change.

    Another version of a translator may give a row another subject, so the subjects are those that
    rows had in the base, and those that the translators of now give them.
    """

    def __init__(
        self, workspace: Workspace, base: BaseRun, inputs: Inputs, seeds: DataFrame
    ) -> None:
        super().__init__(workspace, base, inputs)
        self._exceptional = seeds

    def _seeds(self) -> Iterator[DataFrame]:
        yield self._exceptional
        for translator, lookup in self._lookups():
            primary = next(iter(translator.parts.values())).contract
            reference = self._inputs[lookup.contract]
            yield lookers(
                self._inputs[primary].frame,
                lookup,
                reference.frame,
                self._with_renamed(
                    among(reference.frame, self._exceptional).select(*self._exceptional.columns),
                    lookup.contract,
                    reference,
                ),
            )

    def _edges(self) -> Iterator[DataFrame]:
        yield edges_of_ends(self._ends())
        for translator in self._workspace.translation.translators:
            for part in translator.parts.values():
                changes = self._inputs[part.contract].frame
                yield edges_of_changes(changes, part, translator.aggregate)
