"""The RunReport of a run whose earlier stages are done."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal

from pyspark.sql import DataFrame

from cutline.masking import Masking, masking
from cutline.project.gates import Gates
from cutline.results import (
    ExtractResult,
    MergeResult,
    ProjectResult,
    ReconcileResult,
    SourceLog,
    TranslateResult,
)
from cutline.tables import BREAKS, CLUSTERS, DISPOSITIONS, EXCEPTIONS, EXCUSES, FINDINGS, TREND
from cutline.tables.breaks import LEVELS, OUTCOME
from cutline.tables.exception import EVENT
from cutline.workspace import Workspace
from cutline_reports import clusters, examples
from cutline_reports.decision import decision_section, level_sections
from cutline_reports.examples import Row
from cutline_reports.excuses import excuse_groups
from cutline_reports.memory import change, last_runs, waiver_rows
from cutline_reports.model import (
    Acceptance,
    BreakExample,
    BreakGroup,
    ExceptionExample,
    ExceptionGroup,
    FindingExample,
    FindingGroup,
    Ratio,
    RuleCount,
    RunBooks,
    RunReport,
    ValuePair,
)
from cutline_reports.provenance import provenance

_Groups = dict[tuple[object, ...], list[Row]]


def gather(workspace: Workspace) -> RunReport:
    """The report, from the stages' results and bounded examples of the run's tables, in one Spark
    job.
    """
    result = workspace.result_of(ReconcileResult)
    history = result.history
    assert history is not None
    rows = examples.collect(_tables(workspace, history.place))
    mask = masking([workspace.translation])
    gates = workspace.project.file.contexts[workspace.context.name].gates
    books = _books(workspace, rows["rules"])
    levels = level_sections(result)
    units = {outcome.name: outcome.unit for outcome in workspace.context.outcomes}
    exceptions = _exceptions(
        rows["exceptions"], _grouped(rows["exception_examples"], examples.EXCEPTION_GROUP),
        books, gates, mask,
    )  # fmt: skip
    return RunReport(
        decision=decision_section(result, gates, levels, exceptions),
        books=books,
        levels=levels,
        breaks=_breaks(
            rows["breaks"],
            _grouped(rows["break_pairs"], examples.BREAK_GROUP),
            _grouped(rows["break_examples"], examples.BREAK_GROUP),
            units,
            mask,
        ),
        exceptions=exceptions,
        findings=_findings(
            rows["findings"], _grouped(rows["finding_examples"], examples.FINDING_GROUP), mask
        ),
        provenance=provenance(workspace),
        change=change(history, rows["trend"]),
        waivers=waiver_rows(result.waivers, mask),
        clusters=clusters.clusters_of(rows, units, mask),
        excuses=excuse_groups(rows["excuses"], mask),
    )


def _tables(workspace: Workspace, place: int) -> dict[str, DataFrame]:
    """The bounded tables of the report by name; `place` is the run's in the trend."""
    lake, spark = workspace.lake, workspace.spark
    breaks = lake.read(spark, BREAKS)
    exceptions = lake.read(spark, EXCEPTIONS)
    findings = lake.read(spark, FINDINGS)
    return clusters.cluster_tables(lake.read(spark, CLUSTERS), breaks) | {
        "trend": last_runs(lake.read(spark, TREND), place),
        "rules": examples.rule_counts(lake.read(spark, DISPOSITIONS)),
        "breaks": examples.break_groups(breaks),
        "break_pairs": examples.break_pairs(breaks),
        "break_examples": examples.break_examples(breaks),
        "exceptions": examples.exception_groups(exceptions),
        "exception_examples": examples.exception_examples(
            exceptions, workspace.context.name, workspace.region
        ),
        "findings": examples.finding_groups(findings),
        "finding_examples": examples.finding_examples(findings),
        "excuses": examples.excuse_examples(lake.read(spark, EXCUSES)),
    }


def _grouped(rows: Iterable[Row], key: tuple[str, ...]) -> _Groups:
    """Rows by their group, sorted by `place`."""
    groups: _Groups = defaultdict(list)
    for row in sorted(rows, key=lambda r: int(r["place"])):
        groups[tuple(row[k] for k in key)].append(row)
    return groups


