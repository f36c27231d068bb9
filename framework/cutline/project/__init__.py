"""cutline.yaml: the models of its sections, and how a project is read; free of Spark."""

from cutline.project.load import load, load_recorded, load_shared, slices
from cutline.project.loaded import LoadedProject
from cutline.project.model import ProjectFile
from cutline.project.schema import json_schema

__all__ = [
    "LoadedProject",
    "ProjectFile",
    "json_schema",
    "load",
    "load_recorded",
    "load_shared",
    "slices",
]
