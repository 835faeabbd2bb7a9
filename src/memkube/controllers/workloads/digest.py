"""FNV-1 and FNV-1a hashes (32 bits) for generated names, encoded in letters that form no words."""

from collections.abc import Callable
from functools import reduce
from typing import Final

_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"
_OFFSET: Final = 2166136261
_PRIME: Final = 16777619


def fnv1_digest(content: bytes) -> str:
    """Return the FNV-1 hash of the content, in letters that are safe for names."""
    return _spelled(content, lambda digest, byte: digest * _PRIME % 2**32 ^ byte)


def fnv1a_digest(content: bytes) -> str:
    """Return the FNV-1a hash of the content, in letters that are safe for names."""
    return _spelled(content, lambda digest, byte: (digest ^ byte) * _PRIME % 2**32)


def _spelled(content: bytes, step: Callable[[int, int], int]) -> str:
    """Encode a hash in safe letters (``SafeEncodeString`` of ``k8s.io/apimachinery/pkg/util/rand``)."""
    return "".join(_LETTERS[ord(digit) % len(_LETTERS)] for digit in str(reduce(step, content, _OFFSET)))
