"""Which state column made a job fail, and at which subject.

The jobs of Spark end with what failed, and without its names. So what fails is thrown with them, as
JSON behind a mark, and read from the error again.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.errors import RunFailed
from cutline.masking import Masking
from cutline.spark.causes import texts_of

_MARK = "cutline-state-error: "
_THROWN = re.compile(re.escape(_MARK) + r"(?=\{)")


class StateError(Exception):
    """A state column that cannot be computed of a subject: its text is for `state_errors`."""

    def __init__(self, aggregate: str, column: str, subject: str, why: str) -> None:
        fault = {"aggregate": aggregate, "column": column, "subject": subject, "why": why}
        super().__init__(_MARK + json.dumps(fault))


class UncomputableState(RunFailed):
    """A state column cannot be computed of the subject `of`, an aggregate and its subject."""

    def __init__(self, message: str, of: tuple[str, str]) -> None:
        super().__init__(
            message,
            left_behind="The stages before it are kept; nothing of this one is visible.",
            next_step="Correct the column in the context (a wider type, a fold that takes such "
            "events), raise its version, and run the same command again.",
        )
        self.of = of


def state_error(aggregate: str, column: str, why: str) -> Column:
    """What ends a job with the subject of the row, for `state_errors`."""
    fault = F.struct(
        F.lit(aggregate).alias("aggregate"),
        F.lit(column).alias("column"),
        F.col("subject"),
        F.lit(why).alias("why"),
    )
    return F.raise_error(F.concat(F.lit(_MARK), F.to_json(fault)))


@contextlib.contextmanager
def state_errors(masking: Masking) -> Iterator[None]:
    """Within it, a job that fails because of a state column raises UncomputableState.

    Any other failure is raised as it was. A subject that is personal is masked.
    """
    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        text = texts_of(error)
        thrown = _THROWN.search(text)
        if thrown is None:
            raise
        fault, _ = json.JSONDecoder().raw_decode(text, thrown.end())
        subject = masking.subject(fault["aggregate"], fault["subject"])
        raise UncomputableState(
            f"state column {fault['column']} of aggregate {fault['aggregate']} cannot be computed "
            f"for subject {subject}: {fault['why']}",
            (fault["aggregate"], fault["subject"]),
        ) from error
