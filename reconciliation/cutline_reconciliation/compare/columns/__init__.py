"""One column of both sides: the common type of its values, and rules that forgive differences."""
