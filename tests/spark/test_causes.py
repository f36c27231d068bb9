"""From what Spark's exceptions say to a cause: texts that were recorded from failures that happened."""

from __future__ import annotations

from pathlib import Path

import pytest
from py4j.protocol import Py4JNetworkError

from cutline.errors import ConfigurationError, RunFailed
from cutline.spark import gateway
from cutline.spark.causes import SparkSetup, cause_of, explained
from cutline.spark.machine import heap_bytes, heap_text, memory
from cutline.spark.python_workers import reason_of

LAKE = "/data/lake/shop/eu/shop-eu-0123"
SETUP = SparkSetup("local[*]", "1g", {"spark.local.dir": "/scratch/a,/scratch/b"}, LAKE)
LOST = (
    "Job aborted due to stage failure: Task 1 in stage 0.0 failed 1 times, most recent failure: "
    "Lost task 1.0 in stage 0.0 (TID 1) (192.0.2.2 executor driver): "
)
READING = (
    "org.apache.spark.SparkException: [FAILED_READ_FILE.{}] Encountered error while reading file "
)


def cause(*texts: str, setup: SparkSetup = SETUP) -> str:
    """What is said of an error whose chain has these texts."""
    error: BaseException | None = None
    for text in reversed(texts):
        outer = Exception(text)
        outer.__cause__ = error
        error = outer
    assert error is not None
    recognised = cause_of(error, setup)
    assert recognised is not None
    return recognised.sentence


@pytest.mark.parametrize(
    "text",
    [
        LOST + "java.lang.OutOfMemoryError: Java heap space\n\tat scala.collection…",
        "java.lang.OutOfMemoryError: GC overhead limit exceeded",
        "[UNABLE_TO_ACQUIRE_MEMORY] Unable to acquire 65536 bytes of memory, got 0. SQLSTATE: 53200",
    ],
)
def test_a_heap_that_is_used_up_and_what_to_set(text: str) -> None:
    recognised = cause_of(Exception(text), SETUP)
    assert recognised is not None
    assert recognised.sentence == "Spark has run out of memory"
    assert "spark.memory: 2g" in recognised.next_step
    assert "(it was 1g)" in recognised.next_step


