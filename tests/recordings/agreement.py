"""The list of recordings that must agree: ``agreeing.txt``, with a sorted line ``suite/area/recording`` for each."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.recordings.archive import Recording

_AGREEING = Path(__file__).with_name("agreeing.txt")


_UNDETERMINED = frozenset({"controllers/ctl-endpoints/ctl-endpoints-selector-removed"})
"""Recordings that agree only in some runs.

Two slices that differ in their managers are sorted by their generated names.
"""


def read_agreeing() -> list[str]:
    """Return the keys in the file."""
    return _AGREEING.read_text().split()


def key_of(suite: str, recording: Recording) -> str:
    """Return the key of a recording in the file."""
    return f"{suite}/{recording.get('area', 'sessions')}/{recording['id']}"


def unlisted(differences: Mapping[str, Sequence[str]], agreeing: Iterable[str]) -> list[str]:
    """Return recordings without differences that are not listed, except those that do not agree in every run."""
    return sorted({key for key, found in differences.items() if not found} - set(agreeing) - _UNDETERMINED)


def add(differences: Mapping[str, Sequence[str]]) -> list[str]:
    """Add all recordings that agree to the list. Return the listed recordings that do not agree."""
    before = read_agreeing()
    _AGREEING.write_text("".join(f"{key}\n" for key in sorted({*before, *unlisted(differences, before)})))
    return lost_of(differences, before)


def lost_of(differences: Mapping[str, Sequence[str]], agreeing: Iterable[str]) -> list[str]:
    """Return the listed recordings that do not agree."""
    return [key for key in agreeing if differences.get(key)]
