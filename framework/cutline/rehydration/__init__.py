"""A database filled anew: the states of a snapshot, and the live events since."""

from cutline.rehydration.rehydrating import Rehydrated, RehydrationWork, rehydrate
from cutline.rehydration.run import refuse_absent_states, run_of_snapshot

__all__ = ["Rehydrated", "RehydrationWork", "refuse_absent_states", "rehydrate", "run_of_snapshot"]
