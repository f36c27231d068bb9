"""A re-drive gives what its exceptions reach the rows of a whole run, and leaves all else alone."""

from __future__ import annotations

import dataclasses
import datetime as dt
from pathlib import Path

import pyspark.sql.types as T
import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from cutline.api.stages import ADVANCE_STAGES
from cutline.context import count
from cutline.errors import ConfigurationError
from cutline.results import StageResult
from cutline.spark.no_rows import no_rows
from cutline.stage import Stage
from cutline.stages.redrive import ExceptionSelection, redrive_stages
from cutline.stages.redrive.shapes import refuse_other_shapes
from cutline.stages.redrive.translate import refuse_redrive
from cutline.tables import EXCEPTION_HISTORY, EXCEPTIONS
from cutline.translator import Translation, column, in_commit, part, reject, table
from cutline.workspace import Workspace
from cutline_reconciliation.history.identity import with_exception_id
from cutline_reconciliation.history.lifecycle import RunStamp, history
from support import repairs
from support.advanced import GrowingSlice, differences
from support.repairs import REPAIRS, TICKET, Drawn, Item, Opened, Tickets

pytestmark = pytest.mark.usefixtures("sorted_out")
COMMITS = 300
DOUBTS = ExceptionSelection(rules=("no-note",))
OF_A_VERSION = {"migtranslator", "migtranslatorver", "translator"}


class Doubting(Tickets):
    """Who knows what a ticket of some customers without a note means?"""

    version = "1.0.0"

    @reject("no-note")
    def without_note(self, row):
        """These customers always write what is to be done."""
        return row.ticket.note.isNull() & (row.ticket.customer % 8 == 3)


class Knowing(Tickets):
    """Somebody asked: it means nothing, and a ticket that is done says so by its state."""

    version = "1.1.0"


class Rethinking(Tickets):
    """The same, where events mean something else than before."""

    version = "2.0.0"


class Looking(Tickets):
    """It asks what else a commit did, so that no key leads to all that a row depends on."""

    version = "1.1.0"
    items = in_commit(Item, subject="ticket", sums="pieces")


class HeavierItem(Item):
    """An item with its weight."""

    grams: T.IntegerType = column(doc="grams", nullable=True)

    class Config:
        """Where the rows come from."""

        metadata = table("shop", "item", key=["id"])


class Heavier(Knowing):
    """It reads what weighs how much."""

    item = part(HeavierItem, subject="ticket", required=False)


def translation_of(translator: type[Tickets]) -> Translation:
    return Translation("repairs", translator.version, REPAIRS, (translator,))


def write_exception_history(workspace: Workspace) -> StageResult:
    """What reconciliation would remember of the exceptions of a first run."""
    spark, lake = workspace.spark, workspace.lake
    named = with_exception_id(lake.read(spark, EXCEPTIONS), workspace.context.name, "all")
    stamp = RunStamp(workspace.run_id, dt.datetime(2026, 11, 2, tzinfo=dt.UTC))
    rows = history(named, no_rows(spark, EXCEPTION_HISTORY.ddl), stamp)
    return StageResult(rows_in=0, rows_out=0, tables=(lake.write(rows, EXCEPTION_HISTORY).table,))


DOUBTED = (*ADVANCE_STAGES[:4], Stage("reconcile", write_exception_history))


