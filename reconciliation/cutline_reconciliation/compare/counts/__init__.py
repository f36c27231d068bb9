"""The Spark jobs of a comparison: keys by class, differences by column, and their examples."""
