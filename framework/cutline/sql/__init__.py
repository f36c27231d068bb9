"""Names and texts as they stand in SQL: Spark's, and the standard's, which databases read."""
