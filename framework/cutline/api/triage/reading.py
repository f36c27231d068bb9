"""The exceptions of a run, read from its lake."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal, InvalidOperation

from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from cutline.api.moment import moment_text
from cutline.api.tables.declared import masking_of
from cutline.api.triage.entries import ExceptionDetails, ExceptionEntry, ExceptionList, RuleEntry
from cutline.api.triage.ids import MOST, no_single_exception, require_id, require_rules, whole_ids
from cutline.api.triage.worklist import ENTRY, MONEY, Owners, by_rule, in_order, is_open, with_work
from cutline.control import RunRecord
from cutline.control.triage import Assignment
from cutline.errors import ConfigurationError
from cutline.masking.frames import masked_table
from cutline.project.loaded import LoadedProject
from cutline.run.past import lake_of
from cutline.spark.session import session
from cutline.sql.spark import literal
from cutline.tables import EXCEPTION_HISTORY, TIMELINE

_SIBLINGS = 50
"""So many of a subject's other exceptions are shown."""
_LARGEST = Decimal(10) ** 31
_SHORT = 200
"""Of a list of work, a reason is cut off behind so many characters."""


@dataclass(frozen=True)
class ExceptionFilter:
    """Which exceptions are asked for; what is left out restricts nothing."""

    rules: tuple[str, ...] = ()
    owner: str | None = None
    unowned: bool = False
    subject: str | None = None
    older_than_days: int | None = None
    min_money: str | None = None
    discarded: bool = False
    """Whether only those are meant that are discarded, and not those that are not."""

    @property
    def holds(self) -> Column:
        """Whether a row of the list is asked for."""
        condition = F.col("discarded").isNotNull() == F.lit(self.discarded)
        if self.rules:
            condition &= F.col("rule").isin(*self.rules)
        if self.owner is not None:
            condition &= F.col("owner") == self.owner
        if self.unowned:
            condition &= F.col("owner").isNull()
        if self.older_than_days is not None:
            condition &= F.col("age_days") > self.older_than_days
        if self.min_money is not None:
            condition &= F.col("money") >= F.lit(_amount(self.min_money)).cast(MONEY)
        return F.coalesce(condition, F.lit(False))


