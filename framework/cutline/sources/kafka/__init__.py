"""Change topics: read up to a frozen position, as the lines that an export of them would have."""

from cutline.sources.kafka.lines import UNREADABLE_CHANGE, write_lines
from cutline.sources.kafka.live import KafkaChanges
from cutline.sources.kafka.topic_input import (
    TopicInput,
    newest_of_topic,
    topic_input,
    topic_input_now,
)

__all__ = [
    "UNREADABLE_CHANGE",
    "KafkaChanges",
    "TopicInput",
    "newest_of_topic",
    "topic_input",
    "topic_input_now",
    "write_lines",
]
