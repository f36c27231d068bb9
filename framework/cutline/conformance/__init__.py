"""The conformance suite: what every translator must keep, tried on generated histories.

One line in a plugin's tests gives one test for each property of each translator:

    test_conforms = conformance(RETAIL_2)
"""

from cutline.conformance.pytest_tests import conformance
from cutline.conformance.results import Conformance, Finding, Judged
from cutline.conformance.suite import conformance_of

__all__ = ["Conformance", "Finding", "Judged", "conformance", "conformance_of"]
