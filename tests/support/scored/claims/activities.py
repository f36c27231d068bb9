"""Which event of the context stands for which activity of the file."""

from __future__ import annotations

from support.scored.claims import context as c
from support.scored.claims import derive as d

ACTIVITIES = {
    event.event_type(): activity
    for activity, event in {
        d.CHECKED: c.CoverChecked,
        d.REGISTERED: c.ClaimRegistered,
        d.DETERMINED: c.LikelihoodDetermined,
        d.ASSESSED: c.ClaimAssessed,
        d.PAID: c.PaymentInitiated,
        d.ADVISED: c.ClaimantAdvised,
        d.CLOSED: c.ClaimClosed,
    }.items()
}
