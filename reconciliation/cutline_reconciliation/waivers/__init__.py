"""Waivers: breaks that a person has accepted for a while, applied after the comparison."""
