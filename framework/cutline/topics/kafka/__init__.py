"""Topics on Apache Kafka: published in transactions that hold data and progress.

`topics` is the front. `slots` says which partitions a publication writes, `claim` and `sending` are
what a Spark task does with them, `progress` is how far a slice has come, `reading` reads what is
committed, `read_back` compares it with what was to be sent, `standing` is what earlier runs of the
slice put there. `admin` makes and checks topics, `failures` explains what Kafka refuses.
"""
