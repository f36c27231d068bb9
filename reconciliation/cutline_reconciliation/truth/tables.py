"""The legacy's answers as tables of the run."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import types as T

from cutline.context import Context, truth_name
from cutline.errors import ConfigurationError, RunFailed, did_you_mean
from cutline.lake.written import TableWritten
from cutline.results.reconcile import TruthLoad
from cutline.tables.contract import Column, Table
from cutline.translator.translation import Truth
from cutline.workspace import Workspace
from cutline_reconciliation.compare.columns.parse_texts import count_unreadable, parse_texts
from cutline_reconciliation.truth.legacy import open_legacy
from cutline_reconciliation.truth.marks import (
    MARK_TYPES,
    NOT_ELIGIBLE_REASON,
    OUTCOME_COLUMNS,
    marks_of,
    without_blank_reasons,
)
from cutline_reconciliation.truth.query import SUBJECT, VALUE, Answer, write_answer


@dataclass(frozen=True)
class LegacyAnswers:
    """The legacy's answers as texts, by aggregate and by outcome, and numbers of loaded lines."""

    aggregates: Mapping[str, Answer]
    outcomes: Mapping[str, Answer]
    loaded: Mapping[str, TruthLoad]
    baseline: Mapping[str, Answer]
    """The answers of an earlier moment by outcome; empty where no source has one."""

    def marked(self, mark: str, states: Mapping[str, DataFrame], context: Context) -> set[str]:
        """The aggregates about which an answer has the mark, their own or an outcome's."""
        marks = [(n, marks_of(a.columns, states[n].columns)) for n, a in self.aggregates.items()]
        of_outcomes = {outcome.name: outcome.aggregate for outcome in context.outcomes}
        marks += [(of_outcomes[n], marks_of(a.columns, ())) for n, a in self.outcomes.items()]
        return {aggregate for aggregate, of_answer in marks if mark in of_answer}


def query_legacy(workspace: Workspace) -> LegacyAnswers:
    """The answers to every query of the translation, as of one moment."""
    truth = workspace.translation.truth
    contracts = workspace.translation.contracts()
    columns = {(c.source(), c.table()): tuple(c.columns()) for c in contracts}
    queries = [*truth.aggregates.values(), *truth.outcomes.values()]
    with open_legacy(
        workspace.project, queries, columns, in_parts=bool(truth.partitioned)
    ) as connection:

        def answer(
            kind: str, name: str, required: Sequence[str], optional: Sequence[str] | None
        ) -> Answer:
            return write_answer(
                connection,
                f"the truth of {kind} {name}",
                (truth.aggregates if kind == "aggregate" else truth.outcomes)[name],
                workspace.region,
                workspace.lake.scratch(f"truth/{kind}_{name}.parquet"),
                required,
                truth.partitioned.get(name),
                optional,
            )

        answers = LegacyAnswers(
            # What else an aggregate's may return depends on its state.
            {name: answer("aggregate", name, (SUBJECT,), None) for name in truth.aggregates},
            {
                name: answer("outcome", name, (SUBJECT, VALUE), OUTCOME_COLUMNS)
                for name in truth.outcomes
            },
            connection.loaded,
            {},
        )
    return dataclasses.replace(answers, baseline=_baseline(workspace, truth, columns))


def _baseline(
    workspace: Workspace, truth: Truth, columns: Mapping[tuple[str, str], tuple[str, ...]]
) -> dict[str, Answer]:
    """The outcomes' answers at the earlier moment."""
    sections = workspace.project.file.sources.values()
    if not any(section.baseline is not None for section in sections):
        return {}
    queries = truth.outcomes
    with open_legacy(workspace.project, queries.values(), columns, baseline=True) as earlier:
        return {
            name: write_answer(
                earlier,
                f"the truth of outcome {name}, at the baseline",
                sql,
                workspace.region,
                workspace.lake.scratch(f"truth/baseline_{name}.parquet"),
                (SUBJECT, VALUE),
                optional=OUTCOME_COLUMNS,
            )
            for name, sql in queries.items()
        }


def answer_texts(workspace: Workspace, answer: Answer) -> DataFrame:
    """An answer as a frame of text columns."""
    schema = T.StructType([T.StructField(c, T.StringType()) for c in answer.columns])
    return workspace.spark.read.schema(schema).parquet(answer.path)


def _answer_rows(workspace: Workspace, answer: Answer, marks: Sequence[str]) -> DataFrame:
    rows = answer_texts(workspace, answer)
    # A column of the state may have that name.
    return without_blank_reasons(rows) if NOT_ELIGIBLE_REASON in marks else rows


def write_truth(
    workspace: Workspace, aggregate: str, answer: Answer, state: T.StructType
) -> tuple[TableWritten, DataFrame]:
    """Write `truth_<aggregate>`, with columns in the types of the state, and read it back.

    Marks keep their own types. ConfigurationError if the state has no such column; RunFailed for a
    value that its type cannot hold.
    """
    marks = marks_of(answer.columns, state.names)
    for column in answer.columns:
        if column not in state.names and column not in marks:
            raise ConfigurationError(
                f"the truth of aggregate {aggregate} vouches for column {column!r}, which its "
                f"state does not have.{did_you_mean(column, state.names)}",
                next_step=f"The state has: {', '.join(state.names)}.",
            )
    types = {
        column: MARK_TYPES[column] if column in marks else state[column].dataType
        for column in answer.columns
    }
    table = truth_table(aggregate, types)
    written = workspace.lake.write(
        parse_texts(_answer_rows(workspace, answer, marks), types),
        table,
        {column: count_unreadable(column) for column in types},
    )
    for column, rows in written.counts.items():
        if rows:
            raise RunFailed(
                f"the truth of aggregate {aggregate} has {rows:,} values in column {column} that "
                f"are no {types[column].simpleString()}",
                left_behind="The earlier stages are kept.",
                next_step=f"Mend the SQL of its truth: {column} is to be "
                f"{types[column].simpleString()}.",
            )
    path = workspace.lake.path(table.name)
    return written.table, workspace.spark.read.schema(table.ddl).parquet(path)


def truth_table(aggregate: str, types: Mapping[str, T.DataType]) -> Table:
    """The table contract of `truth_<aggregate>`."""
    return Table(
        name=truth_name(aggregate),
        one_row_is=f"one {aggregate} as the legacy itself knows it at the cut",
        columns=tuple(
            Column(name, kind.simpleString(), "the legacy's value", name != SUBJECT)
            for name, kind in types.items()
        ),
        rules=("one row per subject",),
    )
