"""Ids of events and keys of facts: canonical JSON and UUIDs of it, without Spark.

`cutline.identity.columns` has the same as Spark expressions.
"""

from cutline.identity.canonical import canonical_json
from cutline.identity.keys import NAMESPACE, event_id, fact_key, texts_id

__all__ = ["NAMESPACE", "canonical_json", "event_id", "fact_key", "texts_id"]
