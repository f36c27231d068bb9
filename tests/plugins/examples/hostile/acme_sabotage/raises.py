"""Fails at import."""

import json

json.loads("{")
