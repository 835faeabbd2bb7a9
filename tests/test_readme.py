"""Tests of the README, and that docs/command-line.md lists all commands."""

import html
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

from tools.record_session import PICTURE, commands

from memkube.cli.application import COMMANDS

_ROOT: Final = Path(__file__).parents[1]
_section = re.compile(r"^## In Python, in pytest$(.*?)^## ", re.MULTILINE | re.DOTALL)
_program = re.compile(r"^```python$(.*?)^```$", re.MULTILINE | re.DOTALL)


def programs() -> list[str]:
    """The programs of the section."""
    (section,) = _section.findall((_ROOT / "README.md").read_text())
    return _program.findall(section)


def run(folder: Path, *words: str) -> str:
    """Run a program and return its output; fail if the program fails."""
    environment = {"PYTHONPATH": str(_ROOT / "src"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_program_runs(tmp_path: Path) -> None:
    url, kubeconfig, *pods = run(tmp_path, "-c", programs()[0]).split()
    assert (url[:7], Path(kubeconfig).name, len(pods)) == ("http://", "kubeconfig", 2)


def test_the_test_passes(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(programs()[1])
    assert "1 passed" in run(tmp_path, "-m", "pytest", "-p", "memkube.pytest_plugin")


def test_it_is_short() -> None:
    assert len((_ROOT / "README.md").read_text().splitlines()) <= 150


def test_the_picture_shows_the_first_session() -> None:
    drawn = re.sub(r"<rect[^>]*></g>|<[^>]+>|\n  ", "", re.sub(r"/>", "></g>", PICTURE.read_text()))
    shown = html.unescape(drawn)
    assert [command for command in commands() if command not in shown] == []


def test_the_page_on_the_command_line_lists_every_command() -> None:
    told = set(re.findall(r"`memkube (\w+)", (_ROOT / "docs/command-line.md").read_text()))
    assert told == {command.name for command in COMMANDS}
