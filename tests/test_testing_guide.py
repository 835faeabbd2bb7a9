"""Tests of docs/testing.md, word for word: its files are written, its commands run, and their output is compared.

A listing after a line that names a file in backticks is the content of that file. In ``console`` listings, each command
is followed by its output, in which ``...`` matches anything; ``sh`` listings without a file name are run as they are.
tests/test_action.py tests the action.
"""

import doctest
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

pytestmark = pytest.mark.long
ROOT: Final = Path(__file__).parents[1]
PATIENCE: Final = 120.0
NOT_RUN: Final = {
    "pip install dist/": "tests/test_distribution.py runs it",
    "uvx --from": "tests/test_distribution.py runs it",
    "npm install": "tests/test_examples.py runs it",
    "go test": "Go, Maven and Cargo would build half of the world",
    "mvn test": "Go, Maven and Cargo would build half of the world",
    "cargo test": "Go, Maven and Cargo would build half of the world",
}
"""Listings that are not run here: words that they contain, and the reason."""
_fence = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_file = re.compile(r"`([\w-]+\.(?:py|js|json|yaml|sh))`")
_command = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class Listing:
    """A fenced listing."""

    section: str
    language: str
    text: str
    file: str
    """Name of the file; empty if the listing is not a file."""


def listings() -> list[Listing]:
    """Return all listings of the guide."""
    found: list[Listing] = []
    for section in (ROOT / "docs" / "testing.md").read_text().split("\n## ")[1:]:
        for match in _fence.finditer(section):
            line_before = section[: match.start()].rstrip().rpartition("\n")[2]
            named = _file.search(line_before) if line_before.endswith(":") else None
            found.append(Listing(section.partition("\n")[0], match[1], match[2], named[1] if named else ""))
    return found


def commands(section: str) -> list[tuple[str, str | None]]:
    """Return the commands of a section with their expected output, or None if the guide shows no output."""
    found: list[tuple[str, str | None]] = []
    for listing in listings():
        if listing.section != section or listing.file:
            continue
        if listing.language == "console":
            found += _command.findall(listing.text)
        elif listing.language == "sh" and not any(words in listing.text for words in NOT_RUN):
            found.append((f"set -e\n{listing.text}", None))
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with all files of the guide."""
    for listing in listings():
        if listing.file:
            (tmp_path / listing.file).write_text(listing.text)
    return tmp_path


@pytest.fixture
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment variables with `memkube`, `pytest` and `python` on PATH, and without a kubeconfig."""
    home = tmp_path_factory.mktemp("home")
    for name, module in (("memkube", "memkube"), ("pytest", "pytest")):
        (home / name).write_text(f'#!/bin/sh\nexec {sys.executable} -m {module} "$@"\n')
        (home / name).chmod(0o755)
    dropped = ("KUBECONFIG", "MEMKUBE_SERVER", "PYTHONDONTWRITEBYTECODE", "NODE_OPTIONS")
    kept = {name: value for name, value in os.environ.items() if name not in dropped and not name.startswith("PYTEST")}
    path = os.pathsep.join((str(home), str(Path(sys.executable).parent), kept["PATH"]))
    # Leave out plugins that only this project's own tests need: importing them takes longer than most of the guide's
    # tests.
    plugins = {"PYTEST_ADDOPTS": "-p no:schemathesis -p no:hypothesispytest"}
    return {**kept, **plugins, "HOME": str(home), "PATH": path, "COLUMNS": "80", "NO_COLOR": "1"}


def _sections() -> list[object]:
    """Return the sections that have commands; the first one runs by default because the others begin with its steps."""
    first, *others = [s for s in dict.fromkeys(listing.section for listing in listings()) if commands(s)]
    return [first, *(pytest.param(section, marks=pytest.mark.slow) for section in others)]


@pytest.mark.parametrize("section", _sections())
def test_a_section_does_what_it_says(section: str, project: Path, environment: dict[str, str]) -> None:
    for command, printed in commands(section):
        if "kubectl" in command + (project / "walk.sh").read_text() and shutil.which("kubectl") is None:
            pytest.skip("there is no kubectl on PATH")
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=project,
            env=environment,
            text=True,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        if printed is None:
            assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        else:
            same = doctest.OutputChecker().check_output(printed, done.stdout, doctest.ELLIPSIS)
            assert same, f"$ {command}\n{done.stdout}{done.stderr}"


def test_what_is_not_run_is_in_the_guide() -> None:
    texts = [listing.text for listing in listings() if listing.language == "sh"]
    assert [words for words in NOT_RUN if not any(words in text for text in texts)] == []
