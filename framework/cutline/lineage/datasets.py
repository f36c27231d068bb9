"""Which datasets a run and each of its stages read and write."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from cutline.context import state_name
from cutline.lake.manifest import details_of
from cutline.lake.written import TableWritten
from cutline.lineage.facets import Json, facet, schema_facet
from cutline.lineage.names import (
    DatasetName,
    mysql_name,
    path_name,
    postgres_name,
    sqlite_name,
    topic_name,
)
from cutline.project.source import MysqlSource, PostgresSource, SqliteSource
from cutline.project.topics import KafkaTopicsSection
from cutline.results import (
    MERGE,
    PROJECT,
    RECONCILE,
    REPORT,
    TRANSLATE,
    ExtractResult,
    ReconcileResult,
    ReportResult,
    StageResult,
)
from cutline.sources.used_tables import UsedSource, UsedTable, used_sources
from cutline.tables import CONTRACTS
from cutline.topics.names import live
from cutline.workspace import Workspace

READ: Mapping[str, tuple[str, ...]] = {
    TRANSLATE: ("changes_",),
    MERGE: ("events", "dispositions"),
    PROJECT: ("timeline",),
    RECONCILE: ("changes_", "dispositions", "exceptions", "refused", "state_", "timeline"),
    REPORT: (
        *("breaks", "clusters", "dispositions", "exceptions", "excuses", "facts_", "findings"),
        *("outcomes", "state_", "timeline", "tombstones", "trend"),
    ),
}
"""By stage, the tables of the stages before it that it reads; `state_` stands for all of these."""


def source_datasets(workspace: Workspace) -> list[Json]:
    """The tables, change files and topics that a run reads; row counts once they are known."""
    extract = workspace.done.get(ExtractResult.stage)
    counts = extract.extracts if isinstance(extract, ExtractResult) else {}
    datasets = []
    for source in used_sources(workspace.project, workspace.translation, workspace.region):
        read = counts[source.name].read if source.name in counts else {}
        for table in source.tables:
            name = _table_name(workspace, source, table)
            if name is not None:
                rows = sum(account.rows for account in read[table.name]) if read else None
                datasets.append(_input(name, source.name, table, rows))
        datasets += [_plain(name, source.name) for name in _change_names(workspace, source)]
    return datasets


def live_datasets(workspace: Workspace) -> list[Json]:
    """The topics of live events that the merge reads."""
    topics, context = workspace.project.file.topics, workspace.context.name
    section = workspace.project.file.contexts[context].live
    reading = section.kafka or (topics.kafka if isinstance(topics, KafkaTopicsSection) else None)
    datasets = []
    for aggregate in section.aggregates:
        topic = live(topics.prefix, context, aggregate)
        if reading is None:
            name = _of_topic(workspace, topic)
        else:
            declared = (section.records or {}).get(aggregate)
            name = topic_name(reading.bootstrap, (declared and declared.topic) or topic)
        datasets.append(_dataset(name))
    return datasets


def inputs_of_stage(workspace: Workspace, stage: str) -> list[Json]:
    """The datasets that a stage reads."""
    if stage == ExtractResult.stage:
        return source_datasets(workspace)
    before = _chosen(_tables(workspace.done, before=stage), READ.get(stage, ()))
    datasets = [table_dataset(workspace, table) for table in before]
    return datasets + (live_datasets(workspace) if stage == MERGE else [])


def outputs_of_stage(workspace: Workspace, result: StageResult) -> list[Json]:
    """The tables that a stage wrote, and the topics that it published to."""
    datasets = [table_dataset(workspace, table) for table in result.tables]
    for dataset, table in zip(datasets, result.tables, strict=True):
        dataset["outputFacets"] = {"outputStatistics": _written(table.rows)}
    return datasets + (_published(workspace, result) if isinstance(result, ReportResult) else [])


def with_assertions(datasets: Iterable[Json], workspace: Workspace) -> list[Json]:
    """The datasets, those that gates of reconciliation are on with what the gates say.

    These are gates on an aggregate, an outcome or a rule of exceptions; a gate on a whole level is
    on no single dataset, and among the tests of the run only.
    """
    result = workspace.done.get(RECONCILE)
    if not isinstance(result, ReconcileResult):
        return list(datasets)
    assertions: dict[str, list[Json]] = {}
    of_outcome = {o.name: o.aggregate for o in workspace.context.outcomes}
    aggregates = {a.name for a in workspace.context.aggregates}
    for gate in result.gates:
        subject = gate.subject.partition(":")[0]
        aggregate = of_outcome.get(subject, subject)
        if gate.kind == "exceptions":
            table = "exceptions"
        elif aggregate in aggregates:
            table = state_name(aggregate)
        else:
            continue
        verdict = {"assertion": gate.kind, "success": gate.passed, "name": gate.name}
        assertions.setdefault(table, []).append(verdict | {"severity": "error"})
    named = {_table_dataset_name(workspace, table): a for table, a in assertions.items()}
    for dataset in datasets:
        stated = named.get(DatasetName(dataset["namespace"], dataset["name"]))
        if stated:
            statement = facet("DataQualityAssertionsDatasetFacet", {"assertions": stated})
            dataset["inputFacets"] = {"dataQualityAssertions": statement}
    return list(datasets)


def table_dataset(workspace: Workspace, table: TableWritten) -> Json:
    """A table of the lake: one dataset for all runs of the slice, whose version is the run."""
    dataset = _dataset(_table_dataset_name(workspace, table.name))
    version = facet("DatasetVersionDatasetFacet", {"datasetVersion": workspace.run_id})
    dataset["facets"] = {"version": version}
    if columns := _columns(workspace, table.name):
        dataset["facets"]["schema"] = schema_facet(columns)
    return dataset


def _table_dataset_name(workspace: Workspace, table: str) -> DatasetName:
    slice_folder = workspace.lake.root.rstrip("/").rpartition("/")[0]
    return path_name(f"{slice_folder}/{table}")


def _tables(done: Mapping[str, StageResult], before: str) -> Iterator[TableWritten]:
    for name, result in done.items():
        if name == before:
            return
        yield from result.tables


def _chosen(tables: Iterable[TableWritten], read: Collection[str]) -> Iterator[TableWritten]:
    families = tuple(name for name in read if name.endswith("_"))
    return (t for t in tables if t.name in read or t.name.startswith(families))


def _table_name(workspace: Workspace, source: UsedSource, table: UsedTable) -> DatasetName | None:
    """The dataset of a source's table; null where there is none beside the changes."""
    section = source.section
    if isinstance(section, PostgresSource):
        return postgres_name(section.url, section.schema_name, table.database_name)
    if isinstance(section, MysqlSource):
        return mysql_name(section.url, table.database_name)
    path = getattr(section, "path", None)
    if path is None:
        return None
    place = workspace.project.path(path)
    if isinstance(section, SqliteSource):
        return sqlite_name(place, table.database_name)
    return path_name(f"{place.rstrip('/')}/{table.section.path or table.name}")


