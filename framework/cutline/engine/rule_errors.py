"""Which rule made a job fail.

What a domain team writes can fail on an unexpected row: a division by zero, a text that is no
number. Spark then stops the whole job and names the operation, but not the rule. So each rule is
evaluated again by itself, until one fails. (Facts in Python catch their errors and name the row.)
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.examine import analyse_translator
from cutline.engine.facts import compile_facts
from cutline.engine.restore import ROW_END
from cutline.engine.rules import holds, rule_label
from cutline.engine.translate import Inputs, ended_images
from cutline.errors import RunFailed
from cutline.translator.checks import row_checks
from cutline.translator.contract import SourceContract
from cutline.translator.translator import Translator
from cutline.wording import first_line


@contextlib.contextmanager
def attribute_rule_errors(
    translators: Sequence[type[Translator]], inputs: Inputs
) -> Iterator[None]:
    """Within it, a Spark job that fails because of a rule raises RunFailed with the rule's name.

    Any other failure is raised as it was. The search runs a job per rule, and only after a failure.
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
    """Each row check, rule and fact by itself: its label, and a frame that evaluates it."""
    for contract, changes in inputs.items():
        yield from _of_contract(contract, changes.frame)
    for translator in translators:
        spark = next(iter(inputs.values())).frame.sparkSession
        facts = compile_facts(translator, analyse_translator(spark, translator))
        images = ended_images(translator, inputs, facts)
        images = images.where(F.col(ROW_END).isNull())
        for rule in translator.row_rules:
            yield rule_label(translator, rule), images.select(holds(translator, rule))
        for fact in facts:
            # As in the stage: an event's columns are evaluated only where its fact holds.
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
    """The message of the failure, without its stack; None if nothing fails."""
    try:
        selected.write.format("noop").mode("overwrite").save()
    except (PySparkException, Py4JJavaError) as error:
        return _line_of_error_class(error)
    return None


def _line_of_error_class(error: Exception) -> str:
    """The first line with one of Spark's error classes; without any, the first line."""
    match = re.search(r"\[[A-Z][A-Z_.0-9]+\] [^\n]+", str(error))
    return match[0] if match else first_line(error)
