"""Announcement: the candidate events of the facts that rise."""
