"""`cutline explain`, and the stories that it tells."""

from cutline.cli.commands.explain.command import explain

__all__ = ["explain"]
