"""FNV-1 and FNV-1a hashes.

Those of 32 bits are for generated names, and consist of letters that form no words. Those of 128 bits are sort keys.
"""

from collections.abc import Callable
from functools import reduce
from typing import Final

_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"
_OFFSET: Final = 2166136261
_PRIME: Final = 16777619
_OFFSET_128: Final = 0x6C62272E07BB014262B821756295C58D
_PRIME_128: Final = 0x1000000000000000000013B
_MASK_128: Final = 2**128 - 1


def fnv1_digest(content: bytes) -> str:
    """Return the 32-bit FNV-1 hash of some bytes, encoded in letters that are safe for names."""
    return _spelled(content, lambda digest, byte: digest * _PRIME % 2**32 ^ byte)


def fnv1a_digest(content: bytes) -> str:
    """Return the 32-bit FNV-1a hash of some bytes, encoded in letters that are safe for names."""
    return _spelled(content, lambda digest, byte: (digest ^ byte) * _PRIME % 2**32)


def fnv1a_128(content: bytes) -> int:
    """Return the 128-bit FNV-1a hash of some bytes."""
    digest = _OFFSET_128
    for byte in content:
        digest = (digest ^ byte) * _PRIME_128 & _MASK_128
    return digest


def _spelled(content: bytes, step: Callable[[int, int], int]) -> str:
    """Compute a 32-bit hash, and encode it in letters that form no words (apimachinery's ``SafeEncodeString``).

    `step` takes the hash of the bytes so far and the next byte, and returns the hash that includes this byte.
    """
    return "".join(_LETTERS[ord(digit) % len(_LETTERS)] for digit in str(reduce(step, content, _OFFSET)))
