"""What a store works with."""

import secrets
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from memkube.registry.admission import Admission
from memkube.registry.clock import Clock
from memkube.registry.conversion import Conversion, ConvertedStorage
from memkube.registry.stored import StoredObject
from memkube.storage.interface import Storage

Objects: TypeAlias = Storage[StoredObject]

_SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH = 5
_LONGEST_GENERATED_NAME = 63


def random_suffix() -> str:
    """Five letters that spell no words, as generated names end with."""
    return "".join(secrets.choice(_SUFFIX_LETTERS) for _ in range(_SUFFIX_LENGTH))


def random_uid() -> str:
    """A new uid (RFC 9562, version 4)."""
    return str(uuid.uuid4())


@dataclass(frozen=True)
class Backend:
    """Storage, admission and the sources of time and chance that all stores of a server share."""

    storage: Objects
    admission: Admission
    clock: Clock
    new_uid: Callable[[], str] = random_uid
    new_suffix: Callable[[], str] = random_suffix

    def keeping(self, conversion: Conversion) -> "Backend":
        """This backend for a resource whose objects are kept in another form."""
        return replace(self, storage=ConvertedStorage(self.storage, conversion))

    def generated_name(self, base: str) -> str:
        """A name that begins with `base`, cut so that the suffix fits."""
        return base[: _LONGEST_GENERATED_NAME - _SUFFIX_LENGTH] + self.new_suffix()
