"""The command line. It wires: the only place that knows everyone. Importing it loads no Spark."""

from cutline.cli.app import main

__all__ = ["main"]
