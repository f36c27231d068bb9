"""The stages of a re-drive: a run that translates the rows behind some exceptions once more.

It goes on from a complete run. Nothing is read from the sources; other rows, and the subjects that
these exceptions do not reach, stay as they are.
"""

from cutline.stages.redrive.selection import ExceptionSelection
from cutline.stages.redrive.stages import redrive_stages

__all__ = ["ExceptionSelection", "redrive_stages"]
