"""One file per command, or a folder where a command shows much."""
