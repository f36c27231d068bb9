"""The engine: functions from DataFrame to DataFrame, without sessions, reads, writes or counts.

Its rooms, in the way of the data; each is entered by what its `__init__` hands on:

- `examine` analyses a translator's rules, which `rules` evaluates in columns
- `restore` makes the changes of one table whole, and classifies them
- `compose` makes images: a subject's parts before and after each commit
- `facts` finds what is true in an image, with `payloads` for the data of events
- `decide` gives each row its one end, and `announce` makes events of the facts that rise
- `translate` is all of these for one translator; `coverage` asks the same before any run
- `merge` gives each event its one verdict, and `project` folds the accepted ones into states
"""
