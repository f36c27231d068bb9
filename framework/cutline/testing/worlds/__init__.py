"""Many small histories, each in a world of its own, judged in one Spark job."""

from cutline.testing.worlds.judge import judged
from cutline.testing.worlds.told import End, Told

__all__ = ["End", "Told", "judged"]
