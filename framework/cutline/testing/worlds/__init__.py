"""Many small histories, each in a world of its own, judged in one Spark job."""

from cutline.testing.worlds.results import End, Told
from cutline.testing.worlds.translate import judged

__all__ = ["End", "Told", "judged"]
