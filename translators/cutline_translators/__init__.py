"""Per legacy system: what its rows look like, what they mean, and what the legacy itself says."""
