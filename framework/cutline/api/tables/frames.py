"""The tables of a run as DataFrames, by their contracts, with personal values masked or not."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame

from cutline.api.runs.find import ALL_CHANGES, find_tables
from cutline.api.tables.declared import masking_of
from cutline.api.tables.readable import readable
from cutline.control import RunRecord
from cutline.masking.frames import masked_table as with_masks
from cutline.project import LoadedProject
from cutline.run.past import lake_of
from cutline.spark.session import session
from cutline.tables import CONTRACTS


def table_of(
    project: LoadedProject,
    record: RunRecord,
    name: str,
    *,
    masked: bool,
    by_contract: bool = True,
) -> DataFrame:
    """A table of a run, one row per what its contract says; nothing is read of it yet.

    The tables of all changes, `changes`, have images of different shapes, which are JSON text then.
    Where not `by_contract`, its columns are those of its files, which may hold more of them.
    """
    names = find_tables(record, name)
    spark = session(project.file.spark)
    lake = lake_of(project, record)
    contracts = CONTRACTS if by_contract else {}
    frames = [lake.read(spark, contracts.get(one, one)) for one in names]
    if masked:
        hidden = masking_of(record.context)
        frames = [with_masks(frame, one, hidden) for frame, one in zip(frames, names, strict=True)]
    if name == ALL_CHANGES:
        frames = [readable(frame) for frame in frames]
    return reduce(DataFrame.unionByName, frames)
