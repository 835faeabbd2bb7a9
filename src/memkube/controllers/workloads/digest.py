"""Digests as the reference writes them into names: FNV, 32 bits, in letters that spell no words."""

from collections.abc import Callable
from functools import reduce
from typing import Final

_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"
_OFFSET: Final = 2166136261
_PRIME: Final = 16777619


def fnv1_digest(content: bytes) -> str:
    """The FNV-1 digest."""
    return _spelled(content, lambda digest, byte: digest * _PRIME % 2**32 ^ byte)


def fnv1a_digest(content: bytes) -> str:
    """The FNV-1a digest."""
    return _spelled(content, lambda digest, byte: (digest ^ byte) * _PRIME % 2**32)


def _spelled(content: bytes, step: Callable[[int, int], int]) -> str:
    """Source: ``SafeEncodeString`` of ``k8s.io/apimachinery/pkg/util/rand``."""
    return "".join(_LETTERS[ord(digit) % len(_LETTERS)] for digit in str(reduce(step, content, _OFFSET)))
