"""What the last images mean was told: and where it was not, it is found."""

from __future__ import annotations

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.engine.announce.candidates import Lineage, candidate_events
from cutline.engine.quiescence import last_images, missing_facts
from cutline.engine.restore import ChangeFeatures
from cutline.engine.translate import translate_changes
from support.changes import change, changes_table, position, snapshot
from support.shop import OldOrder, Orders, order


def test_the_last_images_say_no_more_than_was_told(spark: SparkSession) -> None:
    n, r = order("o"), order("o", "R")
    rows = [
        snapshot(n),
        change("u", 10, before=n, after=r),
        change("u", 11, after=order("o", "R", channel=None)) | {"unknown": ["channel"]},
        change("c", 12, after=order("gone", "R")),
        change("d", 13, before=order("gone", "R")),
        change("c", 14, after=order("late", "R")),
    ]
    features = ChangeFeatures(partial=True)
    inputs = {
        OldOrder: changes_table(
            spark, OldOrder, rows, consistent_point=position(5), features=features
        )
    }
    lineage = Lineage("shop", "eu", "run", F.lit(None).cast("timestamp"))
    announced = candidate_events(translate_changes(Orders, inputs), lineage).cache()
    lost = announced.where("not (type = 'Released' and subject in ('late', 'gone'))")
    first = missing_facts(Orders, inputs, lineage, announced).withColumn("which", F.lit("all"))
    second = missing_facts(Orders, inputs, lineage, lost).withColumn("which", F.lit("lost"))
    missing = first.unionByName(second).collect()
    assert [(r["which"], r["type"], r["subject"]) for r in missing] == [
        ("lost", "Released", "late")
    ]
    last = last_images(OldOrder, inputs[OldOrder]).frame.select("op", "after.*").collect()
    assert sorted((r["op"], r["no"], r["status"], r["channel"]) for r in last) == [
        ("r", "late", "R", "web"),
        ("r", "o", "R", "web"),
    ]
