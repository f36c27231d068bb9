"""What services would miss if the views showed another release, and who reads it still."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.control.plan import Guard
from cutline.readmodels.model import compared
from cutline.rollout.work import RolloutWork


def gone_columns(work: RolloutWork, number: int | None, base: int | None) -> list[str]:
    """The columns of release `base` that release `number` lacks or has of another type, as
    `view.column`; none where either has no tables."""
    version = work.read_model_version(work.release(number))
    before = work.read_model_version(work.release(base))
    if version is None or before is None:
        return []
    columns = {table.aggregate: table.columns for table in before.tables}
    tables = [compared(table, columns.get(table.aggregate)) for table in version.tables]
    return [
        f"{table.view}.{name}"
        for table in tables
        for name in (*table.removed_columns, *table.changed_columns)
    ]


def is_not_breaking(work: RolloutWork, number: int | None) -> Guard:
    """Where services read a release, another one has all its columns, of the same types."""
    standing = work.standing
    lost = []
    if standing.reads in ("canary", "new") and number != standing.release:
        lost = gone_columns(work, number, standing.release)
    says = "no column that services read is gone"
    if lost:
        says = (
            f"release {number} has not, or of another type, what services read of release "
            f"{standing.release}: {', '.join(lost)}"
        )
    return Guard(name="columns", passed=not lost, says=says, next_command=_command(work, "expand"))


def is_breaking(work: RolloutWork, number: int | None) -> Guard:
    """Services read a release, and another one has not all its columns."""
    standing = work.standing
    is_read = standing.reads in ("canary", "new") and number not in (None, standing.release)
    lost = gone_columns(work, number, standing.release) if is_read else []
    says = f"beside release {standing.release} it has not: {', '.join(lost)}"
    return Guard(
        name="columns",
        passed=bool(lost),
        says=says if lost else "no column that services read would be gone: there is nothing to do",
        next_command=None if lost else _command(work, "switch reads"),
    )


def is_not_expanded(work: RolloutWork) -> Guard:
    """The views show the columns of one release."""
    expanded = work.standing.expanded
    says = "the views show the columns of one release"
    if expanded is not None:
        says = f"the views show the columns of release {expanded} as well"
    return Guard(
        name="one release",
        passed=expanded is None,
        says=says,
        next_command=_command(work, "contract"),
    )


def is_expanded(work: RolloutWork) -> Guard:
    """The views show the columns of two releases."""
    expanded = work.standing.expanded
    return Guard(
        name="expanded",
        passed=expanded is not None,
        says="the views show the columns of one release"
        if expanded is None
        else f"the views show the columns of release {expanded} as well",
        next_command=_command(work, "expand"),
    )


def was_contracted(work: RolloutWork) -> Guard:
    """The views show a release alone, and the one before has columns that it has not."""
    standing = work.standing
    lost = gone_columns(work, standing.release, standing.previous)
    passed = standing.expanded is None and bool(lost)
    return Guard(
        name="contracted",
        passed=passed,
        says=f"release {standing.previous} has beside it: {', '.join(lost)}"
        if passed
        else "no columns of a release before were taken away",
    )


def may_go_back(work: RolloutWork) -> Guard:
    """The release before has all that services read now, or what they read is shown beside it."""
    standing = work.standing
    lost: list[str] = []
    if standing.previous_reads in ("canary", "new") and standing.expanded is None:
        lost = gone_columns(work, standing.release, standing.previous)
    says = "services find what they read"
    if lost:
        says = f"services were moved away from {', '.join(lost)}, which alone would be there"
    return Guard(
        name="columns", passed=not lost, says=says, next_command=_command(work, "reverse contract")
    )


def is_declared_reader(work: RolloutWork, reader: str) -> Guard:
    """The service is one that cutline.yaml declares, where it declares any."""
    readers = _declared_readers(work)
    return Guard(
        name="reader",
        passed=not readers or reader in readers,
        says=f"{reader} reads the views"
        if reader in readers
        else f"rollout.read_model.readers are: {', '.join(readers) or 'not declared'}",
    )


def no_dependants(work: RolloutWork, *, of_gone: bool) -> Guard:
    """Nothing within the database reads the views, or, `of_gone`, what they will have no more."""
    standing, read_model = work.standing, work.declared_read_model
    lost = set(gone_columns(work, standing.release, standing.expanded))
    named = []
    for dependant in read_model.dependants():
        columns = [c for c in dependant.columns if not of_gone or f"{dependant.view}.{c}" in lost]
        if columns:
            named.append(f"{dependant.name} reads {', '.join(columns)} of {dependant.view}")
    nothing = "nothing within the database reads " + ("columns that go" if of_gone else "the views")
    if not read_model.database.postgres:
        nothing = "SQLite does not say what reads a view"
    return Guard(
        name="dependants",
        passed=not named,
        says="; ".join(named) or nothing,
        next_command="move them to other columns"
        if of_gone
        else "drop them, contract, and make them again: PostgreSQL keeps a view that is read",
    )


def readers_confirmed(work: RolloutWork) -> Guard:
    """Of every service that reads the views somebody confirmed that it reads the new columns."""
    confirmed = dict(_confirmations(work))
    readers = _declared_readers(work)
    missing = [reader for reader in readers if reader not in confirmed]
    passed = bool(confirmed) and not missing
    by = ", ".join(f"{reader} by {name}" for reader, name in confirmed.items())
    says = f"confirmed: {by or 'nothing'}"
    if missing:
        says += f"; missing: {', '.join(missing)}"
    return Guard(
        name="readers",
        passed=passed,
        says=says,
        next_command=f"cutline rollout migrate {work.context} {(missing or ['READER'])[0]} "
        f"--region {work.region} --by NAME",
    )


def _confirmations(work: RolloutWork) -> Iterator[tuple[str, str]]:
    """The services that were confirmed since the views were expanded, and who did."""
    for line in work.control.rollout_ledger(work.context, work.region):
        if line.step == "set-expanded" and line.event == "done":
            return
        if line.step == "confirm-reader" and line.event == "done":
            yield line.recorded["reader"], line.changed_by


def _declared_readers(work: RolloutWork) -> tuple[str, ...]:
    section = work.project.file.rollout.read_model
    return () if section is None else section.readers


def _command(work: RolloutWork, words: str) -> str:
    return f"cutline rollout {words} {work.context} --region {work.region}"
