"""docs/testing.md, word for word: its files are written, its commands run, and what they print is compared.

A listing behind a line that names a file in backticks is that file's. Commands of ``console`` listings print what
stands behind them, where ``...`` stands for anything; listings of ``sh`` that are no files are run as they are. The
action is tested by tests/test_action.py.
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
"""What is not run here, by what stands in it."""
_fence = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_file = re.compile(r"`([\w-]+\.(?:py|js|json|yaml|sh))`")
_command = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class Listing:
    """What stands between fences."""

    section: str
    language: str
    text: str
    file: str
    """What it is called, if it is a file."""


def listings() -> list[Listing]:
    """All of the guide's."""
    found: list[Listing] = []
    for section in (ROOT / "docs" / "testing.md").read_text().split("\n## ")[1:]:
        for match in _fence.finditer(section):
            line_before = section[: match.start()].rstrip().rpartition("\n")[2]
            named = _file.search(line_before) if line_before.endswith(":") else None
            found.append(Listing(section.partition("\n")[0], match[1], match[2], named[1] if named else ""))
    return found


def commands(section: str) -> list[tuple[str, str | None]]:
    """What is run in a section, and what it is to print if that is told."""
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
    """The files of the whole guide."""
    for listing in listings():
        if listing.file:
            (tmp_path / listing.file).write_text(listing.text)
    return tmp_path


@pytest.fixture
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Has `memkube`, `pytest` and `python` on PATH, and nobody's kubeconfig."""
    home = tmp_path_factory.mktemp("home")
    for name, module in (("memkube", "memkube"), ("pytest", "pytest")):
        (home / name).write_text(f'#!/bin/sh\nexec {sys.executable} -m {module} "$@"\n')
        (home / name).chmod(0o755)
    dropped = ("KUBECONFIG", "MEMKUBE_SERVER", "PYTHONDONTWRITEBYTECODE", "NODE_OPTIONS")
    kept = {name: value for name, value in os.environ.items() if name not in dropped and not name.startswith("PYTEST")}
    path = os.pathsep.join((str(home), str(Path(sys.executable).parent), kept["PATH"]))
    # As in a terminal of its own, without what only the tests of this project need: it takes longer to import than most
    # of the guide's own to run.
    plugins = {"PYTEST_ADDOPTS": "-p no:schemathesis -p no:hypothesispytest"}
    return {**kept, **plugins, "HOME": str(home), "PATH": path, "COLUMNS": "80", "NO_COLOR": "1"}


def _sections() -> list[object]:
    """Those that run something; what the first one does is what the others begin with."""
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
