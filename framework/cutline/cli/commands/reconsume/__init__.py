"""`cutline reconsume`, with a command for each step of a group that reads again."""

from cutline.cli.commands.reconsume.group import reconsume

__all__ = ["reconsume"]
