"""Of another type than it should be."""

THING = {"name": "library"}
