"""What the engine is held to on random histories; what it cannot do yet is switched off here."""

from support.model.connector import Manners
from support.model.random_steps import Mix

MANNERS = Manners(restarts=True, reordered=True, key_only=True, toasted=True)
MIX = Mix(at_once=False, taken_over=False)
