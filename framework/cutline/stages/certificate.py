"""The convergence certificate of a run, from what its stages counted and what its cuts assume."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cutline.cut import ASSUMED, HELD, OBLIGATIONS, PROVEN, VIOLATED, Obligation, lines_of
from cutline.cut.batches import Batches
from cutline.cut.kafka_offsets import KafkaOffsets
from cutline.errors import RunFailed
from cutline.lake.table_write import TableWrite
from cutline.project.source import DatabaseSource
from cutline.results import (
    EXTRACT,
    MERGE,
    CertificateRow,
    ClockCrossing,
    ExtractResult,
    SourceLog,
    TranslateResult,
)
from cutline.sources.used_tables import UsedSource, used_sources
from cutline.stages.chunks import chunks_prove, exported_point
from cutline.stages.times import times_obligation
from cutline.tables.certificate import CERTIFICATE
from cutline.tables.disposition import UNKNOWN_COMMIT
from cutline.translator.within import EACH
from cutline.wording import counted
from cutline.workspace import Workspace

_SIGNS_OF_A_GAP = (
    UNKNOWN_COMMIT,
    "no-prior-image",
    "transaction-unfinished",
    "half-a-key-change",
)
"""Rules under which rows are held because something before or around them may be missing."""


def write_certificate(workspace: Workspace) -> tuple[TableWrite, tuple[CertificateRow, ...]]:
    """Writes `certificate`; gives it back, and its rows.

    RunFailed, once the table is written, if an obligation is violated.
    """
    rows = tuple(
        CertificateRow(
            obligation=obligation.code,
            says=OBLIGATIONS[obligation.code],
            source=obligation.source,
            status=obligation.status,
            by=obligation.by,
        )
        for obligation in sorted(obligations(workspace), key=lambda o: (o.code, o.source or ""))
    )
    frame = workspace.spark.createDataFrame(
        [tuple(getattr(row, name) for name in CERTIFICATE.names) for row in rows], CERTIFICATE.ddl
    )
    written = workspace.lake.write(frame.coalesce(1), CERTIFICATE)
    violated = [row for row in rows if row.status == VIOLATED]
    if violated:
        message = "\n".join(
            f"{row.obligation} is violated"
            f"{' by source ' + row.source if row.source else ''}: {row.says}; {row.by}"
            for row in violated
        )
        raise RunFailed(
            message,
            left_behind="Nothing is published; the run's tables are kept, its certificate too.",
            next_step=f"cutline certify {workspace.run_id}",
        )
    return written, rows


def obligations(workspace: Workspace) -> Iterator[Obligation]:
    """Every obligation of the run, O1 to O5 and O9 per source."""
    project, context, region = workspace.project, workspace.context.name, workspace.region
    extracted, translated = workspace.result_of(ExtractResult), workspace.result_of(TranslateResult)
    for source in used_sources(project, workspace.translation, region):
        policy = lines_of(project, context, source.name).snapshot
        log = extracted.logs.get(source.name)
        yield _snapshot_is_whole(workspace, source, policy)
        yield times_obligation(source.name, translated.times.get(source.name, {}))
        if policy is not None and log is None:
            for obligation in policy.obligations():
                by = f"sources.{source.name}.previous: {obligation.by}"
                yield Obligation(obligation.code, obligation.status, by, source.name)
            yield Obligation("O5", PROVEN, "it has no changes", source.name)
            continue
        if policy is None or log is None:
            for code in ("O2", "O3", "O4", "O5"):
                by = "it has no changes: its snapshot is all there is"
                yield Obligation(code, PROVEN, by, source.name)
            continue
        for obligation in policy.obligations():
            yield _log_obligation(obligation, source, policy, log, workspace)
        yield Obligation("O5", *_positions_increase(source, log), source.name)
    yield _state_converges(workspace)
    yield Obligation(
        "O7",
        ASSUMED,
        "by Cutline: ids are made of what events say, and a stage that is done again must have "
        "the digest it had",
    )
    yield _rows_and_events_conserved(workspace)


def _snapshot_is_whole(workspace: Workspace, source: UsedSource, policy: object) -> Obligation:
    """O1: that every key of a source was read once."""
    counts = workspace.done[EXTRACT].counts["rows"]
    rows = ", ".join(f"{t.name} {counts[f'{source.name}.{t.name}']:,}" for t in source.tables)
    if isinstance(policy, Batches):
        ids = ", ".join(batch.id for batch in policy.batches)
        by = f"sources.{source.name}.changes.snapshot: that batches {ids} cover all keys together"
        return Obligation("O1", ASSUMED, f"{by} ({rows} rows)", source.name)
    if isinstance(source.section, DatabaseSource):
        extract = workspace.result_of(ExtractResult).extracts[source.name]
        return Obligation("O1", PROVEN, chunks_prove(extract), source.name)
    by = f"each table was read as one whole, and all rows were written: {rows}"
    return Obligation("O1", PROVEN, by, source.name)


def _log_obligation(
    obligation: Obligation,
    source: UsedSource,
    policy: object,
    log: SourceLog,
    workspace: Workspace,
) -> Obligation:
    """What the policy says of O2 to O4, with what was seen in the log."""
    status, by = obligation.status, obligation.by
    if status == ASSUMED:
        by = f"sources.{source.name}.changes.snapshot: {by}"
    point = exported_point(workspace.positions, source.name)
    if obligation.code in ("O3", "O4") and point is not None:
        status, by = PROVEN, point
    if obligation.code == "O2":
        status, by = _log_reaches_back(policy, source.name, log, workspace, status, by)
    if obligation.code == "O3":
        status, by = _no_transaction_lost(source.name, workspace, status, by)
    if obligation.code in ("O3", "O4") and log.crossed is not None:
        status, by = VIOLATED, _clock_ran_backwards(log.crossed)
    return Obligation(obligation.code, status, by, source.name)


def _clock_ran_backwards(crossed: ClockCrossing) -> str:
    (place, at), (place_before, later) = crossed.before, crossed.after
    return (
        f"the source's clock ran backwards: the change at {place} says that it was committed at "
        f"{at}, before the line, and stands in the log behind that at {place_before}, "
        f"committed at {later}"
        "; draw the line by position, or let `until` end an overlap zone behind both"
    )


def _no_transaction_lost(
    source: str, workspace: Workspace, status: str, by: str
) -> tuple[str, str]:
    """O3: with what stands against it: transactions whose ends are not told, and what is held."""
    extracted = workspace.result_of(ExtractResult)
    assumptions = [by]
    if extracted.extracts[source].transactions != "told":
        assumptions.append("that transactions were delivered whole, for their ends are not told")
        status = ASSUMED
    if alone := extracted.logs[source].committed_alone():
        changes = counted(alone, "change")
        assumptions.append(
            f"that {changes} whose transaction is not told were each committed alone"
        )
        status = ASSUMED
    rules = workspace.done[MERGE].counts["exceptions"]
    held_rows = {rule: rules[rule] for rule in _SIGNS_OF_A_GAP if rules.get(rule)}
    if held_rows:
        counts = ", ".join(f"{n:,} {rule}" for rule, n in held_rows.items())
        assumptions.append(f"that nothing is missing before the rows that are held ({counts})")
        status = ASSUMED
    return status, "; ".join(assumptions)


def _log_reaches_back(
    policy: object,
    source: str,
    log: SourceLog,
    workspace: Workspace,
    status: str,
    by: str,
) -> tuple[str, str]:
    """O2: whether the change file reaches back before the end of the snapshot."""
    if isinstance(policy, KafkaOffsets):
        offsets = workspace.result_of(ExtractResult).extracts[source].offsets
        late = [
            f"partition {p} begins at {first}, the tail at {policy.offsets[p]}"
            for p, (first, _) in sorted(offsets.items())
            if p in policy.offsets and first > policy.offsets[p]
        ]
        if late:
            return VIOLATED, f"records are missing: {'; '.join(late)}"
    visible = workspace.result_of(TranslateResult).visible.get(source, 0)
    if visible:
        changes = counted(visible, "change")
        return PROVEN, f"the change file holds {changes} that the snapshot shows already"
    if not log.changes:
        return ASSUMED, f"{by} (they hold no change at all)"
    return status, by


def _positions_increase(source: UsedSource, log: SourceLog) -> tuple[str, str]:
    """O5: that per key positions never go back."""
    if source.section.changes is not None and source.section.changes.log == "kafka":
        return _offsets_agree_with_times(log)
    return PROVEN, (
        f"{counted(log.changes, 'change')} from {log.first} to {log.last}: none came "
        "behind a later one but as a repeated delivery, and each row's are ordered by position"
    )


def _offsets_agree_with_times(log: SourceLog) -> tuple[str, str]:
    """O5 where the topic's order is all there is: what the changes' own times say of it."""
    again = sum(table.again for table in log.tables.values())
    strays = sum(table.out_of_order for table in log.tables.values())
    by = "the topic's order is taken for that of commits: the source tells no other"
    if again:
        by += f"; {counted(again, 'change')} that came again counted once"
    if not strays or log.stray is None:
        return ASSUMED, by
    place, moment = log.stray
    return HELD, (
        f"{counted(strays, 'change')} came behind a later one of the same row, or stand in two "
        f"partitions at one moment, the first at {place}, committed at {moment}: they are held as "
        f"out-of-order; of the others, {by}"
    )


def _state_converges(workspace: Workspace) -> Obligation:
    """O6: that what is projected is what the source's last images mean."""
    held_events = workspace.done[MERGE].counts["verdicts"].get("held", 0)
    if workspace.result_of(ExtractResult).logs:
        return Obligation(
            "O6",
            ASSUMED,
            "by Cutline's model tests; `cutline run`'s reconciliation compares state and truth",
        )
    by = (
        "no source has changes: the timeline is the translation of the snapshots; "
        f"{held_events:,} held"
    )
    return Obligation("O6", PROVEN, by)