@dataclass(frozen=True)
class WorkList:
    """The exceptions of a run, with who has them. `now` is the moment that their age is of."""

    project: LoadedProject
    record: RunRecord
    assignments: Sequence[Assignment]
    command: Callable[[str], str]
    now: dt.datetime

    def entries(self, wanted: ExceptionFilter, limit: int) -> ExceptionList:
        """The open ones that are asked for: all by rule, and the first `limit` of them."""
        self.require_rules(wanted.rules)
        rows = self._rows(self._open(wanted.subject)).where(wanted.holds)
        rules = tuple(_rule(row) for row in by_rule(rows).collect())
        first = in_order(rows).select(*ENTRY).limit(limit).collect()
        return ExceptionList(
            self.record.run_id,
            sum(rule.exceptions for rule in rules),
            tuple(sorted(rules, key=_order)),
            tuple(_entry(row) for row in first),
        )

    def entries_of(self, ids: Sequence[str]) -> tuple[ExceptionEntry, ...]:
        """The open exceptions with these ids."""
        rows = self._rows(self._open(None).where(F.col("id").isin(*ids)))
        return tuple(_entry(row) for row in in_order(rows).select(*ENTRY).limit(MOST).collect())

    def details(self, text: str) -> ExceptionDetails:
        """One exception by its id or how that begins."""
        require_id(text.strip())
        begins = self._history().where(F.col("id").startswith(text.strip().lower()))
        rows = self._rows(begins).select(*ENTRY, "payload", "checks").limit(2).collect()
        if len(rows) != 1:
            raise no_single_exception(text, self.record.run_id, len(rows) > 1)
        entry = _entry(rows[0])
        siblings, on_timeline = self._siblings(begins, entry)
        return ExceptionDetails(
            run_id=self.record.run_id,
            entry=entry,
            payload=rows[0]["payload"],
            checks=tuple(rows[0]["checks"]),
            siblings=siblings,
            on_timeline=on_timeline,
            assignments=tuple(
                asdict(a) | {"at": moment_text(a.at)}
                for a in self.assignments
                if entry.id == a.exception or entry.rule == a.rule
            ),
            commands=self._commands(entry, is_open=rows[0]["state"] != "fixed"),
        )

    def whole_ids(self, texts: Sequence[str]) -> tuple[str, ...]:
        """The ids of open exceptions that begin so; ConfigurationError for what is not one."""
        return whole_ids(self._open(None), texts, self.record.run_id)

    def require_rules(self, rules: Sequence[str]) -> None:
        """ConfigurationError for a rule that no open exception has."""
        require_rules(self._open(None), rules, self.record.run_id)

    @property
    def _spark(self) -> SparkSession:
        return session(self.project.file.spark)

    def _history(self) -> DataFrame:
        return lake_of(self.project, self.record).read(self._spark, EXCEPTION_HISTORY)

    def _open(self, subject: str | None) -> DataFrame:
        rows = self._history().where(is_open())
        return rows if subject is None else rows.where(F.col("subject") == subject)

    def _rows(self, history: DataFrame) -> DataFrame:
        """The rows of the list, personal values masked."""
        context, region = self.record.context, self.record.region
        section = self.project.file.contexts[context]
        owners = Owners(self.assignments, section.gates.accept)
        masked = masked_table(history, EXCEPTION_HISTORY.name, masking_of(context))
        discarded = self.project.discarded_on(context, region, self.now)
        return with_work(masked, owners, discarded, section.triage.money, self.now)

    def _siblings(
        self, begins: DataFrame, entry: ExceptionEntry
    ) -> tuple[tuple[ExceptionEntry, ...], int]:
        """The subject's other open exceptions, and its events on the timeline."""
        subjects = begins.select("aggregate", "subject").where(F.col("subject").isNotNull())
        others = self._open(None).join(subjects, ["aggregate", "subject"], "left_semi")
        others = others.where(f"id <> {literal(entry.id)}")
        rows = in_order(self._rows(others)).select(*ENTRY).limit(_SIBLINGS).collect()
        timeline = lake_of(self.project, self.record).read(self._spark, TIMELINE)
        events = timeline.join(subjects, ["aggregate", "subject"], "left_semi").count()
        return tuple(_entry(row) for row in rows), events

    def _commands(self, entry: ExceptionEntry, *, is_open: bool) -> tuple[str, ...]:
        slice_ = f"{self.record.context} --region {self.record.region}"
        if not is_open:
            return ()
        return tuple(
            self.command(f"exceptions {words}")
            for words in (
                f"assign {slice_} {entry.id} --to OWNER",
                f"redrive {slice_} {entry.id} --translator VERSION --dry-run",
                f"discard {slice_} {entry.id} --name NAME --reason WHY --ticket TICKET "
                "--expires DAY",
            )
        )


def _amount(text: str) -> Decimal:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or abs(amount) >= _LARGEST:
        raise ConfigurationError(
            f"{text!r} is no amount of less than 32 digits.", next_step="Write a number."
        )
    return amount


def _entry(row: Row) -> ExceptionEntry:
    values = {name: row[name] for name in ENTRY}
    return ExceptionEntry(
        **values
        | {
            "reason": str(row["reason"])[:_SHORT],
            "first_seen_at": row["first_seen_at"].astimezone(dt.UTC),
        }
    )


def _rule(row: Row) -> RuleEntry:
    return RuleEntry(**row.asDict() | {"owners": tuple(row["owners"])})


def _order(rule: RuleEntry) -> tuple[bool, Decimal, int, str]:
    return rule.money is None, -(rule.money or Decimal(0)), -rule.oldest_days, rule.rule
