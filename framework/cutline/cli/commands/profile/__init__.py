"""`cutline profile`, and the tables that it shows."""

from cutline.cli.commands.profile.command import profile

__all__ = ["profile"]
