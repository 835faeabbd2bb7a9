"""Which recordings must agree: ``agreeing.txt``, one ``suite/area/recording`` a line, sorted. It only grows."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.recordings.archive import Recording

_AGREEING = Path(__file__).with_name("agreeing.txt")


_UNDETERMINED = frozenset({"controllers/ctl-endpoints/ctl-endpoints-selector-removed"})
"""Recordings that agree in some runs only: two slices that differ in their managers are sorted by generated names."""


def read_agreeing() -> list[str]:
    """The keys in the file."""
    return _AGREEING.read_text().split()


def key_of(suite: str, recording: Recording) -> str:
    """What the file calls a recording."""
    return f"{suite}/{recording.get('area', 'sessions')}/{recording['id']}"


def unlisted(differences: Mapping[str, Sequence[str]], agreeing: Iterable[str]) -> list[str]:
    """Those that show no differences without being listed, and that agree in every run."""
    return sorted({key for key, found in differences.items() if not found} - set(agreeing) - _UNDETERMINED)


def add(differences: Mapping[str, Sequence[str]]) -> list[str]:
    """Lists all that agree; those that were listed and do not agree stay so, and are what is returned."""
    before = read_agreeing()
    _AGREEING.write_text("".join(f"{key}\n" for key in sorted({*before, *unlisted(differences, before)})))
    return lost_of(differences, before)


def lost_of(differences: Mapping[str, Sequence[str]], agreeing: Iterable[str]) -> list[str]:
    """Those that are said to agree and do not."""
    return [key for key in agreeing if differences.get(key)]
