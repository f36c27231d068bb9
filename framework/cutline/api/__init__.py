"""The front door in Python: what the command line does, as typed calls and results.

It wires: the only place that knows everyone. Importing it loads no Spark.
"""

from cutline.api.check import CheckReport
from cutline.api.demonstration import DemoResult, demo
from cutline.api.project import Project
from cutline.api.run import Run, RunCounts
from cutline.results import ORDER as STAGE_NAMES
from cutline.run.progress import OnEvent, RunEvent, RunNote, StageDone, StageStarted

__all__ = [
    "STAGE_NAMES",
    "CheckReport",
    "DemoResult",
    "OnEvent",
    "Project",
    "Run",
    "RunCounts",
    "RunEvent",
    "RunNote",
    "StageDone",
    "StageStarted",
    "demo",
]
