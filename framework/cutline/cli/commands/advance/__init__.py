"""`cutline advance`: once, until nothing is left, or again and again."""

from cutline.cli.commands.advance.command import advance

__all__ = ["advance"]
