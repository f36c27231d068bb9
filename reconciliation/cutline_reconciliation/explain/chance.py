"""How easily a difference comes about by chance: Fisher's exact test, one-sided. Pure Python.

R. A. Fisher, The Design of Experiments (1935). If an attribute had nothing to do with breaking, the
subjects that broke would be drawn from all without regard to it, so how many of them have it is
hypergeometric. The chance is that of as many or more. No count is too small for it.

Where many attributes are tried, one of them stands out by chance alone: the chance is multiplied by
how many were tried (Bonferroni), as MacroBase does (Bailis et al., SIGMOD 2017).
"""

from __future__ import annotations

from math import exp, lgamma

MOST_CHANCE = 0.05
"""An attribute that stands out by chance more often, among all that were tried, is no cause."""
_NEGLIGIBLE = 1e-12


def chance(*, broken_with: int, matched_with: int, broken: int, matched: int) -> float:
    """The chance, 0 to 1, that at least `broken_with` of `broken` subjects have an attribute which
    `broken_with + matched_with` of all have; 1 where no more have it than were to be expected."""
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
