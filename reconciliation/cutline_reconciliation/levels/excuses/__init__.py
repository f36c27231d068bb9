"""Excuses: why a subject is not judged, and the row, event or answer that proves it."""
