"""What the views of a slice show: a release, and perhaps the columns of another one."""

from __future__ import annotations

from cutline.errors import RunFailed
from cutline.readmodels import Beside, ReadModelVersion
from cutline.rollout.work import RolloutWork


def show_release(work: RolloutWork, number: int | None, expanded: int | None) -> None:
    """Let the views show a release, with the columns of another one beside it if that is not None.

    RunFailed for a release without tables.
    """
    read_model, move = work.declared_read_model, work.standing.version
    if number is None:
        read_model.point(None, move)
        return
    beside = None if expanded is None else Beside(_version(work, expanded), "expanded")
    read_model.point(_version(work, number), move, beside)


def contract_views(work: RolloutWork, number: int | None, base: int | None) -> None:
    """Let the views show the columns of a release, and no more those of the one before."""
    assert number is not None
    assert base is not None
    beside = Beside(_version(work, base), "contracted")
    work.declared_read_model.point(_version(work, number), work.standing.version, beside)


def _version(work: RolloutWork, number: int) -> ReadModelVersion:
    release = work.release(number)
    version = work.read_model_version(release)
    if release is None or version is None:
        run = "RUN" if release is None else release.run_id
        raise RunFailed(
            f"Release {number} was staged without a read model, and cutline.yaml declares one now.",
            left_behind="The views are as they were.",
            next_step=f"Stage its run again: cutline rollout stage {work.context} --region "
            f"{work.region} {run}",
        )
    return version
