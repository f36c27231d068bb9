"""The convergence certificate of a run, from what its stages counted and what its cuts assume."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from cutline.cut import ASSUMED, HELD, OBLIGATIONS, PROVEN, VIOLATED, Obligation, lines_of
from cutline.cut.batches import Batches
from cutline.cut.kafka_offsets import KafkaOffsets
from cutline.errors import RunFailed
from cutline.lake.lake import Written
from cutline.sources.used import UsedSource, used_sources
from cutline.stage import EXTRACT, MERGE, TRANSLATE
from cutline.stages.logs import committed_alone
from cutline.stages.times import of_times
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


def certify(workspace: Workspace) -> tuple[Written, list[dict[str, Any]]]:
    """Writes `certificate`; gives it back, and its rows as facts.

    RunFailed, once the table is written, if an obligation is violated.
    """
    found = list(obligations(workspace))
    rows = [
        {
            "obligation": one.code,
            "says": OBLIGATIONS[one.code],
            "source": one.source,
            "status": one.status,
            "by": one.by,
        }
        for one in sorted(found, key=lambda one: (one.code, one.source or ""))
    ]
    frame = workspace.spark.createDataFrame(
        [tuple(row[name] for name in CERTIFICATE.names) for row in rows], CERTIFICATE.ddl
    )
    written = workspace.lake.write(frame.coalesce(1), CERTIFICATE)
    broken = [row for row in rows if row["status"] == VIOLATED]
    if broken:
        told = "\n".join(
            f"{row['obligation']} is violated"
            f"{' by source ' + row['source'] if row['source'] else ''}: {row['says']}; {row['by']}"
            for row in broken
        )
        raise RunFailed(
            told,
            left_behind="Nothing is published; the run's tables are kept, its certificate too.",
            next_step=f"cutline certify {workspace.run_id}",
        )
    return written, rows


def obligations(workspace: Workspace) -> Iterator[Obligation]:
    """Every obligation of the run, O1 to O5 and O9 per source."""
    project, context, region = workspace.project, workspace.context.name, workspace.region
    facts = workspace.done[EXTRACT].facts
    for source in used_sources(project, workspace.translation, region):
        policy = lines_of(project, context, source.name).snapshot
        log = facts.get("logs", {}).get(source.name)
        yield _whole(workspace, source, policy)
        worth = workspace.done[TRANSLATE].facts.get("times", {})
        yield of_times(source.name, worth.get(source.name, {}))
        if policy is not None and log is None:
            for one in policy.obligations():
                by = f"sources.{source.name}.previous: {one.by}"
                yield Obligation(one.code, one.status, by, source.name)
            yield Obligation("O5", PROVEN, "it has no changes", source.name)
            continue
        if policy is None or log is None:
            for code in ("O2", "O3", "O4", "O5"):
                told = "it has no changes: its snapshot is all there is"
                yield Obligation(code, PROVEN, told, source.name)
            continue
        for one in policy.obligations():
            yield _of_log(one, source, policy, log, workspace)
        yield Obligation("O5", *_forward(source, log), source.name)
    yield _converged(workspace)
    yield Obligation(
        "O7",
        ASSUMED,
        "by Cutline: ids are made of what events say, and a stage that is done again must have "
        "the digest it had",
    )
    yield _conserved(workspace)


def _whole(workspace: Workspace, source: UsedSource, policy: object) -> Obligation:
    """O1: that every key of a source was read once."""
    counts = workspace.done[EXTRACT].counts["rows"]
    told = ", ".join(f"{t.name} {counts[f'{source.name}.{t.name}']:,}" for t in source.tables)
    if isinstance(policy, Batches):
        ids = ", ".join(batch.id for batch in policy.batches)
        by = f"sources.{source.name}.changes.snapshot: that batches {ids} cover all keys together"
        return Obligation("O1", ASSUMED, f"{by} ({told} rows)", source.name)
    by = f"each table was read as one whole, and all rows were written: {told}"
    return Obligation("O1", PROVEN, by, source.name)


def _of_log(
    one: Obligation,
    source: UsedSource,
    policy: object,
    log: Mapping[str, Any],
    workspace: Workspace,
) -> Obligation:
    """What the policy says of O2 to O4, with what was seen in the log."""
    status, by = one.status, one.by
    if status == ASSUMED:
        by = f"sources.{source.name}.changes.snapshot: {by}"
    if one.code == "O2":
        status, by = _retained(policy, source.name, log, workspace, status, by)
    if one.code == "O3":
        status, by = _nothing_lost(source.name, workspace, status, by)
    if one.code in ("O3", "O4") and log["crossed"] is not None:
        status, by = VIOLATED, _against_the_clock(log["crossed"])
    return Obligation(one.code, status, by, source.name)


def _against_the_clock(crossed: Mapping[str, list[str]]) -> str:
    (place, at), (other, later) = crossed["before"], crossed["after"]
    return (
        f"the source's clock ran backwards: the change at {place} says that it was committed at "
        f"{at}, before the line, and stands in the log behind that at {other}, committed at {later}"
        "; draw the line by position, or let `until` end an overlap zone behind both"
    )


def _nothing_lost(source: str, workspace: Workspace, status: str, by: str) -> tuple[str, str]:
    """O3: with what stands against it: transactions whose ends are not told, and what is held."""
    told = [by]
    if workspace.done[EXTRACT].facts["extracts"][source].get("transactions") != "told":
        told.append("that transactions were delivered whole, for their ends are not told")
        status = ASSUMED
    log = workspace.done[EXTRACT].facts["logs"][source]
    if alone := committed_alone(log):
        changes = counted(alone, "change")
        told.append(f"that {changes} whose transaction is not told were each committed alone")
        status = ASSUMED
    rules = workspace.done[MERGE].counts["exceptions"]
    held = {rule: rules[rule] for rule in _SIGNS_OF_A_GAP if rules.get(rule)}
    if held:
        counts = ", ".join(f"{n:,} {rule}" for rule, n in held.items())
        told.append(f"that nothing is missing before the rows that are held ({counts})")
        status = ASSUMED
    return status, "; ".join(told)


def _retained(
    policy: object,
    source: str,
    log: Mapping[str, Any],
    workspace: Workspace,
    status: str,
    by: str,
) -> tuple[str, str]:
    """O2: whether the change file reaches back before the end of the snapshot."""
    if isinstance(policy, KafkaOffsets):
        offsets = workspace.done[EXTRACT].facts["extracts"][source].get("offsets", {})
        late = [
            f"partition {p} begins at {ends[0]}, the tail at {policy.offsets[int(p)]}"
            for p, ends in sorted(offsets.items(), key=lambda of: int(of[0]))
            if int(p) in policy.offsets and ends[0] > policy.offsets[int(p)]
        ]
        if late:
            return VIOLATED, f"records are missing: {'; '.join(late)}"
    visible = workspace.done[TRANSLATE].facts["visible"].get(source, 0)
    if visible:
        changes = counted(visible, "change")
        return PROVEN, f"the change file holds {changes} that the snapshot shows already"
    if not log["changes"]:
        return ASSUMED, f"{by} (they hold no change at all)"
    return status, by


def _forward(source: UsedSource, log: Mapping[str, Any]) -> tuple[str, str]:
    """O5: that per key positions never go back."""
    if source.section.changes is not None and source.section.changes.log == "kafka":
        return _by_offset(log)
    return PROVEN, (
        f"{counted(log['changes'], 'change')} from {log['first']} to {log['last']}: none came "
        "behind a later one but as a repeated delivery, and each row's are ordered by position"
    )


def _by_offset(log: Mapping[str, Any]) -> tuple[str, str]:
    """O5 where the topic's order is all there is: what the changes' own times say of it."""
    again, strays = (
        sum(table.get(name, 0) for table in log.get("tables", {}).values())
        for name in ("again", "out_of_order")
    )
    by = "the topic's order is taken for that of commits: the source tells no other"
    if again:
        by += f"; {counted(again, 'change')} that came again counted once"
    if not strays:
        return ASSUMED, by
    place, moment = log["stray"]
    return HELD, (
        f"{counted(strays, 'change')} came behind a later one of the same row, or stand in two "
        f"partitions at one moment, the first at {place}, committed at {moment}: they are held as "
        f"out-of-order; of the others, {by}"
    )


def _converged(workspace: Workspace) -> Obligation:
    """O6: that what is projected is what the source's last images mean."""
    held = workspace.done[MERGE].counts["verdicts"].get("held", 0)
    if workspace.done[EXTRACT].facts.get("logs"):
        return Obligation(
            "O6",
            ASSUMED,
            "by Cutline's model tests; `cutline run`'s reconciliation compares state and truth",
        )
    told = f"no source has changes: the timeline is the translation of the snapshots; {held:,} held"
    return Obligation("O6", PROVEN, told)


