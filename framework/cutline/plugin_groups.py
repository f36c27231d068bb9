"""The groups of entry points by which plugins are found."""

CONTEXTS = "cutline.contexts"
TRANSLATORS = "cutline.translators"
SAMPLES = "cutline.samples"
KAFKA_OAUTH = "cutline.kafka_oauth"
UPCASTERS = "cutline.upcasters"
EVENT_TRANSLATORS = "cutline.event_translators"
