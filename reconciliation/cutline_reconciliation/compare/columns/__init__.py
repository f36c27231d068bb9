"""One column of both sides: the type in which its values meet, and the rules that forgive."""
