"""A sample: the generated legacy estate of a retailer, the same for the same seed."""

from __future__ import annotations

from cutline_translators.estate.projectfile import spark_section
from cutline_translators.retail.estate.projectfile import choose_major
from cutline_translators.retail.estate.write import write_project

__all__ = ["choose_major", "spark_section", "write_project"]
