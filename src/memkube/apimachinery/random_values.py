"""The random values of a server, such as uids and name suffixes, which a seed makes repeatable."""

from random import Random
from typing import Final

_SUFFIX_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH: Final = 5
_UUID_MASK: Final = ~(0xF << 76 | 0x3 << 62)
_UUID_VERSION: Final = 4 << 76 | 2 << 62


class RandomValues:
    """Generates the random values of one server; none of them is a secret.

    With the same `seed`, two servers generate the same values in the same order. Each purpose has a generator of its
    own, so more values for one purpose do not change those of the others. Without a seed, all values differ each time.
    """

    def __init__(self, seed: int | None = None) -> None:
        self._seed = seed
        self._uids = self._generator("uids")
        self._suffixes = self._generator("suffixes")
        self._places = self._generator("places")
        self._draws: Random | None = None

    @property
    def is_repeatable(self) -> bool:
        """True if the random values are the same in each run, because the server has a seed."""
        return self._seed is not None

    def uid(self) -> str:
        """Return a new UUID, version 4 (RFC 9562)."""
        return written_uuid(self._uids.getrandbits(128))

    def suffix(self) -> str:
        """Return a suffix for generated names: five random letters and digits that form no words."""
        return "".join(self._suffixes.choices(_SUFFIX_LETTERS, k=_SUFFIX_LENGTH))

    def below(self, count: int) -> int:
        """Return a number from 0 to `count` - 1, at which an allocator begins its search."""
        return self._places.randrange(count)

    def drawn(self, count: int) -> int:
        """Return a number from 0 to `count` - 1 for a simulated chance, such as the delay of a Stage."""
        if self._draws is None:
            self._draws = self._generator("draws")
        return self._draws.randrange(count)

    def uids_of(self, name: str, count: int) -> tuple[str, ...]:
        """Return `count` new UUIDs. With a seed, these depend only on the seed and on `name`."""
        generator = self._generator(name)
        return tuple(written_uuid(generator.getrandbits(128)) for _ in range(count))

    def _generator(self, purpose: str) -> Random:
        # Random() takes its seed from the operating system.
        return Random() if self._seed is None else Random(f"{self._seed} {purpose}")  # noqa: S311  no secrets


def written_uuid(bits: int) -> str:
    """Return the UUID (RFC 9562, version 4) for 128 random bits."""
    digits = f"{bits & _UUID_MASK | _UUID_VERSION:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
