"""Reading and writing of the recordings, which are stored as compressed JSON, a list for each suite."""

import json
import lzma
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

Recording: TypeAlias = Mapping[str, Any]


def path_of(suite: str) -> Path:
    """Return the file of a suite."""
    return Path(__file__).with_name(f"{suite}.json.xz")


def load(suite: str) -> list[Recording]:
    """Return all recordings of a suite. Raises FileNotFoundError if the file is missing."""
    return unpacked(path_of(suite))


def packed(recordings: list[Any]) -> bytes:
    """Compress recordings. One release of liblzma always returns the same bytes for the same recordings."""
    return lzma.compress(json.dumps(recordings, separators=(",", ":")).encode(), preset=9 | lzma.PRESET_EXTREME)


def unpacked(path: Path) -> list[Any]:
    """Return the recordings in a file that `packed` has written. Raises lzma.LZMAError if the file is damaged."""
    recordings = json.loads(lzma.decompress(path.read_bytes()))
    assert isinstance(recordings, list)
    return recordings
