"""The report of a run as one value, `RunReport`, and its views: an HTML file, a JSON document."""

from cutline_reports.as_json import as_json
from cutline_reports.html import as_html
from cutline_reports.model import RunReport

__all__ = ["RunReport", "as_html", "as_json"]
