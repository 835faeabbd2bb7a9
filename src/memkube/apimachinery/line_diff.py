"""The lines by which two texts differ, as the reference prints them in messages."""

from difflib import unified_diff
from itertools import islice
from typing import Final

_HEADER_LINES: Final = 2


def line_diff(before: str, after: str) -> str:
    """Hunks of a unified diff with three lines around each change, every line ended; empty for equal texts."""
    hunks = unified_diff(before.split("\n"), after.split("\n"), lineterm="")
    return "".join(f"{line}\n" for line in islice(hunks, _HEADER_LINES, None))
