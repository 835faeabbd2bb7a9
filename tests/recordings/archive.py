"""Recordings as they lie here: a list of them for each suite, as JSON, compressed."""

import json
import lzma
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

Recording: TypeAlias = Mapping[str, Any]


def path_of(suite: str) -> Path:
    """The file that holds a suite."""
    return Path(__file__).with_name(f"{suite}.json.xz")


def load(suite: str) -> list[Recording]:
    """All recordings of a suite. Raises FileNotFoundError where it is missing."""
    return unpacked(path_of(suite))


def packed(recordings: list[Any]) -> bytes:
    """The same bytes for the same recordings, from one release of liblzma at least."""
    return lzma.compress(json.dumps(recordings, separators=(",", ":")).encode(), preset=9 | lzma.PRESET_EXTREME)


def unpacked(path: Path) -> list[Any]:
    """What `packed` was given. Raises lzma.LZMAError where it is not whole."""
    recordings = json.loads(lzma.decompress(path.read_bytes()))
    assert isinstance(recordings, list)
    return recordings
