"""Tests of the documentation site that `make docs` builds."""

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

_ROOT: Final = Path(__file__).parents[1]


def _pages(nav: list[dict[str, Any]]) -> list[str]:
    found: list[str] = []
    for entry in nav:
        (value,) = entry.values()
        found += _pages(value) if isinstance(value, list) else [value]
    return found


def test_every_page_is_in_the_navigation_once() -> None:
    nav = tomllib.loads((_ROOT / "zensical.toml").read_text())["project"]["nav"]
    pages = [path.relative_to(_ROOT / "docs").as_posix() for path in (_ROOT / "docs").rglob("*.md")]
    assert sorted(_pages(nav)) == sorted(pages)


@pytest.mark.slow
def test_the_site_is_built_without_warnings_about_links() -> None:
    done = subprocess.run(["make", "docs"], cwd=_ROOT, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stdout + done.stderr
    page = (_ROOT / "build" / "site" / "faults" / "index.html").read_text()
    assert re.search(r'href="https://github\.com/memkube/memkube/blob/main/examples/', page)
