"""`cutline new`, with a command for each kind of package."""

from cutline.cli.commands.new.group import new

__all__ = ["new"]
