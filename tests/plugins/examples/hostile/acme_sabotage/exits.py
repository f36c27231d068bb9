"""Ends the process at import, or tries to."""

import sys

sys.exit("no licence")
