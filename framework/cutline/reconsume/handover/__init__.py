"""Handovers as an operator begins, follows and ends them; services have `cutline.consumer`.

`planning` says from where a catch-up reads and what stands in its way, `moving` begins and ends it,
`progress` says how far it is, and `records` are its rows in the database of the service.
"""
