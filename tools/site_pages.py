"""Copy the pages of docs/ for the documentation site, whose links to files outside of docs/ lead to the repository.

Usage: python tools/site_pages.py FOLDER
"""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).parents[1]
_FILES: Final = "https://github.com/memkube/memkube/blob/main/"
_link = re.compile(r"\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)")


def copied(text: str, folder: Path) -> str:
    """Return the text of a page in a folder, with absolute links to files outside of docs/."""

    def absolute(match: re.Match[str]) -> str:
        target = Path(os.path.normpath(folder / match[1])).relative_to(_ROOT)
        return match[0] if target.parts[0] == "docs" else f"]({_FILES}{target.as_posix()}{match[2] or ''})"

    return _link.sub(absolute, text)


def main(folder: Path) -> None:
    """Replace a folder by a copy of docs/."""
    docs = _ROOT / "docs"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(docs, folder)
    for page in docs.rglob("*.md"):
        (folder / page.relative_to(docs)).write_text(copied(page.read_text(), page.parent))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
