"""Read models in databases of their own: no two of cutline.yaml have versions of a slice in one."""

from __future__ import annotations

from cutline.context import Context
from cutline.errors import RunFailed
from cutline.project.loaded import LoadedProject
from cutline.project.rollout import StatesDatabase
from cutline.readmodels.database import KEY, ReadModelDatabase
from cutline.readmodels.feed_state import fed_run_ids
from cutline.readmodels.model import ReadModelVersion
from cutline.readmodels.neighbours import refuse_neighbours
from cutline.readmodels.read_model import ReadModel, read_model_in
from cutline.readmodels.records import SliceName


def separate_read_model(
    project: LoadedProject, section: StatesDatabase, key: str, context: Context, region: str
) -> ReadModel:
    """The read model of a slice in the database of a section, which cutline.yaml has under `key`.
    Nothing is opened or made.

    ConfigurationError where another section has versions of the slice in that database: each drops
    what is none of its own. Also raises what `read_model_of` says.
    """
    read_model = read_model_in(project, section, key, context, region)
    refuse_neighbours(project, key, context)
    return read_model


def released_read_model(project: LoadedProject, context: Context, region: str) -> ReadModel | None:
    """As `separate_read_model`, of the releases of a slice; None where cutline.yaml has none."""
    section = project.file.rollout.read_model
    if section is None:
        return None
    return separate_read_model(project, section, KEY, context, region)


def fed_runs(project: LoadedProject, context: str, region: str) -> dict[str, str]:
    """By run, which database of `rebuilds` in cutline.yaml has versions of a slice that are fed
    with its history. Raises what the database refuses."""
    runs: dict[str, str] = {}
    for name, section in project.file.rebuilds.items():
        database = ReadModelDatabase.of(project, section, f"rebuilds.{name}")
        with database.look() as connection:
            if connection is not None:
                fed = fed_run_ids(connection, SliceName(context, region))
                runs |= dict.fromkeys(fed, f"rebuilds.{name} is fed with it")
    return runs


def show_only(read_model: ReadModel, version: ReadModelVersion) -> None:
    """Let the views show the version, in one transaction, and drop the tables of all others.

    RunFailed, and nothing is shown, where somebody else wrote into the version's tables: they are
    dropped, so that the next attempt builds them anew.
    """
    writes = read_model.verify(version)
    if writes:
        rows = sum(write.rows for write in writes)
        if read_model.pointed() != version.version:
            read_model.drop(version.version)
        raise RunFailed(
            f"somebody else wrote into table {writes[0].table} while it was filled: {rows:,} rows, "
            f"the first of them {writes[0].first!r}",
            left_behind="What services read was not changed; the tables of the version that was "
            "filled are dropped.",
            next_step="Take the right to write there away, then run the same command again.",
        )
    read_model.point(version)
    for number in read_model.numbers():
        if number != version.version:
            read_model.drop(number)