def test_more_memory_than_the_machine_has_is_not_asked_for() -> None:
    most = heap_text(memory().total * 3 // 4)
    assert "or a cluster" in SparkSetup("local[*]", most).more_memory()
    assert "the session" in SparkSetup("local[*]", None).more_memory()


def test_a_broadcast_and_a_result_that_are_too_large() -> None:
    broadcast = (
        "org.apache.spark.SparkException: [_LEGACY_ERROR_TEMP_2250] Not enough memory to build and "
        "broadcast the table to all worker nodes. As a workaround, you can either disable …"
    )
    assert cause("x", broadcast) == "a table that every task needs does not fit into Spark's memory"
    result = (
        "Job aborted due to stage failure: Total size of serialized results of 1 tasks (7.3 MiB) is "
        "bigger than spark.driver.maxResultSize (1024.0 KiB)"
    )
    assert cause(result) == (
        "the results of 1 tasks (7.3 MiB) are more than the driver takes at once (1024.0 KiB)"
    )


def test_a_disk_is_named_by_what_spark_was_doing() -> None:
    """A full disk for sorting is told by Spark as lack of memory."""
    sorting = LOST + (
        "org.apache.spark.memory.SparkOutOfMemoryError: [SPILL_OUT_OF_MEMORY] Error while calling "
        "spill() on org.apache.spark.util.collection.unsafe.sort.UnsafeExternalSorter@6b98e89f : "
        "No space left on device SQLSTATE: 82003"
    )
    assert cause(sorting).startswith(
        "no space is left on the disk where Spark keeps what it sorts and exchanges, /scratch/a ("
    )
    writing = (
        "[TASK_WRITE_FAILED] Task failed while writing rows to "
        f"file:{LAKE}/_writing/1/events-4e7f/_temporary/0/part-00001.zstd.parquet. SQLSTATE: 58030"
    )
    full = "java.io.IOException: No space left on device"
    assert cause(writing, "org.apache.hadoop.fs.FSError: java.io.IOException", full).startswith(
        f"no space is left on the disk of {LAKE} ("
    )
    of_python = "OSError: [Errno 28] No space left on device: '/data/lake/x/part-0.parquet'"
    assert "/data/lake/x/part-0.parquet" in cause(of_python)


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (
            (
                READING.format("FILE_NOT_EXIST")
                + "file:///in/orders%20eu/part-0.parquet. File does not exist. It is possible …",
                "java.io.FileNotFoundException: File file:/in/orders eu/part-0.parquet does not exist",
            ),
            "file /in/orders eu/part-0.parquet is there no more",
        ),
        (
            ("[PATH_NOT_FOUND] Path does not exist: file:/in/nowhere. SQLSTATE: 42K03",),
            "file /in/nowhere is there no more",
        ),
        (
            (
                READING.format("CANNOT_READ_FILE_FOOTER") + "file:/in/a.parquet. Could not read …",
                "java.lang.RuntimeException: file:/in/a.parquet is not a Parquet file. Expected "
                "magic number at tail, but found [0, 1, 2, 3]",
            ),
            "file /in/a.parquet is no whole Parquet file: it was copied in part, or is of another "
            "format",
        ),
        (
            (
                READING.format("NO_HINT") + "file:///in/a.parquet.  SQLSTATE: KD001",
                "java.lang.RuntimeException: file:/in/a.parquet is not a Parquet file (length is "
                "too low: 0)",
            ),
            "file /in/a.parquet ends too early: it was copied in part, or is still being written",
        ),
        (
            (
                READING.format("NO_HINT") + "file:///in/a.parquet.  SQLSTATE: KD001",
                "org.apache.hadoop.fs.ChecksumException: Checksum error: file:/in/a.parquet at 2560",
            ),
            "file /in/a.parquet is damaged: its bytes are not those that were written",
        ),
        (
            (
                READING.format("NO_HINT")
                + f"file://{LAKE}/events/part-0.parquet.  SQLSTATE: KD001",
                "java.io.IOException: Input/output error",
            ),
            f"file {LAKE}/events/part-0.parquet cannot be read: java.io.IOException: Input/output "
            "error, which a stage of this run wrote",
        ),
        (
            ("java.io.FileNotFoundException: /in/a.csv (Permission denied)",),
            "/in/a.csv may not be read or written by this user",
        ),
    ],
)
def test_a_file_is_named(texts: tuple[str, ...], says: str) -> None:
    assert cause(*texts) == says


def test_a_table_of_the_run_is_made_again_by_removing_it() -> None:
    message = (
        READING.format("FILE_NOT_EXIST") + f"file://{LAKE}/events/part-0.parquet. File does not "
    )
    recognised = cause_of(Exception(message), SETUP)
    assert recognised is not None
    assert recognised.next_step.endswith(f"remove the folder {LAKE}/events.")


