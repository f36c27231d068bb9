"""The feed of a version whose rows are no projection of the run whose history it is fed with."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.readmodels.states import states_of
from support.fed import FedDesk, historic, ordered, paid, withdrawn


def test_an_event_that_does_not_count_leaves_a_row_that_none_wrote(
    spark: SparkSession, tmp_path: Path
) -> None:
    desk = FedDesk(spark, tmp_path, [historic(ordered("h1", 1, "o1"))])
    of_run = desk.lake.read(spark, "state_order")
    states = of_run.unionByName(of_run.withColumn("subject", F.lit("newer")))
    rows = {"order": states_of(states, "state_order")}
    desk.version = desk.model().build_states(rows, 2, "rebuild-1")
    desk.model().point(desk.version)
    before = desk.shown()
    assert before["newer"] == before["o1"]
    # It waits for the order, which the run does not have.
    desk.append_records(paid("p1", 5, "newer", 3))
    assert (desk.feed().ended, desk.shown()) == (0, before)
    state = desk.model().feed_state(2)
    assert state is not None
    assert state.run_id == "run-1"
    desk.append_records(ordered("n1", 4, "newer", 700))
    desk.feed()
    assert desk.shown() == before | {"newer": ("paid", 700, 3, 2)}
    desk.append_records(withdrawn("w1", 9, "newer"), withdrawn("w2", 9, "o1"))
    assert (desk.feed().ended, desk.shown()) == (2, {})
    assert desk.model().verify(desk.version) == ()