def _change_names(workspace: Workspace, source: UsedSource) -> list[DatasetName]:
    changes = source.section.changes
    if changes is None:
        return []
    if changes.path is not None:
        return [path_name(workspace.project.path(changes.path))]
    assert changes.kafka is not None
    return [topic_name(changes.kafka.bootstrap, topic) for topic in changes.topic_names]


def _published(workspace: Workspace, result: ReportResult) -> list[Json]:
    datasets = []
    for topic, records in sorted(result.published.items()):
        dataset = _dataset(_of_topic(workspace, topic))
        dataset["outputFacets"] = {"outputStatistics": _written(records)}
        datasets.append(dataset)
    return datasets


def _of_topic(workspace: Workspace, topic: str) -> DatasetName:
    section = workspace.project.file.topics
    if isinstance(section, KafkaTopicsSection):
        return topic_name(section.kafka.bootstrap, topic)
    return path_name(f"{workspace.project.path(section.path).rstrip('/')}/{topic}")


def _input(name: DatasetName, source: str, table: UsedTable, rows: int | None) -> Json:
    dataset = _plain(name, source)
    dataset["facets"]["schema"] = schema_facet(table.columns.items())
    if rows is not None:
        statistics = facet("InputStatisticsInputDatasetFacet", {"rowCount": rows})
        dataset["inputFacets"] = {"inputStatistics": statistics}
    return dataset


def _plain(name: DatasetName, source: str) -> Json:
    dataset = _dataset(name)
    dataset["facets"] = {"dataSource": facet("DatasourceDatasetFacet", {"name": source})}
    return dataset


def _dataset(name: DatasetName) -> Json:
    return {"namespace": name.namespace, "name": name.name}


def _written(rows: int) -> Json:
    return facet("OutputStatisticsOutputDatasetFacet", {"rowCount": rows})


def _columns(workspace: Workspace, table: str) -> list[tuple[str, str]]:
    """The columns of a table by its contract; of one whose columns the slice decides by its
    manifest, none where that is gone."""
    if table in CONTRACTS:
        return [(column.name, column.type) for column in CONTRACTS[table].columns]
    fields = details_of(workspace.lake.path(table)).get("schema", {}).get("fields", ())
    return [(field["name"], _type_text(field["type"])) for field in fields]


def _type_text(type: object) -> str:
    """A column's type as a manifest keeps it: a word, or what a nested type is."""
    return str(type["type"]) if isinstance(type, dict) else str(type)
