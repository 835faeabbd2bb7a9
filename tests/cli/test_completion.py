import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.processes import SOON


@pytest.fixture
def environment(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """The environment variables, with a program `memkube` on PATH."""
    program = tmp_path / "bin" / "memkube"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m memkube "$@"\n')
    program.chmod(0o755)
    return {**environment, "PATH": f"{program.parent}{os.pathsep}{environment['PATH']}"}


def _printed(environment: dict[str, str], *command: str) -> list[str]:
    done = subprocess.run(command, env=environment, text=True, capture_output=True, timeout=SOON, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def _needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"there is no {shell} on PATH")


@_needs("bash")
@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("memkube serv", ["serve", "services"]),
        ("memkube clock a", ["advance"]),
        ("memkube completion z", ["zsh"]),
        ("memkube doctor --po", ["--port"]),
        ("memkube validate --output j", ["json", "junit"]),
    ],
)
def test_bash_completes(environment: dict[str, str], line: str, completed: list[str]) -> None:
    script = """
    source <(memkube completion bash)
    IFS=' ' read -ra COMP_WORDS <<< "$1"; [[ $1 == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    $(complete -p memkube | sed 's/.*-F \\([^ ]*\\) .*/\\1/') memkube
    echo "${COMPREPLY[@]}"
    """
    assert _printed(environment, "bash", "--norc", "-c", script, "bash", line) == completed


@_needs("fish")
def test_fish_completes(environment: dict[str, str]) -> None:
    script = "memkube completion fish | source; complete --do-complete 'memkube clock '"
    assert {"show", "advance"} <= set(_printed(environment, "fish", "-c", script))


@_needs("zsh")
def test_zsh_takes_the_script(environment: dict[str, str]) -> None:
    script = "autoload -Uz compinit && compinit -u; source <(memkube completion zsh); echo $_comps[memkube]"
    assert _printed(environment, "zsh", "-f", "-c", script) == ["_memkube_completion"]