def _rows_and_events_conserved(workspace: Workspace) -> Obligation:
    """O8: that every row and every event has one end."""
    translated = workspace.result_of(TranslateResult)
    ends = {name: n for name, n in sorted(translated.counts["dispositions"].items()) if n}
    left = translated.left_subjects
    verdicts = sum(workspace.done[MERGE].counts["verdicts"].values())
    rows = " + ".join(f"{n:,} {name}" for name, n in ends.items()) or "none"
    more = f" + {left:,} that left a subject" if left else ""
    return Obligation(
        "O8",
        PROVEN,
        f"{workspace.done[EXTRACT].rows_out:,} source rows{more} = {rows}; {verdicts:,} candidate "
        f"events, each with one verdict{_within_transactions(workspace)}{_inputs(workspace)}",
    )


def _within_transactions(workspace: Workspace) -> str:
    """What was written over within transactions, and by whom their steps are told all the same."""
    translated = workspace.result_of(TranslateResult)
    words = ""
    if over := translated.written_over:
        fell = translated.fell_within or 0
        words += f"; {counted(over, 'change')} written over in their own transactions, in which "
        words += f"{counted(fell, 'fact')} held that nobody could read" if fell else "no fact held"
    each = [t.name() for t in workspace.translation.translators if t.within_transaction == EACH]
    if each:
        named = ", ".join(each)
        words += f"; {named} says within_transaction=EACH: steps are told that nobody read"
    return words


