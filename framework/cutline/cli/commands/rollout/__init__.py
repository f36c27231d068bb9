"""`cutline rollout`, with a command for each move of a slice."""

from cutline.cli.commands.rollout.group import rollout

__all__ = ["rollout"]
