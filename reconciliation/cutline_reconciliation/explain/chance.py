"""The probability that a difference comes about by chance: Fisher's exact test, one-sided.

R. A. Fisher, The Design of Experiments (1935). Under the null hypothesis an attribute is
independent of breaking, so the number of broken subjects with it is hypergeometric; the p-value is
the probability of that number or a greater one. The test is exact for small numbers, too.

Where many attributes are tested, one of them stands out by chance alone. The p-value is therefore
multiplied by the number of tests (Bonferroni), as in MacroBase (Bailis et al., SIGMOD 2017). Pure
Python.
"""

from __future__ import annotations

from math import exp, lgamma

MOST_CHANCE = 0.05
"""The significance level, after correction for the number of tests."""
_NEGLIGIBLE = 1e-12


def chance(*, broken_with: int, matched_with: int, broken: int, matched: int) -> float:
    """The p-value, 0 to 1, of at least `broken_with` of `broken` subjects with an attribute.

    The attribute is one of `broken_with + matched_with` of all subjects. The value is 1 where no
    more have it than expected.
    """
    whole, having = broken + matched, broken_with + matched_with
    if broken_with * whole <= having * broken:
        return 1.0
    term = exp(
        _log_ways(having, broken_with)
        + _log_ways(whole - having, broken - broken_with)
        - _log_ways(whole, broken)
    )
    total = 0.0
    # Above the expectation each term is less than the one before it.
    for k in range(broken_with, min(having, broken) + 1):
        total += term
        if term <= total * _NEGLIGIBLE:
            break
        term *= (having - k) * (broken - k) / ((k + 1) * (whole - having - broken + k + 1))
    return min(total, 1.0)


def _log_ways(whole: int, part: int) -> float:
    """The logarithm of the number of ways to choose `part` of `whole`."""
    return lgamma(whole + 1) - lgamma(part + 1) - lgamma(whole - part + 1)
