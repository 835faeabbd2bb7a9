"""Escaping of property names that are not CEL identifiers (apiserver ``pkg/cel/escaping.go``)."""

import re
from functools import lru_cache
from typing import Final

_RESERVED: Final = frozenset(
    {
        *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import"),
        *("let", "loop", "package", "namespace", "return", "var", "void", "while"),
    }
)
_WRITTEN: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_READ: Final = {written: plain for plain, written in _WRITTEN.items()}
_is_nameable: Final = re.compile(r"[A-Za-z_./-][A-Za-z0-9_./-]*").fullmatch
_written: Final = re.compile(r"__|[-./]")
_read: Final = re.compile(r"__[^_]+__")


@lru_cache(maxsize=4096)
def escaped(name: str) -> str | None:
    """Return the name by which expressions refer to a property; None if they cannot refer to it."""
    if name in _RESERVED:
        return f"__{name}__"
    if _is_nameable(name) is None:
        return None
    return _written.sub(lambda found: _WRITTEN[found[0]], name)


@lru_cache(maxsize=4096)
def unescaped(name: str) -> str | None:
    """Return the property name that an escaped name stands for; None if the escaped name is invalid."""
    known = True

    def read(found: re.Match[str]) -> str:
        nonlocal known
        inner = found[0][2:-2]
        if found[0] in _READ:
            return _READ[found[0]]
        known = known and inner in _RESERVED and found[0] == name
        return inner

    plain = _read.sub(read, name)
    return plain if known else None
