"""What an advance offers to topics: what moved since its base, if they hold what that one left.

All else that the run has is as the base had it, and stands there. Whether it still does, a mark
tells that each publication leaves in its run's folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, ValidationError
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.engine.advance import SUBJECT
from cutline.errors import RunFailed
from cutline.lake.lake import Lake
from cutline.lake.plan_file import PlanFile
from cutline.logs import logger
from cutline.results import MergeResult
from cutline.spark.among import among, not_among
from cutline.spark.few_rows import FEW, broadcast_if_few
from cutline.stages.advance.over import base_of_stage, table_of
from cutline.tables import REPLACED_SUBJECTS, Table
from cutline.topics.interface import Topics
from cutline.workspace import Workspace

_LOG = logger(__name__)
_FOLDER, _FILE = "published", "mark.json"
_SUBJECT_DDL = "aggregate string, subject string"


class PublicationMark(BaseModel):
    """What a publication left: the imprint of each partition of its topics, and aggregate and
    subject of those that it held back."""

    model_config = ConfigDict(frozen=True)

    imprint: Mapping[str, str]
    held_subjects: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class MovedSubjects:
    """The subjects whose events and states an advance offers to topics: those that were `replaced`
    since the base, and others that the base held back and the run does not; null for none.

    Both have `aggregate` and `subject`, each once.
    """

    lake: Lake
    replaced: DataFrame
    released: DataFrame | None

    def all(self) -> DataFrame:
        """Aggregate and subject of each."""
        return self.replaced if self.released is None else self.replaced.union(self.released)

    def rows(self, table: Table, aggregate: str | None = None) -> DataFrame:
        """The rows of a table of the run that are theirs; of the table of one aggregate, which does
        not name it."""
        spark = self.replaced.sparkSession
        new = self.lake.read_new(spark, table)
        if self.released is None:
            return new
        every, released = self.lake.read(spark, table), self.released
        if aggregate is None:
            return new.unionByName(among(every, released, SUBJECT))
        of_aggregate = released.where(F.col("aggregate") == aggregate).select("subject")
        return new.unionByName(among(every, of_aggregate))


def moved_subjects(
    workspace: Workspace, topics: Topics, names: Sequence[str], on_hold: DataFrame | None
) -> MovedSubjects | None:
    """The subjects that moved, where all others stand on topics of these names as the base left
    them; else null, and everything is to be compared. `on_hold` are those that are held now."""
    base = base_of_stage(workspace, workspace.result_of(MergeResult).advanced_from)
    mark = None if base is None else _mark(base.lake)
    if mark is None:
        return None
    spark, lake = workspace.spark, workspace.lake
    fields = {"run": workspace.run_id}
    imprint = topics.imprint(spark, names, workspace.region)
    if imprint is None:
        return None
    if imprint != mark.imprint:
        _LOG.info("topics hold something else than the base left: all is compared", extra=fields)
        return None
    replaced = table_of(workspace.done[MergeResult.stage], REPLACED_SUBJECTS.name, workspace.run_id)
    subjects = lake.read(spark, REPLACED_SUBJECTS).select(*SUBJECT)
    subjects = broadcast_if_few(subjects, replaced.rows)
    _LOG.info("what moved is compared", extra=fields | {"subjects": replaced.rows})
    return MovedSubjects(lake, subjects, _released(mark, subjects, on_hold))


def _released(
    mark: PublicationMark, replaced: DataFrame, on_hold: DataFrame | None
) -> DataFrame | None:
    if not mark.held_subjects:
        return None
    before = replaced.sparkSession.createDataFrame([*mark.held_subjects], _SUBJECT_DDL)
    others = not_among(before, replaced)
    released = others if on_hold is None else not_among(others, on_hold)
    rows = [(row["aggregate"], row["subject"]) for row in released.collect()]
    if not rows:
        return None
    return F.broadcast(replaced.sparkSession.createDataFrame(rows, _SUBJECT_DDL))


def leave_mark(
    workspace: Workspace, topics: Topics, names: Sequence[str], on_hold: DataFrame | None
) -> None:
    """Keep what a publication left, for the run that goes on from it. Not where topics do not tell
    it, or too many subjects are held back."""
    imprint = topics.imprint(workspace.spark, names, workspace.region)
    if imprint is None:
        return
    rows = [] if on_hold is None else on_hold.limit(FEW + 1).collect()
    if len(rows) > FEW:
        return
    # An exception without an aggregate holds no event and no state.
    subjects = tuple((r["aggregate"], r["subject"]) for r in rows if r["aggregate"] is not None)
    workspace.lake.check_lease()
    mark = PublicationMark(imprint=imprint, held_subjects=subjects)
    try:
        _file(workspace.lake).replace(mark.model_dump())
    except RunFailed as error:
        # All was sent; without a mark the next run compares everything.
        fields = {"run": workspace.run_id, "error": str(error)}
        _LOG.warning("mark of a publication not written", extra=fields)


def _mark(lake: Lake) -> PublicationMark | None:
    try:
        document = _file(lake).document()
        return None if document is None else PublicationMark.model_validate(document)
    except (RunFailed, ValidationError):
        # Nothing depends on it: without it, everything is compared.
        return None


def _file(lake: Lake) -> PlanFile:
    return PlanFile(
        lake.path(_FOLDER), _FILE, "the mark of a publication", "The run was published."
    )
