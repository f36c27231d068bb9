"""The command line: it parses what was typed, asks `cutline.api`, and shows what comes back.

It imports nothing else of Cutline but errors, exit codes, and how texts are shown. Importing it
loads no Spark.
"""

from cutline.cli.app import main

__all__ = ["main"]
