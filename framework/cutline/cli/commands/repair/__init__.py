"""`cutline repair`, with a command for each thing that is done to a table of windows."""

from cutline.cli.commands.repair.group import repair

__all__ = ["repair"]
