"""Facets of OpenLineage's own, as JSON, each with the schema that it is written by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cutline.version import __version__

Json = dict[str, Any]

PRODUCER = f"urn:cutline:{__version__}"
_SPEC = "https://openlineage.io/spec"
EVENT_SCHEMA = f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent"
_VERSIONS = {
    "DataQualityAssertionsDatasetFacet": "1-1-0",
    "DatasetVersionDatasetFacet": "1-0-1",
    "DatasourceDatasetFacet": "1-0-1",
    "DocumentationJobFacet": "1-1-0",
    "ErrorMessageRunFacet": "1-0-1",
    "InputStatisticsInputDatasetFacet": "1-0-0",
    "JobTypeJobFacet": "2-0-4",
    "OutputStatisticsOutputDatasetFacet": "1-0-2",
    "ParentRunFacet": "1-2-0",
    "ProcessingEngineRunFacet": "1-1-1",
    "SchemaDatasetFacet": "1-2-0",
    "TagsRunFacet": "1-0-0",
    "TestRunFacet": "1-0-1",
}


def facet(schema: str, content: Mapping[str, Any]) -> Json:
    """A facet with its producer and the address of its schema."""
    address = f"{_SPEC}/facets/{_VERSIONS[schema]}/{schema}.json#/$defs/{schema}"
    return {"_producer": PRODUCER, "_schemaURL": address, **content}


def schema_facet(fields: Iterable[tuple[str, str]]) -> Json:
    """The columns of a dataset with their types, in order."""
    columns = [{"name": name, "type": type} for name, type in fields]
    return facet("SchemaDatasetFacet", {"fields": columns})


def tags_facet(tags: Mapping[str, str | None]) -> Json:
    """Tags of a run; those that are null are left out."""
    entries = [
        {"key": key, "value": value, "source": "CUTLINE"}
        for key, value in tags.items()
        if value is not None
    ]
    return facet("TagsRunFacet", {"tags": entries})


def job_facets(job_type: str, description: str) -> dict[str, Json]:
    """What kind of work a job is."""
    kind = {"processingType": "BATCH", "integration": "CUTLINE", "jobType": job_type}
    return {
        "jobType": facet("JobTypeJobFacet", kind),
        "documentation": facet("DocumentationJobFacet", {"description": description}),
    }


def engine_facet(version: str) -> Json:
    """Spark, which does the work, and the version of Cutline."""
    engine = {"name": "Spark", "version": version, "openlineageAdapterVersion": __version__}
    return facet("ProcessingEngineRunFacet", engine)


def error_facet(message: str) -> Json:
    """Why a run or a stage ended before it was complete."""
    content = {"message": message, "programmingLanguage": "PYTHON"}
    return facet("ErrorMessageRunFacet", content)