def _books(workspace: Workspace, rules: Iterable[Row]) -> RunBooks:
    extracted, translated = workspace.result_of(ExtractResult), workspace.result_of(TranslateResult)
    merged = workspace.result_of(MergeResult)
    return RunBooks(
        source_rows=extracted.rows_out,
        dispositions=dict(translated.counts["dispositions"]),
        rules=tuple(
            RuleCount(r["disposition"], r["rule"], r["count"])
            for r in sorted(rules, key=lambda r: (-r["count"], r["disposition"], r["rule"]))
        ),
        synthetic=merged.candidates.synthetic,
        native=merged.candidates.native,
        native_unreadable=merged.native_unreadable,
        verdicts=dict(merged.counts["verdicts"]),
        timeline=merged.rows_out,
        subjects=dict(workspace.result_of(ProjectResult).counts["subjects"]),
        written_over=translated.written_over,
        fell_within=translated.fell_within or 0,
        untold_transactions=untold_transactions(extracted.logs),
    )


def untold_transactions(logs: Mapping[str, SourceLog]) -> dict[str, int]:
    """By source, the number of changes without a known transaction."""
    alone = {source: log.committed_alone() for source, log in logs.items()}
    return {source: changes for source, changes in sorted(alone.items()) if changes}


def _breaks(
    groups: Iterable[Row], pairs: _Groups, shown: _Groups, units: dict[str, str], mask: Masking
) -> tuple[BreakGroup, ...]:
    break_groups = []
    for row in groups:
        key = tuple(row[k] for k in examples.BREAK_GROUP)
        column = row["column"]
        aggregate = None if row["level"] == OUTCOME else row["name"]
        hidden = mask.hides(column, aggregate)
        break_groups.append(
            BreakGroup(
                level=row["level"],
                name=row["name"],
                column=column,
                kind=row["kind"],
                count=row["count"],
                opened=row["opened"],
                reopened=row["reopened"],
                waived=row["waived"],
                amount=None if hidden else _amount(row["amount"]),
                unit=units.get(row["name"], "") if row["level"] == OUTCOME else "",
                pairs=tuple(
                    ValuePair(
                        mask.value(column, p["legacy"], aggregate),
                        mask.value(column, p["new"], aggregate),
                        p["count"],
                    )
                    for p in pairs[key]
                ),
                examples=tuple(
                    BreakExample(
                        mask.subject(aggregate, e["subject"]) or "",
                        mask.value(column, e["legacy"], aggregate),
                        mask.value(column, e["new"], aggregate),
                        None if hidden else _amount(e["amount"]),
                    )
                    for e in shown[key]
                ),
            )
        )
    # Outcomes weigh most, records least: the order in which a person asks what a break means.
    place = {level: -i for i, level in enumerate(LEVELS)}
    return tuple(
        sorted(
            break_groups, key=lambda g: (place[g.level], -g.count, g.name, g.column or "", g.kind)
        )
    )


def _amount(value: object) -> Decimal | None:
    return None if value is None else Decimal(str(value))


def _exceptions(
    groups: Iterable[Row], shown: _Groups, books: RunBooks, gates: Gates, mask: Masking
) -> tuple[ExceptionGroup, ...]:
    accepted = {
        a.rule: Acceptance(a.reason, a.owner, Decimal(str(a.max_rate))) for a in gates.accept
    }
    exception_groups = [
        ExceptionGroup(
            rule=row["rule"],
            level=row["level"],
            share=Ratio(
                row["count"],
                books.synthetic + books.native if row["level"] == EVENT else books.source_rows,
            ),
            accepted=accepted.get(row["rule"]),
            examples=tuple(
                _exception(e, mask) for e in shown[tuple(row[k] for k in examples.EXCEPTION_GROUP)]
            ),
        )
        for row in groups
    ]
    return tuple(
        sorted(exception_groups, key=lambda g: (g.within_cap, -g.share.part, g.rule, g.level))
    )


def _exception(row: Row, mask: Masking) -> ExceptionExample:
    payload = mask.payload(row["payload"])
    if payload is None and row["payload_length"] is not None:
        payload = f"left out: {row['payload_length']:,} characters"
    return ExceptionExample(
        id=row["id"],
        subject=mask.subject(row["aggregate"], row["subject"]),
        reason=row["reason"],
        source=row["source"],
        table=row["table"],
        key=mask.key(row["source"], row["table"], row["key"]),
        position=row["position"],
        payload=payload,
    )


def _findings(groups: Iterable[Row], shown: _Groups, mask: Masking) -> tuple[FindingGroup, ...]:
    finding_groups = [
        FindingGroup(
            rule=row["rule"],
            aggregate=row["aggregate"],
            count=row["count"],
            examples=tuple(
                FindingExample(
                    mask.subject(row["aggregate"], e["subject"]) or "", e["type"], e["reason"]
                )
                for e in shown[tuple(row[k] for k in examples.FINDING_GROUP)]
            ),
        )
        for row in groups
    ]
    return tuple(sorted(finding_groups, key=lambda g: (-g.count, g.rule, g.aggregate)))
