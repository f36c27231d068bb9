"""`cutline run`, and the lines in which it tells what came out."""

from cutline.cli.commands.run.command import run

__all__ = ["run"]
