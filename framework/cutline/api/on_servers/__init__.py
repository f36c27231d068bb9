"""The demo on servers: a legacy in PostgreSQL that goes on trading, behind Debezium, and Kafka."""

from cutline.api.on_servers.cleaning import LiveDemoCleaned, clean_live_demo
from cutline.api.on_servers.telling import LiveDemoResult, live_demo

__all__ = ["LiveDemoCleaned", "LiveDemoResult", "clean_live_demo", "live_demo"]
