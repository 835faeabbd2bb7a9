"""Lists of recordings that do not agree yet: one id a line, sorted, in a file beside the tests."""

from collections.abc import Sequence
from pathlib import Path


def read_not_yet(file: Path) -> list[str]:
    """The ids in the file."""
    return file.read_text().split()


def judge(recording: str, differences: Sequence[str], not_yet: Sequence[str]) -> str:
    """Why a recording's test fails, empty where it does not."""
    if recording not in not_yet:
        return "\n".join(differences)
    return "" if differences else f"{recording} agrees now: remove it from the list"
