"""Which rule a job died of.

What a domain team writes can fail on a row that it did not think of: a division by zero, a text
that is no number. Spark then stops the whole job and tells the operation, not who asked for it. So
each piece is asked again by itself, until one fails. (Facts in Python name the row by themselves.)
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.examine import analyse_translator
from cutline.engine.facts import compile_facts
from cutline.engine.rules import holds, rule_label
from cutline.engine.translate import Inputs, ended_images
from cutline.errors import RunFailed
from cutline.translator.checks import row_checks
from cutline.translator.contract import SourceContract
from cutline.translator.translator import Translator


@contextlib.contextmanager
def attribute_rule_errors(
    translators: Sequence[type[Translator]], inputs: Inputs
) -> Iterator[None]:
    """Within it, a job of Spark's that fails for one of their rules raises RunFailed naming it.

    Any other failure is raised as it was. Asking costs a job per rule, and only after a failure.
    """
    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        for where, selected in _pieces(translators, inputs):
            why = _failure(selected)
            if why is not None:
                raise RunFailed(
                    f"{where} fails on a row that it is asked about: {why}",
                    left_behind="The command wrote nothing of it; what was there before is kept.",
                    next_step="Write it so that such a row gives null (F.try_divide, try_cast, "
                    "F.try_to_timestamp) or say what it means, raise the version where the "
                    "meaning changes, and run the same command again.",
                ) from error
        raise


def _pieces(
    translators: Sequence[type[Translator]], inputs: Inputs
) -> Iterator[tuple[str, DataFrame]]:
    """What each row check, rule and fact asks by itself, and how errors speak of it."""
    for contract, changes in inputs.items():
        yield from _of_contract(contract, changes.frame)
    for translator in translators:
        spark = next(iter(inputs.values())).frame.sparkSession
        facts = compile_facts(translator, analyse_translator(spark, translator))
        images = ended_images(translator, inputs, facts)
        images = images.where(F.col("row_end").isNull())
        for rule in translator.row_rules:
            yield rule_label(translator, rule), images.select(holds(translator, rule))
        for fact in facts:
            # As the stage asks it: what an event holds only where the fact does.
            columns = _numbered(
                fact.holds(), fact.fault(), fact.events(fact.risen(None), changing=False)
            )
            yield rule_label(translator, fact.rule), images.select(*columns)


def _of_contract(
    contract: type[SourceContract], changes: DataFrame
) -> Iterator[tuple[str, DataFrame]]:
    readable = changes.where(F.col("after").isNotNull() & (F.size("defects") == 0))
    for name, check in row_checks(contract):
        if check is not None:
            holds_column = check.holds(contract, F.col("after").getField)
            where = f"contract {contract.__name__}, row check {name}"
            yield where, readable.select(*_numbered(holds_column))


def _numbered(*columns: Column) -> list[Column]:
    return [column.alias(f"c{i}") for i, column in enumerate(columns)]


def _failure(selected: DataFrame) -> str | None:
    """What Spark says of the failure, without its stack; null if nothing fails."""
    try:
        selected.write.format("noop").mode("overwrite").save()
    except (PySparkException, Py4JJavaError) as error:
        return _first_line(error)
    return None


def _first_line(error: Any) -> str:
    """The first line that has one of Spark's error classes, or else the first of all."""
    text = str(error).strip()
    match = re.search(r"\[[A-Z][A-Z_.0-9]+\] [^\n]+", text)
    return match[0] if match else text.splitlines()[0]
