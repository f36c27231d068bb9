"""The summary: the deciding gate and its causes, in a few sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from cutline.tables.breaks import OUTCOME, STATE
from cutline_reports.model import CAP, BreakGroup, ExceptionGroup, GateRow, RunReport
from cutline_reports.rates import count_text, decimal_text, part_text, share_text
from cutline_reports.texts import anchor, words

_MOST = 4


@dataclass(frozen=True)
class Point:
    """One sentence of the summary, and the anchor of its evidence in the page."""

    lead: str
    text: str
    href: str


def summary(report: RunReport) -> tuple[Point, ...]:
    """For NO-GO the largest difference of each failed gate; for GO what was accepted."""
    points = _accepted(report) if report.decision.go else _failed(report)
    return tuple(points)[:_MOST]


def break_anchor(group: BreakGroup) -> str:
    """The id of a group of breaks in the page."""
    return anchor("break", group.level, group.name, group.column, group.kind)


def exception_anchor(group: ExceptionGroup) -> str:
    """The id of a rule's exceptions in the page."""
    return anchor("exception", group.level, group.rule)


def _failed(report: RunReport) -> Iterator[Point]:
    failed = [g for g in report.decision.gates if not g.passed]
    for gate in sorted(failed, key=lambda g: not g.decided):
        groups_of_gate = _breaks_of(gate, report.breaks)
        if groups_of_gate:
            yield _break_point(
                report, max(groups_of_gate, key=lambda g: g.count), _question(report, gate)
            )
        for exceptions in report.exceptions:
            if gate.kind == CAP and exceptions.rule == gate.target:
                yield _exception_point(exceptions)
    failed_levels = {g.level for g in failed}
    for level in report.levels:
        # Breaks of a level that passed are often the cause of another level's failure.
        groups = [g for g in report.breaks if g.level == level.name == STATE]
        if failed_levels and level.name not in failed_levels and groups:
            point = _break_point(report, max(groups, key=lambda g: g.count), "")
            yield replace(point, text=f"At {level.name} level, whose gate passed: {point.text}")


def _question(report: RunReport, gate: GateRow) -> str:
    """The business question of an outcome's gate; empty where the deciding gate has shown it."""
    if gate.decided:
        return ""
    rows = (row for level in report.levels if level.name == gate.level for row in level.rows)
    return next((row.question for row in rows if row.name == gate.target), "")


def _breaks_of(gate: GateRow, groups: Iterable[BreakGroup]) -> list[BreakGroup]:
    return [
        g for g in groups if g.level == gate.level and (not gate.target or g.name == gate.target)
    ]


def _break_point(report: RunReport, group: BreakGroup, question: str) -> Point:
    # The only value of an outcome is the decision itself.
    named = group.column is not None and group.level != OUTCOME
    lead = f"{words(group.name)}: {words(group.column or '')}" if named else words(group.name)
    text = f"{question} " if question else ""
    text += f"{count_text(group.count)} {_KINDS.get(group.kind, words(group.kind))}."
    if group.pairs and group.pairs[0].legacy is not None and group.pairs[0].new is not None:
        pair = group.pairs[0]
        text += (
            f" Most often the legacy says “{pair.legacy}” and the new side says “{pair.new}”"
            f" ({count_text(pair.count)})."
        )
    if group.amount:
        amount = decimal_text(group.amount, signed=True)
        text += f" Together {amount}{' ' + group.unit if group.unit else ''}."
    return Point(lead, text + _cause(report, group), "#" + break_anchor(group))


def _cause(report: RunReport, group: BreakGroup) -> str:
    """The cause of the group's largest cluster; empty where it is unknown."""
    of_group = (group.level, group.name, group.column, group.kind)
    for cluster in report.clusters.shown:
        if (cluster.level, cluster.name, cluster.column, cluster.kind) == of_group:
            if cluster.cause is None:
                return ""
            whole = cluster.count == group.count
            return f" {cluster.why}" if whole else f" In the largest cluster: {cluster.why}"
    return ""


_KINDS = {
    "missing": "are missing on the new side",
    "unexpected": "are only on the new side",
    "different": "differ",
    "duplicated": "are there more than once",
}


def _exception_point(group: ExceptionGroup) -> Point:
    text = f"{count_text(group.share.part)} exceptions"
    if group.accepted is None:
        text += ", and nobody has accepted them."
    else:
        cap = share_text(group.accepted.max_rate)
        text += f", {part_text(group.share)}, where at most {cap} is accepted."
    return Point(words(group.rule), text, "#" + exception_anchor(group))


def _accepted(report: RunReport) -> Iterator[Point]:
    accepted = [g for g in report.exceptions if g.accepted is not None]
    if accepted:
        owners = sorted({g.accepted.owner for g in accepted if g.accepted is not None})
        total = count_text(sum(g.share.part for g in accepted))
        rules = "one rule" if len(accepted) == 1 else f"{len(accepted)} rules"
        yield Point(
            "Accepted exceptions",
            f"{total} under {rules}, each within its cap. {' and '.join(owners)} answer"
            f"{'s' if len(owners) == 1 else ''} for them.",
            "#exceptions",
        )
    for level in report.levels:
        if level.breaks:
            yield Point(
                f"Differences at {level.name} level",
                f"{count_text(level.breaks)} remain, {_allowed(report, level.name)}.",
                "#breaks",
            )
    if not accepted and not any(level.breaks for level in report.levels):
        yield Point("Nothing is left over", "No exceptions and no differences.", "#levels")


def _allowed(report: RunReport, level: str) -> str:
    """Why the differences of a level stop nothing: a waiver, or the gate."""
    groups = [group for group in report.breaks if group.level == level]
    waived, whole = sum(g.waived for g in groups), sum(g.count for g in groups)
    if not waived:
        return "within what the gate allows"
    if waived == whole:
        return "each taken by a waiver"
    by_waivers = f"{count_text(waived)} of {count_text(whole)} breaks taken by waivers"
    return f"{by_waivers}, the others within what the gate allows"
