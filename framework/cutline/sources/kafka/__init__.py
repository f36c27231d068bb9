"""Change topics: read up to a frozen position, as the lines that an export of them would have."""

from cutline.sources.kafka.lines import UNREADABLE_CHANGE, lines_before, write_lines
from cutline.sources.kafka.live import KafkaChanges
from cutline.sources.kafka.topic_input import (
    TopicInput,
    newest_of_topic,
    topic_input,
    topic_input_now,
    topic_input_of,
)

__all__ = [
    "UNREADABLE_CHANGE",
    "KafkaChanges",
    "TopicInput",
    "lines_before",
    "newest_of_topic",
    "topic_input",
    "topic_input_now",
    "topic_input_of",
    "write_lines",
]
