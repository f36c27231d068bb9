"""The names of the stages, in the order of a run."""

EXTRACT, TRANSLATE, MERGE, PROJECT, RECONCILE, REPORT = (
    "extract",
    "translate",
    "merge",
    "project",
    "reconcile",
    "report",
)
ORDER = (EXTRACT, TRANSLATE, MERGE, PROJECT, RECONCILE, REPORT)
