"""Which event of the context stands for which activity of the file."""

from __future__ import annotations

from support.scored.fines import context as c

ACTIVITIES = {
    event.event_type(): activity
    for activity, event in {
        "Create Fine": c.FineCreated,
        "Send Fine": c.FineSent,
        "Insert Fine Notification": c.OffenderNotified,
        "Add penalty": c.PenaltyAdded,
        "Insert Date Appeal to Prefecture": c.AppealRegistered,
        "Send Appeal to Prefecture": c.AppealForwarded,
        "Receive Result Appeal from Prefecture": c.AppealDecided,
        "Notify Result Appeal to Offender": c.OffenderToldOfDecision,
        "Appeal to Judge": c.JudgeAppealed,
        "Payment": c.PaymentReceived,
        "Send for Credit Collection": c.CollectionStarted,
    }.items()
}
