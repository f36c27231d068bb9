"""What an event and a fact are called: canonical JSON and the keys made of it, free of Spark.

`cutline.identity.columns` says the same in Spark expressions.
"""

from cutline.identity.canonical import canonical_json
from cutline.identity.keys import NAMESPACE, event_id, fact_key, texts_id

__all__ = ["NAMESPACE", "canonical_json", "event_id", "fact_key", "texts_id"]
