"""For a context that nobody has."""

from acme_sabotage.honest import translation
from cutline.context import Context

ELSEWHERE = translation("elsewhere", context=Context("nowhere", "Nobody has it.", ()))
