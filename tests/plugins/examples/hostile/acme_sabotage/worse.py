"""Raises what is no Exception."""


class Worse(BaseException):
    pass


raise Worse("nothing catches me")
