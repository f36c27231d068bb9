"""Views of a comparison of two tables, from its JSON document alone."""

from cutline_reports.comparison.junit import as_junit
from cutline_reports.comparison.page import as_html
from cutline_reports.comparison.words import sentence, title, verdict

__all__ = ["as_html", "as_junit", "sentence", "title", "verdict"]