def _conserved(workspace: Workspace) -> Obligation:
    """O8: that every row and every event has one end."""
    translated = workspace.done[TRANSLATE]
    ends = {name: n for name, n in sorted(translated.counts["dispositions"].items()) if n}
    left = int(translated.facts.get("left_subjects", 0))
    verdicts = sum(workspace.done[MERGE].counts["verdicts"].values())
    told = " + ".join(f"{n:,} {name}" for name, n in ends.items()) or "none"
    more = f" + {left:,} that left a subject" if left else ""
    return Obligation(
        "O8",
        PROVEN,
        f"{workspace.done[EXTRACT].rows_out:,} source rows{more} = {told}; {verdicts:,} candidate "
        f"events, each with one verdict{_within(workspace)}{_inputs(workspace)}",
    )


def _within(workspace: Workspace) -> str:
    """What was written over within transactions, and by whom their steps are told all the same."""
    facts = workspace.done[TRANSLATE].facts
    told = ""
    if over := int(facts.get("written_over", 0)):
        fell = int(facts.get("fell_within") or 0)
        told += f"; {counted(over, 'change')} written over in their own transactions, in which "
        told += f"{counted(fell, 'fact')} held that nobody could read" if fell else "no fact held"
    each = [t.name() for t in workspace.translation.translators if t.within_transaction == EACH]
    if each:
        told += f"; {', '.join(each)} says within_transaction=EACH: steps are told that nobody read"
    return told


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


