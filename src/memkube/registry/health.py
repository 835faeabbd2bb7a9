"""What parts of a server say of how they are, for those who ask on behalf of clients."""

from collections.abc import Sequence
from typing import Protocol


class InformerSync(Protocol):
    """Whatever keeps copies of objects, such as the controllers' informers; see Registry.provide."""

    def unsynced(self) -> Sequence[str]:
        """The resources whose objects are not known yet."""
