"""`cutline backfill`, the queue of what teams ask for, and `cutline serve`, which works on it."""

from cutline.cli.commands.backfill.queue import backfill
from cutline.cli.commands.backfill.serve import serve

__all__ = ["backfill", "serve"]
