"""Cutline: moves a bounded context off a legacy system without lying about its history.

```python
project = cutline.Project.open("retail")
run = project.run("fulfilment", region="eu-west", on_event=print)
```

What it offers is loaded when it is first used: `import cutline` loads no Spark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutline.version import __version__

if TYPE_CHECKING:
    from cutline.api import MASK as MASK
    from cutline.api import STAGE_NAMES as STAGE_NAMES
    from cutline.api import Advice as Advice
    from cutline.api import AdviceFigure as AdviceFigure
    from cutline.api import AdviceReason as AdviceReason
    from cutline.api import AsideEntry as AsideEntry
    from cutline.api import BackfillEntry as BackfillEntry
    from cutline.api import Backfills as Backfills
    from cutline.api import BlockedConsumer as BlockedConsumer
    from cutline.api import BreakTrend as BreakTrend
    from cutline.api import Certificate as Certificate
    from cutline.api import CertifiedObligation as CertifiedObligation
    from cutline.api import CheckReport as CheckReport
    from cutline.api import CleanedRun as CleanedRun
    from cutline.api import ClientQuota as ClientQuota
    from cutline.api import ClusterHistory as ClusterHistory
    from cutline.api import ColumnProfile as ColumnProfile
    from cutline.api import ComparisonResult as ComparisonResult
    from cutline.api import CutLine as CutLine
    from cutline.api import DemoResult as DemoResult
    from cutline.api import Disagreement as Disagreement
    from cutline.api import EventSchema as EventSchema
    from cutline.api import EventSchemas as EventSchemas
    from cutline.api import ExceptionDetails as ExceptionDetails
    from cutline.api import ExceptionEntry as ExceptionEntry
    from cutline.api import ExceptionList as ExceptionList
    from cutline.api import FailedPlugin as FailedPlugin
    from cutline.api import FedVersion as FedVersion
    from cutline.api import FeedStanding as FeedStanding
    from cutline.api import GroupHandover as GroupHandover
    from cutline.api import GroupReconsume as GroupReconsume
    from cutline.api import Guard as Guard
    from cutline.api import HandoverPartition as HandoverPartition
    from cutline.api import HandoverWay as HandoverWay
    from cutline.api import InstalledFact as InstalledFact
    from cutline.api import InstalledTranslation as InstalledTranslation
    from cutline.api import InstalledTranslations as InstalledTranslations
    from cutline.api import InstalledTranslator as InstalledTranslator
    from cutline.api import JobQuota as JobQuota
    from cutline.api import LiveDemoCleaned as LiveDemoCleaned
    from cutline.api import LiveDemoResult as LiveDemoResult
    from cutline.api import Metrics as Metrics
    from cutline.api import MetricSample as MetricSample
    from cutline.api import MoveCoverage as MoveCoverage
    from cutline.api import NearKey as NearKey
    from cutline.api import Note as Note
    from cutline.api import OnEvent as OnEvent
    from cutline.api import OnRolloutEvent as OnRolloutEvent
    from cutline.api import Plan as Plan
    from cutline.api import PlannedStep as PlannedStep
    from cutline.api import PlanRefused as PlanRefused
    from cutline.api import Project as Project
    from cutline.api import ReadinessGate as ReadinessGate
    from cutline.api import Rebuild as Rebuild
    from cutline.api import Reconsume as Reconsume
    from cutline.api import ReconsumedPartition as ReconsumedPartition
    from cutline.api import RedrivePlan as RedrivePlan
    from cutline.api import Rehearsal as Rehearsal
    from cutline.api import Rehydration as Rehydration
    from cutline.api import ReleaseSummary as ReleaseSummary
    from cutline.api import RepairCheckOutcome as RepairCheckOutcome
    from cutline.api import RepairCheckpoint as RepairCheckpoint
    from cutline.api import RepairedWindow as RepairedWindow
    from cutline.api import Replay as Replay
    from cutline.api import ReplayOutcome as ReplayOutcome
    from cutline.api import ReplayRehearsal as ReplayRehearsal
    from cutline.api import ReportsIndex as ReportsIndex
    from cutline.api import Resend as Resend
    from cutline.api import ResentSubjects as ResentSubjects
    from cutline.api import ResultList as ResultList
    from cutline.api import ReversedRepair as ReversedRepair
    from cutline.api import RolloutEvent as RolloutEvent
    from cutline.api import RolloutLedgerEntry as RolloutLedgerEntry
    from cutline.api import RolloutOverview as RolloutOverview
    from cutline.api import Run as Run
    from cutline.api import RunComparison as RunComparison
    from cutline.api import RunCounts as RunCounts
    from cutline.api import RunEvent as RunEvent
    from cutline.api import RunSummary as RunSummary
    from cutline.api import Scaffold as Scaffold
    from cutline.api import SentLineage as SentLineage
    from cutline.api import ServiceHandover as ServiceHandover
    from cutline.api import ShownRows as ShownRows
    from cutline.api import SliceCoverage as SliceCoverage
    from cutline.api import SliceCut as SliceCut
    from cutline.api import SliceDecisions as SliceDecisions
    from cutline.api import SliceOverview as SliceOverview
    from cutline.api import SliceReadiness as SliceReadiness
    from cutline.api import SliceRollout as SliceRollout
    from cutline.api import SliceSnapshot as SliceSnapshot
    from cutline.api import SliceSnapshots as SliceSnapshots
    from cutline.api import SliceTriage as SliceTriage
    from cutline.api import SourceCut as SourceCut
    from cutline.api import StageDone as StageDone
    from cutline.api import StageProgress as StageProgress
    from cutline.api import StageStarted as StageStarted
    from cutline.api import StatesAgreement as StatesAgreement
    from cutline.api import Statuses as Statuses
    from cutline.api import StrategyAdvice as StrategyAdvice
    from cutline.api import StrategyCost as StrategyCost
    from cutline.api import StrayDecision as StrayDecision
    from cutline.api import SubjectHistory as SubjectHistory
    from cutline.api import TableProfile as TableProfile
    from cutline.api import TableRepair as TableRepair
    from cutline.api import TableRow as TableRow
    from cutline.api import TurningAnswer as TurningAnswer
    from cutline.api import ValueCoverage as ValueCoverage
    from cutline.api import WaiverDraft as WaiverDraft
    from cutline.api import WindowRepair as WindowRepair
    from cutline.api import clean_live_demo as clean_live_demo
    from cutline.api import compare as compare
    from cutline.api import demo as demo
    from cutline.api import live_demo as live_demo
    from cutline.api import new_context as new_context
    from cutline.api import project_schema as project_schema
    from cutline.api import schemas as schemas
    from cutline.api import share_classes as share_classes
    from cutline.api import translators as translators
    from cutline.errors import ConfigurationError as ConfigurationError
    from cutline.errors import CutlineError as CutlineError
    from cutline.errors import RunFailed as RunFailed

_ERRORS = ("ConfigurationError", "CutlineError", "RunFailed")

__all__ = [
    "MASK",
    "STAGE_NAMES",
    "Advice",
    "AdviceFigure",
    "AdviceReason",
    "AsideEntry",
    "BackfillEntry",
    "Backfills",
    "BlockedConsumer",
    "BreakTrend",
    "Certificate",
    "CertifiedObligation",
    "CheckReport",
    "CleanedRun",
    "ClientQuota",
    "ClusterHistory",
    "ColumnProfile",
    "ComparisonResult",
    "ConfigurationError",
    "CutLine",
    "CutlineError",
    "DemoResult",
    "Disagreement",
    "EventSchema",
    "EventSchemas",
    "ExceptionDetails",
    "ExceptionEntry",
    "ExceptionList",
    "FailedPlugin",
    "FedVersion",
    "FeedStanding",
    "GroupHandover",
    "GroupReconsume",
    "Guard",
    "HandoverPartition",
    "HandoverWay",
    "InstalledFact",
    "InstalledTranslation",
    "InstalledTranslations",
    "InstalledTranslator",
    "JobQuota",
    "LiveDemoCleaned",
    "LiveDemoResult",
    "MetricSample",
    "Metrics",
    "MoveCoverage",
    "NearKey",
    "Note",
    "OnEvent",
    "OnRolloutEvent",
    "Plan",
    "PlanRefused",
    "PlannedStep",
    "Project",
    "ReadinessGate",
    "Rebuild",
    "Reconsume",
    "ReconsumedPartition",
    "RedrivePlan",
    "Rehearsal",
    "Rehydration",
    "ReleaseSummary",
    "RepairCheckOutcome",
    "RepairCheckpoint",
    "RepairedWindow",
    "Replay",
    "ReplayOutcome",
    "ReplayRehearsal",
    "ReportsIndex",
    "Resend",
    "ResentSubjects",
    "ResultList",
    "ReversedRepair",
    "RolloutEvent",
    "RolloutLedgerEntry",
    "RolloutOverview",
    "Run",
    "RunComparison",
    "RunCounts",
    "RunEvent",
    "RunFailed",
    "RunSummary",
    "Scaffold",
    "SentLineage",
    "ServiceHandover",
    "ShownRows",
    "SliceCoverage",
    "SliceCut",
    "SliceDecisions",
    "SliceOverview",
    "SliceReadiness",
    "SliceRollout",
    "SliceSnapshot",
    "SliceSnapshots",
    "SliceTriage",
    "SourceCut",
    "StageDone",
    "StageProgress",
    "StageStarted",
    "StatesAgreement",
    "Statuses",
    "StrategyAdvice",
    "StrategyCost",
    "StrayDecision",
    "SubjectHistory",
    "TableProfile",
    "TableRepair",
    "TableRow",
    "TurningAnswer",
    "ValueCoverage",
    "WaiverDraft",
    "WindowRepair",
    "__version__",
    "clean_live_demo",
    "compare",
    "demo",
    "live_demo",
    "new_context",
    "project_schema",
    "schemas",
    "share_classes",
    "translators",
]


def __getattr__(name: str) -> object:
    # A module of the package that is not loaded yet has a name that is not among these.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _ERRORS:
        from cutline import errors

        return getattr(errors, name)
    from cutline import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted(__all__)
