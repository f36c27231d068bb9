"""`cutline snapshot`, and `cutline rehydrate`, which begins from one."""

from cutline.cli.commands.snapshot.group import snapshot
from cutline.cli.commands.snapshot.rehydrate import rehydrate

__all__ = ["rehydrate", "snapshot"]