def test_workers_and_executors() -> None:
    crashed = LOST + "org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)."
    assert cause(crashed, "java.io.EOFException").startswith("a Python worker of Spark ended")
    lost = LOST + "ExecutorLostFailure (executor 3 exited caused by one of the running tasks) "
    assert cause(lost + "Reason: Command exited with code 137") == (
        "executor 3 of the cluster was lost: Command exited with code 137"
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("JAVA_HOME is not set", "there is no Java, which Spark runs in"),
        ("spark-class: line 71: /nope/bin/java: No such file or directory", "there is no Java"),
        (
            'Exception in thread "main" java.lang.UnsupportedClassVersionError: org/apache/spark/'
            "launcher/Main has been compiled by a more recent version (class file version 61.0)",
            "the Java that is found first is too old for Spark",
        ),
        (
            "Error occurred during initialization of VM\nCould not reserve enough space for object "
            "heap",
            "Java cannot have a heap of 1g on this machine",
        ),
        (
            'Exception in thread "main" org.apache.spark.SparkException: Master must either be yarn '
            "or start with spark, k8s, or local",
            "spark.master: local[*] names no kind of master",
        ),
        (
            'Exception in thread "main" org.apache.spark.SparkException: When running with master '
            "'yarn' either HADOOP_CONF_DIR or YARN_CONF_DIR must be set in the environment.",
            "Spark's process did not start: When running with master 'yarn' either HADOOP_CONF_DIR "
            "or YARN_CONF_DIR must be set in the environment.",
        ),
    ],
)
def test_a_process_that_did_not_start(
    words: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cutline.spark.causes.start.last_words", lambda: tuple(words.split("\n")))
    error = explained(RuntimeError("[JAVA_GATEWAY_EXITED] Java gateway process exited"), SETUP)
    assert isinstance(error, ConfigurationError)
    assert error.what.startswith(says)
    assert error.next_step


@pytest.mark.parametrize(
    ("end", "says"),
    [
        ("ended with code 52", "Spark has run out of memory, and its process has ended"),
        ("killed by SIGKILL", "Spark's process was killed: as a rule by the system"),
        ("ended with code 1", "Spark's process is gone: ended with code 1"),
    ],
)
def test_a_process_that_is_gone(end: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cutline.spark.causes.processes.end_of_process", lambda _: end)
    error = explained(ConnectionRefusedError(111, "Connection refused"), SETUP)
    assert isinstance(error, RunFailed)
    assert error.what.startswith(says)


def test_what_is_no_failure_of_spark_is_left_as_it_is() -> None:
    assert explained(ValueError("an odd number"), SETUP) is None
    assert explained(ConnectionRefusedError(111, "of a database"), SETUP) is None
    assert explained(RunFailed("No space left on device"), SETUP) is None


def test_an_error_whose_text_is_gone_with_the_process() -> None:
    class Broken(Exception):
        def __str__(self) -> str:
            raise ConnectionRefusedError

    assert explained(Broken(), SETUP) is None


def test_java_that_is_gone_before_it_could_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """Out of memory, Spark's process ends while it is asked for the exception."""

    class Unanswered:
        def getClass(self) -> None:  # noqa: N802
            raise ConnectionResetError

    class Failure(Exception):
        java_exception = Unanswered()

        def __str__(self) -> str:
            raise ConnectionRefusedError

    monkeypatch.setattr(
        "cutline.spark.causes.processes.end_of_process", lambda _: "ended with code 52"
    )
    error = explained(Failure(), SETUP)
    assert error is not None
    assert error.what == "Spark has run out of memory, and its process has ended"
    assert reason_of(Failure()) == "it cannot be read: the process of Java is gone"


@pytest.mark.parametrize(
    "text",
    [
        "Job aborted due to stage failure: FetchFailed: java.io.IOException: "
        "Failed to connect to worker-2/10.0.0.7:41021",
        "Error has occurred in a rule of orders.v1",
    ],
)
def test_what_fails_between_workers_is_no_missing_master(text: str) -> None:
    assert explained(RuntimeError(text), SparkSetup("spark://master:7077", "2g")) is None


STOPPED = "Job 0 cancelled because SparkContext was shut down"


@pytest.mark.parametrize(
    "text",
    [
        STOPPED,
        "[INTERNAL_ERROR] Executed command failed. You hit a bug in Spark\n"
        "java.lang.NullPointerException: Cannot invoke "
        '"org.apache.spark.scheduler.DAGScheduler.cleanupQueryJobs(long)"',
    ],
)
def test_what_fails_while_a_process_ends(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Out of memory, Spark's process may answer until it has ended."""
    words = "26/11/25 21:12:27 ERROR SparkUncaughtExceptionHandler: Uncaught exception in thread"
    monkeypatch.setattr("cutline.spark.causes.processes.last_words", lambda: (words,))
    monkeypatch.setattr(
        "cutline.spark.causes.processes.end_of_process", lambda _: "ended with code 52"
    )
    error = explained(RuntimeError(text), SETUP)
    assert error is not None
    assert error.what == "Spark has run out of memory, and its process has ended"


def test_a_session_that_somebody_stopped_is_no_end_of_its_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cutline.spark.causes.processes.last_words", lambda: ())
    assert explained(RuntimeError(STOPPED), SETUP) is None


def test_a_process_that_neither_answers_nor_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cutline.spark.causes.processes.end_of_process", lambda _: None)
    error = explained(Py4JNetworkError("Answer from Java side is empty"), SETUP)
    assert isinstance(error, RunFailed)
    assert error.what.startswith("Spark's process does not answer any more")
    assert "Set spark.memory: " in error.next_step


def test_sizes_of_heaps() -> None:
    assert heap_bytes("2g") == 2 << 30
    assert heap_text(heap_bytes("1536m")) == "1536m"


def test_a_process_that_runs_has_not_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "_process", None)
    assert gateway.end_of_process() is None
    assert SparkSetup("local", "2g").local_folders != (Path(),)
