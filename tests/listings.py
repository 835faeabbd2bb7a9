"""The listings of README and of the pages below docs/.

A listing after a line that names a file in backticks is the content of that file. In ``console`` listings, each command
is followed by its output, in which ``...`` matches anything, and numbers of seconds match each other; ``sh`` and
``python`` listings without a file name are run as they are.
"""

import doctest
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
TUTORIAL: Final = "docs/testing.md"
PAGES: Final = (
    "README.md",
    *sorted(page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").rglob("*.md")),
)
_fence = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_file = re.compile(r"`([\w-]+\.(?:py|js|json|yaml|sh))`")
_command = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_seconds = re.compile(r"\b\d+(\.\d+)?s\b")


@dataclass(frozen=True)
class Listing:
    """A fenced listing."""

    page: str
    """Path of the page, relative to the repository."""
    section: str
    """Heading of the second level above the listing; empty if there is none."""
    language: str
    text: str
    file: str
    """Name of the file; empty if the listing is not a file."""

    def commands(self) -> list[tuple[str, str | None]]:
        """Return the commands for bash with their expected output, or None if the page shows no output."""
        if self.file:
            return []
        if self.language == "console":
            return list(_command.findall(self.text))
        if self.language == "sh":
            return [(f"set -e\n{self.text}", None)]
        if self.language == "python":
            return [(f"python - <<'END'\n{self.text}END", None)]
        return []


@cache
def listings(page: str = TUTORIAL) -> tuple[Listing, ...]:
    """Return all listings of a page."""
    found: list[Listing] = []
    for section in (ROOT / page).read_text().split("\n## "):
        heading = "" if section.startswith("# ") else section.partition("\n")[0]
        for match in _fence.finditer(section):
            line_before = section[: match.start()].rstrip().rpartition("\n")[2]
            named = _file.findall(line_before) if line_before.endswith(":") else []
            text = "".join(line.removeprefix(match[1]) for line in match[3].splitlines(keepends=True))
            found.append(Listing(page, heading, match[2], text, named[-1] if named else ""))
    return tuple(found)


def all_listings() -> list[Listing]:
    """Return the listings of all pages."""
    return [listing for page in PAGES for listing in listings(page)]


def agrees(expected: str, printed: str) -> bool:
    """Return True if the output of a command is the one that a page shows.

    Lines of the server about slow requests are left out: on a slow machine, the first request of a kind is one.
    """
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    printed = re.sub(r"^Trace: .*\n", "", printed, flags=re.MULTILINE)
    wanted = re.sub(r"^…$", "...", expected, flags=re.MULTILINE)
    return doctest.OutputChecker().check_output(_seconds.sub("0s", wanted), _seconds.sub("0s", printed), flags)
