"""`cutline lineage`, with a command for what was not sent."""

from cutline.cli.commands.lineage.group import lineage

__all__ = ["lineage"]