@pytest.fixture(scope="module")
def lines() -> dict[str, list[str]]:
    """A history of so many tickets that not all of them hang together."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repairs, "KEYS", 120)
        return Drawn(7, COMMITS).lines


@pytest.fixture(scope="module")
def doubted(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, lines: dict[str, list[str]]
) -> GrowingSlice:
    """A slice after a run of the version that doubts, with all but the last tenth of its log."""
    slice_ = GrowingSlice(spark, tmp_path_factory.mktemp("redriven"), translation_of(Doubting))
    slice_.grow(first_part(lines))
    slice_.run(DOUBTED)
    return slice_


def first_part(lines: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: log[: int(len(log) * 0.9)] for name, log in lines.items()}


def going_on(slice_: GrowingSlice, translator: type[Tickets]) -> GrowingSlice:
    """The slice after its first run, with another version of its translator."""
    continued = GrowingSlice(slice_.spark, slice_.folder, translation_of(translator))
    continued.runs, continued.prefix = slice_.runs[:1], translator.__name__.lower()
    return continued


def rows(frame: DataFrame, *columns: str) -> list[Row]:
    return sorted(frame.select(*columns).collect(), key=str)


def is_of(subjects: DataFrame) -> DataFrame:
    return subjects.select("aggregate", "subject").distinct()


def test_a_redrive_is_a_whole_run_of_the_new_version(
    spark: SparkSession, tmp_path: Path, doubted: GrowingSlice, lines: dict[str, list[str]]
) -> None:
    slice_ = going_on(doubted, Knowing)
    slice_.grow(first_part(lines))
    redriven = slice_.run(redrive_stages(DOUBTS))
    whole = GrowingSlice(spark, tmp_path, translation_of(Knowing))
    whole.grow(first_part(lines))
    every = whole.run(ADVANCE_STAGES[:4])
    assert differences(spark, redriven, every, but=OF_A_VERSION) == {}
    # Rows that no exception reaches were left alone.
    versions = redriven.lake.read(spark, "timeline").groupBy("migtranslatorver").count()
    assert {row["migtranslatorver"] for row in versions.collect()} == {"1.0.0", "1.1.0"}
    # Ids of one major are the same, so nothing is superseded.
    assert redriven.lake.read(spark, "timeline").where("migsupersedes IS NOT NULL").isEmpty()


@pytest.mark.soak
def test_another_major_supersedes_what_it_tells_anew_and_goes_on_so(
    spark: SparkSession, doubted: GrowingSlice, lines: dict[str, list[str]]
) -> None:
    slice_ = going_on(doubted, Rethinking)
    slice_.grow(first_part(lines))
    base, redriven = slice_.runs[0], slice_.run(redrive_stages(DOUBTS))
    before, after = (run.lake.read(spark, "timeline") for run in (base, redriven))
    new = after.where("migtranslatorver = '2.0.0'")
    ids = {row["migfactkey"]: row["id"] for row in rows(before, "migfactkey", "id")}
    superseding = {
        r["migfactkey"]: r["migsupersedes"] for r in rows(new, "migfactkey", "migsupersedes")
    }
    assert superseding == {fact: ids.get(fact) for fact in superseding}
    assert 0 < sum(earlier is not None for earlier in superseding.values()) < len(superseding)
    # What was not told anew stands as it did.
    untouched = before.join(is_of(new), ["aggregate", "subject"], "left_anti")
    assert rows(untouched, "id", "data", "time") == rows(
        after.where("migtranslatorver = '1.0.0'"), "id", "data", "time"
    )
    slice_.grow(lines)
    advanced = slice_.run(ADVANCE_STAGES[:4]).lake.read(spark, "timeline")
    assert slice_.notes == []
    retained = advanced.join(new.select("id"), "id", "left_semi")
    assert retained.count() > 0.8 * len(superseding)
    later = {
        r["migfactkey"]: r["migsupersedes"] for r in rows(retained, "migfactkey", "migsupersedes")
    }
    assert later == {fact: superseding[fact] for fact in later}


def test_one_exception_takes_its_subject_along_and_nobody_else(
    spark: SparkSession, doubted: GrowingSlice
) -> None:
    slice_ = going_on(doubted, Knowing)
    base = slice_.runs[0]
    open_before = base.lake.read(spark, "exception_history").where("rule = 'no-note'")
    chosen = open_before.orderBy("id").first()
    assert chosen is not None
    wanted = ExceptionSelection(ids=(chosen["id"],))
    redriven = slice_.run(redrive_stages(wanted))
    rest = redriven.lake.read(spark, "exceptions").where("rule = 'no-note'")
    before = rows(open_before, "source", "table", "key")
    left = rows(rest.distinct(), "source", "table", "key")
    assert (chosen["source"], chosen["table"], chosen["key"]) not in left
    assert 0 < len(set(left)) < len(set(before))
    assert set(left) <= set(before)
    discarded = ExceptionSelection(discarded=tuple(r["id"] for r in open_before.collect()))
    assert discarded.exceptions(spark, base).where("rule = 'no-note'").isEmpty()


def test_columns_that_the_base_does_not_hold_are_refused(
    spark: SparkSession, doubted: GrowingSlice
) -> None:
    base = doubted.runs[0]
    refuse_other_shapes(spark, base, translation_of(Knowing))
    with pytest.raises(ConfigurationError, match=r"shop\.item has other columns .*\(in .*after"):
        refuse_other_shapes(spark, base, translation_of(Heavier))
    counting = dataclasses.replace(TICKET, state={**TICKET.state, "openings": count(Opened)})
    context = dataclasses.replace(REPAIRS, aggregates=(counting,))
    more = dataclasses.replace(
        translation_of(Knowing),
        context=context,
        translators=(type("T", (Knowing,), {"context": context}),),
    )
    with pytest.raises(ConfigurationError, match=r"state of ticket .*\(in openings\)"):
        refuse_other_shapes(spark, base, more)


def test_what_no_key_leads_to_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="cannot be re-driven by themselves"):
        refuse_redrive(translation_of(Looking))
