"""The histories of breaks and exceptions from run to run: opened, persisting, fixed, reopened."""
