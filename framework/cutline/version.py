"""The version of Cutline, and the version of what it computes: one place that all else reads."""

__version__ = "0.2.0"
"""The product's version: `--version`, plugins' requirements, reports and documents have it."""

RESULTS_VERSION = "0.1.0"
"""The version of what the stages compute from the same inputs. Run ids and extract digests have it.

It becomes the version of the release that changes a result, and of no other: a run that was made
under another one is never continued, and its extract is not taken over.
"""