def _beside(name: str, number: int) -> str:
    shown = _OF_ONE if number == 1 else _OF_SEVERAL
    return f"{number:,} {shown.get(name, name.replace('_', ' '))}"


def _inputs(workspace: Workspace) -> str:
    """What the inputs hold, counted apart from their readers: rows of this slice and of others, and
    what else is there."""
    beside: Counter[str] = Counter()
    lines = tables = 0
    for told in workspace.done[EXTRACT].facts.get("extracts", {}).values():
        accounts = [*(one for table in told.get("read", {}).values() for one in table)]
        tables += len(accounts)
        for account in [*accounts, told.get("lines", {})]:
            numbers = {name: n for name, n in account.items() if isinstance(n, int)}
            lines += numbers.pop("lines", 0)
            beside.update(numbers)
    mine, others = beside.pop("rows", 0), beside.pop("of_other_slices", 0)
    del beside["with_rows"]
    named = ", ".join(_beside(name, n) for name, n in sorted(beside.items()))
    whole = f"{counted(lines, 'line')} and every table" if lines else "every table"
    rows = f"{counted(mine + others, 'row')} = {mine:,} of this slice + {others:,} of other slices"
    told = f"; {whole} counted a second time: {rows}, beside them {named or 'nothing'}"
    return told if tables else ""
