"""Caches compiled Python modules of operators for the duration of a hunt."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from memkube.hunting.description import Hunt

_FORBIDDEN: Final = "PYTHONDONTWRITEBYTECODE"
_PREFIX: Final = "PYTHONPYCACHEPREFIX"
_CLIENTS: Final = ("kubernetes", "kopf")
"""Packages that operators in Python import, and that take long to compile."""


@contextmanager
def kept_bytecode(hunt: Hunt, clients: Sequence[str] = _CLIENTS) -> Iterator[Hunt]:
    """Yield a copy of the hunt whose operators cache compiled Python modules in a temporary folder.

    The cache saves seconds at each start of an operator, if Python would otherwise compile the packages `clients` each
    time. This is so if the environment variable PYTHONDONTWRITEBYTECODE is set, as in many containers, if
    PYTHONPYCACHEPREFIX is not, and if one of the packages is installed without compiled modules. Otherwise, yield the
    unchanged hunt. The folder is deleted after the ``with`` block.
    """
    if not os.environ.get(_FORBIDDEN) or os.environ.get(_PREFIX) or not any(map(_is_uncompiled, clients)):
        yield hunt
        return
    with TemporaryDirectory(prefix="memkube-hunt-") as folder:
        kept = {_FORBIDDEN: "", _PREFIX: folder}
        operators = [one.model_copy(update={"env": {**kept, **one.env}}) for one in hunt.operators]
        yield hunt.model_copy(update={"operator": operators})


def _is_uncompiled(package: str) -> bool:
    """Return True if a package is installed in the environment of this process, without compiled modules."""
    spec = find_spec(package)
    return spec is not None and spec.cached is not None and not Path(spec.cached).exists()
