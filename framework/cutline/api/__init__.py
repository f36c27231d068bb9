"""The front door in Python: everything that the command line does, as typed calls and results.

This package wires the others, and is the only one that may import all of them. Names are loaded on
first use, so that importing it loads neither Spark nor a database driver.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cutline.advice import Advice as Advice
    from cutline.advice import AdviceFigure as AdviceFigure
    from cutline.advice import AdviceReason as AdviceReason
    from cutline.advice import StrategyAdvice as StrategyAdvice
    from cutline.advice import StrategyCost as StrategyCost
    from cutline.advice import TurningAnswer as TurningAnswer
    from cutline.api.backfills import BackfillEntry as BackfillEntry
    from cutline.api.backfills import Backfills as Backfills
    from cutline.api.blocked import BlockedConsumer as BlockedConsumer
    from cutline.api.certificate import Certificate as Certificate
    from cutline.api.certificate import CertifiedObligation as CertifiedObligation
    from cutline.api.check import CheckReport as CheckReport
    from cutline.api.cleaning import CleanedRun as CleanedRun
    from cutline.api.comparison import ComparisonResult as ComparisonResult
    from cutline.api.comparison import compare as compare
    from cutline.api.coverage import MoveCoverage as MoveCoverage
    from cutline.api.coverage import SliceCoverage as SliceCoverage
    from cutline.api.coverage import ValueCoverage as ValueCoverage
    from cutline.api.cut_lines import CutLine as CutLine
    from cutline.api.cut_lines import SliceCut as SliceCut
    from cutline.api.cut_lines import SourceCut as SourceCut
    from cutline.api.demonstration import DemoResult as DemoResult
    from cutline.api.demonstration import demo as demo
    from cutline.api.event_schemas import EventSchema as EventSchema
    from cutline.api.event_schemas import EventSchemas as EventSchemas
    from cutline.api.explain import ClusterHistory as ClusterHistory
    from cutline.api.explain import SubjectHistory as SubjectHistory
    from cutline.api.explain import TableRow as TableRow
    from cutline.api.handovers import GroupHandover as GroupHandover
    from cutline.api.handovers import HandoverPartition as HandoverPartition
    from cutline.api.handovers import ServiceHandover as ServiceHandover
    from cutline.api.installed import new_context as new_context
    from cutline.api.installed import project_schema as project_schema
    from cutline.api.installed import schemas as schemas
    from cutline.api.installed import share_classes as share_classes
    from cutline.api.installed import translators as translators
    from cutline.api.metrics import Metrics as Metrics
    from cutline.api.metrics import MetricSample as MetricSample
    from cutline.api.on_servers import LiveDemoCleaned as LiveDemoCleaned
    from cutline.api.on_servers import LiveDemoResult as LiveDemoResult
    from cutline.api.on_servers import clean_live_demo as clean_live_demo
    from cutline.api.on_servers import live_demo as live_demo
    from cutline.api.project import Project as Project
    from cutline.api.quotas import ClientQuota as ClientQuota
    from cutline.api.quotas import JobQuota as JobQuota
    from cutline.api.readiness import ReadinessGate as ReadinessGate
    from cutline.api.readiness import Rehearsal as Rehearsal
    from cutline.api.readiness import ReplayRehearsal as ReplayRehearsal
    from cutline.api.readiness import SliceReadiness as SliceReadiness
    from cutline.api.rebuilding import Rebuild as Rebuild
    from cutline.api.reconsuming import GroupReconsume as GroupReconsume
    from cutline.api.reconsuming import Reconsume as Reconsume
    from cutline.api.reconsuming import ReconsumedPartition as ReconsumedPartition
    from cutline.api.repairs import RepairCheckOutcome as RepairCheckOutcome
    from cutline.api.repairs import RepairCheckpoint as RepairCheckpoint
    from cutline.api.repairs import RepairedWindow as RepairedWindow
    from cutline.api.repairs import ReversedRepair as ReversedRepair
    from cutline.api.repairs import TableRepair as TableRepair
    from cutline.api.repairs import WindowRepair as WindowRepair
    from cutline.api.replays import Replay as Replay
    from cutline.api.replays import ReplayOutcome as ReplayOutcome
    from cutline.api.reports_index import ReportsIndex as ReportsIndex
    from cutline.api.resends import Resend as Resend
    from cutline.api.resends import ResentSubjects as ResentSubjects
    from cutline.api.rollouts import FedVersion as FedVersion
    from cutline.api.rollouts import ReleaseSummary as ReleaseSummary
    from cutline.api.rollouts import RolloutLedgerEntry as RolloutLedgerEntry
    from cutline.api.rollouts import RolloutOverview as RolloutOverview
    from cutline.api.rollouts import SliceRollout as SliceRollout
    from cutline.api.run import Run as Run
    from cutline.api.run import RunCounts as RunCounts
    from cutline.api.run_comparison import RunComparison as RunComparison
    from cutline.api.runs import BreakTrend as BreakTrend
    from cutline.api.runs import RunSummary as RunSummary
    from cutline.api.runs import SliceOverview as SliceOverview
    from cutline.api.scaffolding import Scaffold as Scaffold
    from cutline.api.snapshots import Rehydration as Rehydration
    from cutline.api.snapshots import SliceSnapshot as SliceSnapshot
    from cutline.api.snapshots import SliceSnapshots as SliceSnapshots
    from cutline.api.stage_names import STAGE_NAMES as STAGE_NAMES
    from cutline.api.tables.shown import ShownRows as ShownRows
    from cutline.api.translations import FailedPlugin as FailedPlugin
    from cutline.api.translations import InstalledFact as InstalledFact
    from cutline.api.translations import InstalledTranslation as InstalledTranslation
    from cutline.api.translations import InstalledTranslations as InstalledTranslations
    from cutline.api.translations import InstalledTranslator as InstalledTranslator
    from cutline.api.triage import ExceptionDetails as ExceptionDetails
    from cutline.api.triage import ExceptionEntry as ExceptionEntry
    from cutline.api.triage import ExceptionList as ExceptionList
    from cutline.api.triage import RedrivePlan as RedrivePlan
    from cutline.api.triage import SliceTriage as SliceTriage
    from cutline.api.waivers import WaiverDraft as WaiverDraft
    from cutline.display import ResultList as ResultList
    from cutline.feed import AsideEntry as AsideEntry
    from cutline.feed import FeedStanding as FeedStanding
    from cutline.lineage import SentLineage as SentLineage
    from cutline.masking import MASK as MASK
    from cutline.profile import ColumnProfile as ColumnProfile
    from cutline.profile import NearKey as NearKey
    from cutline.profile import Statuses as Statuses
    from cutline.profile import TableProfile as TableProfile
    from cutline.project.handover import HandoverWay as HandoverWay
    from cutline.rollout import Guard as Guard
    from cutline.rollout import OnRolloutEvent as OnRolloutEvent
    from cutline.rollout import Plan as Plan
    from cutline.rollout import PlannedStep as PlannedStep
    from cutline.rollout import PlanRefused as PlanRefused
    from cutline.rollout import RolloutEvent as RolloutEvent
    from cutline.rollout.decisions import SliceDecisions as SliceDecisions
    from cutline.rollout.decisions import StrayDecision as StrayDecision
    from cutline.run.progress import Note as Note
    from cutline.run.progress import OnEvent as OnEvent
    from cutline.run.progress import RunEvent as RunEvent
    from cutline.run.progress import StageDone as StageDone
    from cutline.run.progress import StageProgress as StageProgress
    from cutline.run.progress import StageStarted as StageStarted
    from cutline_reconciliation.rebuild import Disagreement as Disagreement
    from cutline_reconciliation.rebuild import StatesAgreement as StatesAgreement

_HOMES = {
    "Advice": "cutline.advice",
    "AdviceFigure": "cutline.advice",
    "AdviceReason": "cutline.advice",
    "AsideEntry": "cutline.feed",
    "BackfillEntry": "cutline.api.backfills",
    "Backfills": "cutline.api.backfills",
    "BlockedConsumer": "cutline.api.blocked",
    "BreakTrend": "cutline.api.runs",
    "Certificate": "cutline.api.certificate",
    "CertifiedObligation": "cutline.api.certificate",
    "CheckReport": "cutline.api.check",
    "CleanedRun": "cutline.api.cleaning",
    "ClientQuota": "cutline.api.quotas",
    "ClusterHistory": "cutline.api.explain",
    "ColumnProfile": "cutline.profile",
    "ComparisonResult": "cutline.api.comparison",
    "CutLine": "cutline.api.cut_lines",
    "DemoResult": "cutline.api.demonstration",
    "EventSchema": "cutline.api.event_schemas",
    "EventSchemas": "cutline.api.event_schemas",
    "FailedPlugin": "cutline.api.translations",
    "FedVersion": "cutline.api.rollouts",
    "FeedStanding": "cutline.feed",
    "Guard": "cutline.rollout",
    "InstalledFact": "cutline.api.translations",
    "InstalledTranslation": "cutline.api.translations",
    "InstalledTranslations": "cutline.api.translations",
    "InstalledTranslator": "cutline.api.translations",
    "JobQuota": "cutline.api.quotas",
    "LiveDemoCleaned": "cutline.api.on_servers",
    "LiveDemoResult": "cutline.api.on_servers",
    "MASK": "cutline.masking",
    "MetricSample": "cutline.api.metrics",
    "Metrics": "cutline.api.metrics",
    "MoveCoverage": "cutline.api.coverage",
    "NearKey": "cutline.profile",
    "Note": "cutline.run.progress",
    "OnEvent": "cutline.run.progress",
    "OnRolloutEvent": "cutline.rollout",
    "Plan": "cutline.rollout",
    "PlanRefused": "cutline.rollout",
    "PlannedStep": "cutline.rollout",
    "Project": "cutline.api.project",
    "ReadinessGate": "cutline.api.readiness",
    "Rehearsal": "cutline.api.readiness",
    "ReplayRehearsal": "cutline.api.readiness",
    "ReleaseSummary": "cutline.api.rollouts",
    "GroupHandover": "cutline.api.handovers",
    "GroupReconsume": "cutline.api.reconsuming",
    "HandoverPartition": "cutline.api.handovers",
    "HandoverWay": "cutline.project.handover",
    "ServiceHandover": "cutline.api.handovers",
    "Rebuild": "cutline.api.rebuilding",
    "Disagreement": "cutline_reconciliation.rebuild",
    "StatesAgreement": "cutline_reconciliation.rebuild",
    "Reconsume": "cutline.api.reconsuming",
    "ReconsumedPartition": "cutline.api.reconsuming",
    "RepairCheckOutcome": "cutline.api.repairs",
    "RepairCheckpoint": "cutline.api.repairs",
    "RepairedWindow": "cutline.api.repairs",
    "ReversedRepair": "cutline.api.repairs",
    "TableRepair": "cutline.api.repairs",
    "WindowRepair": "cutline.api.repairs",
    "Replay": "cutline.api.replays",
    "ReplayOutcome": "cutline.api.replays",
    "Resend": "cutline.api.resends",
    "ResentSubjects": "cutline.api.resends",
    "ReportsIndex": "cutline.api.reports_index",
    "ResultList": "cutline.display",
    "RolloutEvent": "cutline.rollout",
    "RolloutLedgerEntry": "cutline.api.rollouts",
    "RolloutOverview": "cutline.api.rollouts",
    "Run": "cutline.api.run",
    "Rehydration": "cutline.api.snapshots",
    "RunComparison": "cutline.api.run_comparison",
    "RunCounts": "cutline.api.run",
    "RunEvent": "cutline.run.progress",
    "RunSummary": "cutline.api.runs",
    "STAGE_NAMES": "cutline.api.stage_names",
    "Scaffold": "cutline.api.scaffolding",
    "SentLineage": "cutline.lineage",
    "ShownRows": "cutline.api.tables.shown",
    "SliceCoverage": "cutline.api.coverage",
    "SliceCut": "cutline.api.cut_lines",
    "SliceDecisions": "cutline.rollout.decisions",
    "SliceOverview": "cutline.api.runs",
    "SliceReadiness": "cutline.api.readiness",
    "SliceRollout": "cutline.api.rollouts",
    "ExceptionDetails": "cutline.api.triage",
    "ExceptionEntry": "cutline.api.triage",
    "ExceptionList": "cutline.api.triage",
    "RedrivePlan": "cutline.api.triage",
    "SliceSnapshot": "cutline.api.snapshots",
    "SliceSnapshots": "cutline.api.snapshots",
    "SliceTriage": "cutline.api.triage",
    "SourceCut": "cutline.api.cut_lines",
    "StageDone": "cutline.run.progress",
    "StageProgress": "cutline.run.progress",
    "StageStarted": "cutline.run.progress",
    "Statuses": "cutline.profile",
    "StrategyAdvice": "cutline.advice",
    "StrategyCost": "cutline.advice",
    "StrayDecision": "cutline.rollout.decisions",
    "SubjectHistory": "cutline.api.explain",
    "TableProfile": "cutline.profile",
    "TableRow": "cutline.api.explain",
    "TurningAnswer": "cutline.advice",
    "ValueCoverage": "cutline.api.coverage",
    "WaiverDraft": "cutline.api.waivers",
    "clean_live_demo": "cutline.api.on_servers",
    "compare": "cutline.api.comparison",
    "demo": "cutline.api.demonstration",
    "live_demo": "cutline.api.on_servers",
    "new_context": "cutline.api.installed",
    "project_schema": "cutline.api.installed",
    "schemas": "cutline.api.installed",
    "share_classes": "cutline.api.installed",
    "translators": "cutline.api.installed",
}
"""The module of each name."""

__all__ = [*_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
