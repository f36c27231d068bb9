"""Waivers: breaks that somebody has looked at and accepts, applied after the comparison."""
