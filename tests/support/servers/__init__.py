"""Real servers on 127.0.0.1, each in a temporary folder on free ports, for tests and for trying it.

Apache Kafka (one broker, KRaft), Kafka Connect with Debezium, PostgreSQL and a schema registry. Each
is handed out when it is ready for work, and ends with the process that started it, however that ends.
"""
