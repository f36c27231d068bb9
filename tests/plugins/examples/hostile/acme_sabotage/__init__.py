"""A hostile plugin: each module is broken in its own way, and must disturb nobody else."""
