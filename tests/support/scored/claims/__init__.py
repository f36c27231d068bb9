"""A thousand insurance claims, simulated (Simod test assets, Apache-2.0)."""
