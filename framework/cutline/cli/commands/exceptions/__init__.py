"""`cutline exceptions`: rows and events that wait for a person, as a list of work."""

from cutline.cli.commands.exceptions.group import exceptions

__all__ = ["exceptions"]
