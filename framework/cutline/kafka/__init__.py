"""Kafka's clients as Cutline makes them: their settings, secrets, and what their errors mean."""

from cutline.kafka.settings import ClientSettings, client_settings

__all__ = ["ClientSettings", "client_settings"]
