"""Cutline: moves a bounded context off a legacy system without lying about its history."""

from cutline.version import __version__

__all__ = ["__version__"]
