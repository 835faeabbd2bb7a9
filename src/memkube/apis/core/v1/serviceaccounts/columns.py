"""Tables of ServiceAccounts."""

from typing import Final

from memkube.registry.table import NAME_AND_AGE

PRINTER: Final = NAME_AND_AGE
