"""Tests of action.yml: its steps, run as a GitHub runner would run them."""

import os
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import yaml

ROOT: Final = Path(__file__).parents[1]
PATIENCE: Final = 600.0
"""Seconds for one step; a package index may be slow."""


class Runner:
    """Runs steps, and provides the files in which steps set variables and outputs."""

    def __init__(self, folder: Path, inputs: dict[str, str], path: str) -> None:
        self.action = yaml.safe_load((ROOT / "action.yml").read_text())
        self.folder = folder
        self.path = path
        given = {name: described["default"] for name, described in self.action["inputs"].items()}
        self._expressions = {f"inputs.{name}": value for name, value in {**given, **inputs}.items()}
        self._expressions["steps.python.outputs.python-path"] = sys.executable
        for name in ("path", "env", "output"):
            (folder / name).touch()

    def run(self, step: str) -> subprocess.CompletedProcess[str]:
        """Run a step; return its output and exit status."""
        (described,) = (each for each in self.action["runs"]["steps"] if each["id"] == step)
        assert described["shell"] == "bash"
        variables = {name: self._filled(value) for name, value in described.get("env", {}).items()}
        path = os.pathsep.join([*(self.folder / "path").read_text().split(), self.path])
        files = {f"GITHUB_{name.upper()}": str(self.folder / name) for name in ("path", "env", "output")}
        runner = {"RUNNER_TEMP": str(self.folder), "GITHUB_ACTION_PATH": str(ROOT), "PATH": path, **files}
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", described["run"]],
            env={**kept, **runner, **variables},
            cwd=self.folder,
            text=True,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )

    def told(self, name: str) -> dict[str, str]:
        """Return the variables (``env``) or outputs (``output``) that the steps have set."""
        return dict(line.split("=", 1) for line in (self.folder / name).read_text().splitlines())

    def _filled(self, value: Any) -> str:
        for expression, given in self._expressions.items():
            value = value.replace(f"${{{{ {expression} }}}}", given)
        assert "${{" not in value
        return str(value)


@pytest.fixture
def installed(tmp_path: Path) -> str:
    """A PATH that has a memkube program."""
    program = tmp_path / "bin" / "memkube"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT / "src"} exec {sys.executable} -m memkube "$@"\n')
    program.chmod(0o755)
    return os.pathsep.join((str(program.parent), os.environ["PATH"]))


@pytest.fixture
def runner(tmp_path: Path, installed: str) -> Iterator[Runner]:
    """A runner whose server is stopped after the test."""
    runner = Runner(tmp_path, {"options": "--nodes 2 --clock stepped"}, installed)
    yield runner
    if pid := runner.told("output").get("pid"):
        os.kill(int(pid), signal.SIGTERM)


def test_what_is_installed_is_used(runner: Runner) -> None:
    done = runner.run("find")
    assert (done.returncode, done.stdout) == (0, f"{runner.folder / 'bin' / 'memkube'}\n")
    assert runner.told("output") == {"memkube": "installed"}
    conditions = {each["id"]: each.get("if", "") for each in runner.action["runs"]["steps"]}
    absent = "steps.find.outputs.memkube == ''"
    assert conditions == {"find": "", "python": absent, "install": absent, "serve": ""}


def test_without_memkube_nothing_is_found(tmp_path: Path) -> None:
    runner = Runner(tmp_path, {}, os.pathsep.join(("/usr/bin", "/bin")))
    assert runner.run("find").returncode == 0
    assert runner.told("output") == {}


def test_the_python_is_pinned_to_a_version_that_is_tested(runner: Runner) -> None:
    (step,) = (each for each in runner.action["runs"]["steps"] if each["id"] == "python")
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    assert f"Programming Language :: Python :: {step['with']['python-version']}" in classifiers


def test_the_steps_behind_it_find_a_server(runner: Runner) -> None:
    done = runner.run("serve")
    assert done.returncode == 0, done.stderr
    told = runner.told("env")
    assert len(httpx.get(f"{told['MEMKUBE_SERVER']}/api/v1/nodes", trust_env=False).json()["items"]) == 2
    config = yaml.safe_load(Path(told["KUBECONFIG"]).read_text())
    assert config["clusters"][0]["cluster"]["server"] == told["MEMKUBE_SERVER"]
    assert (told["MEMKUBE_SERVER"], told["KUBECONFIG"]) == (
        runner.told("output")["server"],
        runner.told("output")["kubeconfig"],
    )


def test_outputs_are_those_of_the_step(runner: Runner) -> None:
    values = {name: described["value"] for name, described in runner.action["outputs"].items()}
    assert values == {name: f"${{{{ steps.serve.outputs.{name} }}}}" for name in ("server", "kubeconfig", "pid")}


def test_a_server_that_does_not_start_fails_the_step(tmp_path: Path, installed: str) -> None:
    done = Runner(tmp_path, {"options": "--clock broken"}, installed).run("serve")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("memkube: ")


@pytest.mark.slow
def test_it_is_installed_where_it_is_not(tmp_path: Path) -> None:
    runner = Runner(tmp_path, {}, os.pathsep.join(("/usr/bin", "/bin")))
    done = runner.run("install")
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "path").read_text().split()
    version = subprocess.run([f"{folder}/memkube", "version"], text=True, capture_output=True, check=True)
    assert version.stdout.startswith("memkube ")
