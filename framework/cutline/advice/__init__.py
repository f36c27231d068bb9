"""Advice: which way to give a new side its past fits a slice, with the reasons and the costs.

What is measured of the slice and what people say of it is one `Situation`; a table of rules says
what of it speaks for or against each of six ways. Nothing is changed by looking.
"""

from cutline.advice.advising import advise
from cutline.advice.costs import StrategyCost
from cutline.advice.judging import AdviceReason, TurningAnswer
from cutline.advice.looking import AdviceWork
from cutline.advice.needs import Answers, needs_of, span_of
from cutline.advice.result import Advice, AdviceFigure, StrategyAdvice

__all__ = [
    "Advice",
    "AdviceFigure",
    "AdviceReason",
    "AdviceWork",
    "Answers",
    "StrategyAdvice",
    "StrategyCost",
    "TurningAnswer",
    "advise",
    "needs_of",
    "span_of",
]
