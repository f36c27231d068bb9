"""The engine: functions from DataFrame to DataFrame, without sessions, reads, writes or counts."""
