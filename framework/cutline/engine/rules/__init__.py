"""A translator's rules as Spark columns: the rows that they see, and what they return of them."""
