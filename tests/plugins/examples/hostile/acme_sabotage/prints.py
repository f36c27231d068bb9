"""Says that it prints, on standard output, and then works."""

from acme_sabotage.honest import translation

print("hello from a plugin")
LOUD = translation("loud")
