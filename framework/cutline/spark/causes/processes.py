"""A process that is gone: Spark's own, an executor's, a Python worker."""

from __future__ import annotations

import re

from cutline.spark.causes.cause import SparkCause
from cutline.spark.causes.chain import UNANSWERED
from cutline.spark.causes.setup import SparkSetup
from cutline.spark.gateway import end_of_process, last_words

_OUT_OF_MEMORY = 52
"""With this code Spark ends its process when the heap is used up."""
_LONG, _SHORT = 60.0, 1.0
"""Seconds for a process to end that has no heap left for it, and for one that is gone already."""
_GATEWAY = re.compile(
    r"Py4JNetworkError|ConnectionRefusedError|ConnectionResetError|BrokenPipeError|"
    r"does not exist in the JVM|Answer from Java side is empty"
)
_UNCAUGHT = "SparkUncaughtExceptionHandler"
"""What writes last before Spark ends its process for an error that nobody has caught."""
_WORKER = re.compile(r"Python worker exited unexpectedly|Python worker failed to connect back")
_EXECUTOR = re.compile(r"ExecutorLostFailure \(executor (\S+) exited[^)]*\)(?: Reason: ([^\n]*))?")
_NO_MEMORY = re.compile(r"OutOfMemoryError|insufficient memory for the Java Runtime")


def java_process_cause(text: str, setup: SparkSetup) -> SparkCause | None:
    """Why this process's Java is gone; None where it runs, or another one's is meant."""
    unanswered = UNANSWERED in text
    # On its way out the process still answers, and what fails then may say anything.
    is_ending = any(_UNCAUGHT in line for line in last_words())
    if not _GATEWAY.search(text) and not is_ending:
        return None
    # A refused connection may be that of a database, for which nobody should wait long.
    end = end_of_process(_LONG if unanswered or is_ending else _SHORT)
    if end is None and unanswered:
        return SparkCause(
            "Spark's process does not answer any more: as a rule its heap is used up",
            setup.more_memory(),
        )
    if end is None:
        return None
    words = "\n".join(last_words())
    if end == f"ended with code {_OUT_OF_MEMORY}" or _NO_MEMORY.search(words):
        return SparkCause(
            "Spark has run out of memory, and its process has ended", setup.more_memory()
        )
    if "SIGKILL" in end:
        heap = f" (now {setup.memory})" if setup.memory else ""
        return SparkCause(
            "Spark's process was killed: as a rule by the system, because the machine or the "
            "container has no memory left",
            "See the system's log (dmesg, or the container's events). If it was for memory, stop "
            f"what else runs there, give it more, or set spark.memory{heap} lower.",
        )
    return SparkCause(
        f"Spark's process is gone: {end}{_quoted(words)}",
        "See what Spark wrote above, and the system's log.",
    )


def executor_cause(text: str, _: SparkSetup) -> SparkCause | None:
    """An executor of a cluster that was lost, more often than Spark tries again."""
    if (match := _EXECUTOR.search(text)) is None:
        return None
    reason = f": {match[2].strip().rstrip('.')}" if match[2] else ""
    return SparkCause(
        f"executor {match[1]} of the cluster was lost{reason}",
        "See its log on the worker. If it was killed for its memory (code 137), set "
        "spark.executor.memory, or spark.executor.memoryOverhead, higher under spark.conf.",
    )


def python_worker_cause(text: str, _: SparkSetup) -> SparkCause | None:
    """A Python worker that is gone without having said why."""
    if not _WORKER.search(text):
        return None
    return SparkCause(
        "a Python worker of Spark ended without a word: its process was killed, or a library that "
        "a Python rule calls crashed",
        "See the system's log (dmesg) for a process that was killed for memory: workers need some "
        "beside spark.memory. For a crash, set spark.conf: "
        '{spark.python.worker.faulthandler.enabled: "true"} in cutline.yaml and run again: the '
        "traceback then names the function.",
    )


def _quoted(words: str) -> str:
    fatal = [line for line in words.splitlines() if re.match(r"#|Exception|Error|Caused by", line)]
    return f" ({fatal[0].strip('# ')[:200]})" if fatal else ""
