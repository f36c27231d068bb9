"""The score: true event sequences that nobody here wrote, lost in legacy rows and recovered.

`truth` reads what really happened, `derive` keeps of it what a core system would, `evidence` says
what the rows that are left still show, and a translator that has seen only the rows is judged by it.
"""
