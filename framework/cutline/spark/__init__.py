"""Where Spark sessions are opened."""
