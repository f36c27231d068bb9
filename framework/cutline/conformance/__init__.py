"""The conformance suite: properties of every translator, tested on generated histories.

One line in a plugin's tests makes one test of each property of each translator:

    test_conforms = conformance(RETAIL_2)
"""

from cutline.conformance.pytest_tests import conformance
from cutline.conformance.results import Conformance, PropertyResult, TrialSummary
from cutline.conformance.suite import check_translation

__all__ = ["Conformance", "PropertyResult", "TrialSummary", "check_translation", "conformance"]
