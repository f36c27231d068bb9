"""What a run on a cluster needs beside what any run needs; refused before any work."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.control.address import address
from cutline.errors import ConfigurationError
from cutline.plugins import modules_of
from cutline.project.loaded import LoadedProject
from cutline.project.spark import is_local
from cutline.project.topics import FileTopicsSection
from cutline.spark.cluster import refuse_plugins_left_behind
from cutline.spark.on_workers import ask_workers
from cutline.spark.session import running_session
from cutline.translator.translation import Translation

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOCAL = "Nothing was started."
_OR_LOCALLY = "or run on this machine alone: --master 'local[*]'."


def refuse_local_control(project: LoadedProject) -> None:
    """ConfigurationError if the run's master is a cluster and its control database is a file.

    Asked before a session is started.
    """
    running = running_session() if "pyspark.sql" in sys.modules else None
    master = str(running.sparkContext.master) if running else project.file.spark.master
    if (refusal := local_control(project, master)) is not None:
        raise refusal


def local_control(project: LoadedProject, master: str) -> ConfigurationError | None:
    """What a run on this master is refused for, if its control database is a file; else null."""
    control = address(project.file.control, project.folder)
    if is_local(master) or control.file is None:
        return None
    return ConfigurationError(
        f"control: the SQLite file {control.file} cannot keep two machines apart, and a run on "
        f"{master} may be started from any of the cluster's",
        left_behind=_LOCAL,
        next_step="Set `control: postgresql://user:password@host:5432/database` in "
        f"cutline.yaml, {_OR_LOCALLY}",
    )


def refuse_unshared(
    project: LoadedProject, translation: Translation, region: str, spark: SparkSession
) -> None:
    """ConfigurationError if the session's cluster lacks the plugins, or sees other files than we.

    Each worker that takes part reads a file that we wrote in the folders that both write to, and
    writes one that we look for; of the files that workers read themselves it tells the sizes.
    """
    if is_local(str(spark.sparkContext.master)):
        return
    refuse_plugins_left_behind(spark, modules_of(translation))
    _refuse_unshared_folder(spark, "lake", project.lake)
    topics = project.file.topics
    if isinstance(topics, FileTopicsSection):
        _refuse_unshared_folder(spark, "topics.path", project.path(topics.path))
    _refuse_unseen_files(spark, project, translation, region)


def _refuse_unshared_folder(spark: SparkSession, key: str, place: str) -> None:
    folder = _local(place)
    if folder is None:
        return
    with _marked(folder) as marked:
        marker, token = str(marked / "marker"), marked.name

        def difference(number: int) -> str | None:
            # This function goes to the worker by value.
            import pathlib
            import socket

            try:
                text = pathlib.Path(marker).read_text(encoding="utf-8")
                pathlib.Path(f"{marker}-{number}").write_text(token, encoding="utf-8")
            except OSError as error:
                return f"worker {socket.gethostname()}: {error.strerror}: {error.filename}"
            return None if text == token else f"worker {socket.gethostname()} sees another folder"

        differences = ask_workers(spark, difference)
        wrong = next((text for text in differences if text is not None), None)
        if wrong is None and any(
            not Path(f"{marker}-{number}").exists() for number in range(len(differences))
        ):
            wrong = "what a worker wrote there is not seen here"
        if wrong is not None:
            raise ConfigurationError(
                f"{key}: {folder} is not one folder for this machine and all workers of "
                f"{spark.sparkContext.master}: {wrong}",
                left_behind=_LOCAL,
                next_step=f"Choose a folder on a file system that all of them mount, {_OR_LOCALLY}",
            )


def _refuse_unseen_files(
    spark: SparkSession, project: LoadedProject, translation: Translation, region: str
) -> None:
    from cutline.sources import files_of_workers

    keys = files_of_workers(project, translation, region)
    sizes = {str(file.absolute()): file.stat().st_size for file in keys}
    if not sizes:
        return

    def difference(_: int) -> tuple[str, str] | None:
        # This function goes to the worker by value.
        import pathlib
        import socket

        for name, size in sizes.items():
            try:
                own_size = pathlib.Path(name).stat().st_size
            except OSError as error:
                return name, f"worker {socket.gethostname()}: {error.strerror}"
            if own_size != size:
                return name, f"on worker {socket.gethostname()} it has {own_size:,} bytes"
        return None

    wrong = next((answer for answer in ask_workers(spark, difference) if answer is not None), None)
    if wrong is not None:
        name, why = wrong
        key = next(key for file, key in keys.items() if str(file.absolute()) == name)
        raise ConfigurationError(
            f"{key}: the workers of {spark.sparkContext.master} do not see {name}: {why}",
            left_behind=_LOCAL,
            next_step=f"Put the extract on a file system that all of them mount, {_OR_LOCALLY}",
        )


@contextmanager
def _marked(folder: Path) -> Iterator[Path]:
    """A new folder within it, of a name that nobody else has, with a marker that holds the name."""
    import shutil

    marked = folder / f"_cluster-{uuid.uuid4().hex}"
    try:
        marked.mkdir(parents=True)
        marked.chmod(0o777)
        (marked / "marker").write_text(marked.name, encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(
            f"{folder} cannot be written to: {error.strerror}",
            next_step="Mend the permissions, or choose another folder.",
        ) from error
    try:
        yield marked
    finally:
        shutil.rmtree(marked, ignore_errors=True)


def _local(place: str) -> Path | None:
    """The folder, if the place is one of a machine and not of a file system of its own."""
    path = place.removeprefix("file://") if place.startswith("file:///") else place
    return None if "://" in path else Path(path.removeprefix("file:"))
