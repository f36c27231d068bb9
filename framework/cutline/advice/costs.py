"""What each strategy costs: messages, space, time, and money by the project's own prices."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cutline.advice.rules import window_of
from cutline.advice.situation import Situation
from cutline.advice.strategies import WORDS, Strategy
from cutline.readiness.gates.cost import price_of
from cutline.readiness.gates.history import WholeHistory


@dataclass(frozen=True)
class StrategyCost:
    """What a strategy costs, as far as it was measured; null is what nobody has measured.

    `messages` and `bytes` (of one copy) are sent to topics and stay there. `seconds` are those of
    machines: of a run over everything, or of a replay; of a script, for which the legacy stands
    still at least. `price` is reckoned by
    `readiness.<context>.cost` of cutline.yaml, in its `currency`. `work` is what people must do.
    """

    messages: int | None
    bytes: int | None
    seconds: float | None
    work: str
    price: float | None = None
    currency: str | None = None


def cost_of(strategy: Strategy, situation: Situation) -> StrategyCost:
    """The cost of a strategy in a situation."""
    work = WORDS[strategy].work
    match strategy:
        case "no-backfill":
            return StrategyCost(0, 0, 0.0, work)
        case "script":
            return StrategyCost(0, 0, window_of(situation), work)
        case "read-model-rebuild":
            return StrategyCost(0, 0, None, work)
        case "state-backfill":
            messages, size = situation.subjects, _state_bytes(situation)
            seconds = _of_a_run(situation, messages)
        case "synthetic-events":
            messages = _sum(situation.events, situation.subjects)
            size = _sum(_event_bytes(situation), _state_bytes(situation))
            seconds = _of_a_run(situation, messages)
        case "raw-replay":
            best = situation.best_retained
            messages, size = (None, None) if best is None else (best.records, best.bytes)
            seconds = _sending(situation, messages)
    return _priced(StrategyCost(messages, size, seconds, work), situation)


def _event_bytes(situation: Situation) -> int | None:
    sizes = situation.sizes
    return _times(situation.events, None if sizes is None else sizes.event_bytes)


def _state_bytes(situation: Situation) -> int | None:
    sizes = situation.sizes
    return _times(situation.subjects, None if sizes is None else sizes.state_bytes)


def _times(number: int | None, size: float | None) -> int | None:
    return None if number is None or size is None else round(number * size)


def _sum(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


def _of_a_run(situation: Situation, messages: int | None) -> float | None:
    """The seconds of a run over everything, and of sending where it has not sent."""
    if situation.published or situation.seconds is None:
        return situation.seconds
    sending = _sending(situation, messages)
    return None if sending is None else situation.seconds + sending


def _sending(situation: Situation, messages: int | None) -> float | None:
    sizes = situation.sizes
    return None if messages is None or sizes is None else messages / sizes.records_per_second


def _priced(cost: StrategyCost, situation: Situation) -> StrategyCost:
    prices = situation.prices
    if prices is None or cost.messages is None or cost.bytes is None or cost.seconds is None:
        return cost
    whole = WholeHistory(records=cost.messages, bytes=cost.bytes, seconds=cost.seconds)
    price = price_of(whole, prices, copies=situation.copies)
    return replace(cost, price=round(price, 2), currency=prices.currency)
