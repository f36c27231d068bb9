"""Live events on Kafka: where they are, up to where a run reads them, and their records as rows."""

from cutline.topics.live.frozen import KafkaLive
from cutline.topics.live.place import LIVE, LivePlace, live_places
from cutline.topics.live.reading import live_records

__all__ = ["LIVE", "KafkaLive", "LivePlace", "live_places", "live_records"]