_OF_ONE = {
    "headers": "header",
    "blank_lines": "blank line",
    "further_lines_of_rows": "further line of a row",
    "tombstones": "tombstone",
    "boundaries": "boundary of a transaction",
    "of_a_licence": "line of a licence",
    "of_other_tables": "record of other tables",
    "without_rows": "record without rows",
}
_OF_SEVERAL = {
    "boundaries": "boundaries of transactions",
    "of_a_licence": "lines of a licence",
    "of_other_tables": "records of other tables",
    "without_rows": "records without rows",
}
"""What stands in an input beside its rows, for people, where its name in `read` is not enough."""


def _with_count(name: str, number: int) -> str:
    shown = _OF_ONE if number == 1 else _OF_SEVERAL
    return f"{number:,} {shown.get(name, name.replace('_', ' '))}"


def _inputs(workspace: Workspace) -> str:
    """What the inputs hold, counted apart from their readers: rows of this slice and of others, and
    what else is there."""
    beside: Counter[str] = Counter()
    lines = inputs = 0
    for extract in workspace.result_of(ExtractResult).extracts.values():
        accounts = [account.numbers() for table in extract.read.values() for account in table]
        inputs += len(accounts)
        for numbers in (*accounts, dict(extract.lines)):
            lines += numbers.pop("lines", 0)
            beside.update(numbers)
    mine, others = beside.pop("rows", 0), beside.pop("of_other_slices", 0)
    del beside["with_rows"]
    named = ", ".join(_with_count(name, n) for name, n in sorted(beside.items()))
    whole = f"{counted(lines, 'line')} and every table" if lines else "every table"
    rows = f"{counted(mine + others, 'row')} = {mine:,} of this slice + {others:,} of other slices"
    if not inputs:
        return ""
    return f"; {whole} counted a second time: {rows}, beside them {named or 'nothing'}"
