"""Its distribution asks for a Cutline that there is not."""

from acme_sabotage.honest import translation

DEMANDING = translation("demanding")
