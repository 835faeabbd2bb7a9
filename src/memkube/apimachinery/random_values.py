"""Random values of a server, such as uids and name suffixes. A seed makes them the same in each run."""

from random import Random
from typing import Final

_SUFFIX_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH: Final = 5
_UUID_MASK: Final = ~(0xF << 76 | 0x3 << 62)
_UUID_VERSION: Final = 4 << 76 | 2 << 62


class RandomValues:
    """Generates the random values of one server; they are not used as secrets.

    Two servers with the same `seed` generate the same values in the same order. UIDs, name suffixes and other kinds of
    values have separate generators: for example, one more UID does not change the following suffixes. Without a seed,
    the values differ in each run.
    """

    def __init__(self, seed: int | None = None) -> None:
        self._seed = seed
        self._begin("")

    def continue_from(self, revision: int) -> None:
        """Generate other values from now on, because this server has loaded objects that an earlier server stored.

        If both servers have the same seed, the loaded objects already have the values that this server would generate
        first. The new values depend on the seed and on `revision`, the newest revision of the loaded objects.
        """
        self._begin(f" from {revision}")

    def _begin(self, after: str) -> None:
        self._uids = self._generator(f"uids{after}")
        self._suffixes = self._generator(f"suffixes{after}")
        self._places = self._generator(f"places{after}")
        self._draws = self._generator(f"draws{after}")

    def uid(self) -> str:
        """Return a new UUID, version 4 (RFC 9562)."""
        return written_uuid(self._uids.getrandbits(128))

    def suffix(self) -> str:
        """Return a suffix for generated names: five random letters and digits that form no words."""
        return "".join(self._suffixes.choices(_SUFFIX_LETTERS, k=_SUFFIX_LENGTH))

    def below(self, count: int) -> int:
        """Return a random number from 0 to `count` - 1, at which an allocator of IPs or ports begins its search."""
        return self._places.randrange(count)

    def drawn(self, count: int) -> int:
        """Return a random number from 0 to `count` - 1, for simulations such as the random delay of a KWOK Stage."""
        return self._draws.randrange(count)

    def uids_of(self, name: str, count: int) -> tuple[str, ...]:
        """Return `count` new UUIDs. If the server has a seed, they depend only on the seed and on `name`."""
        generator = self._generator(name)
        return tuple(written_uuid(generator.getrandbits(128)) for _ in range(count))

    def _generator(self, purpose: str) -> Random:
        # Without a seed, Random() uses random data of the operating system.
        return Random() if self._seed is None else Random(f"{self._seed} {purpose}")  # noqa: S311  no secrets


def written_uuid(bits: int) -> str:
    """Return the UUID (RFC 9562, version 4) for 128 random bits."""
    digits = f"{bits & _UUID_MASK | _UUID_VERSION:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
