"""`cutline compare`, and the tables that it shows."""

from cutline.cli.commands.compare.command import compare

__all__ = ["compare"]
