"""Operators in Python are compiled once a hunt, if their modules are not compiled and must not be in place."""

import py_compile
from pathlib import Path

import pytest

from memkube.hunting.bytecode import kept_bytecode
from memkube.hunting.description import Hunt, Operator, Step


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of an importable package, in a process that must not write compiled modules."""
    file = tmp_path / "some_client" / "__init__.py"
    file.parent.mkdir()
    file.touch()
    monkeypatch.syspath_prepend(f"{tmp_path}")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    return file


def environment(**env: str) -> dict[str, str]:
    """Return the operator's further environment variables during a hunt."""
    hunt = Hunt(operator=Operator(command=["x"], env=env), workload=[Step(run="true")])
    with kept_bytecode(hunt, ["some_client"]) as changed:
        return changed.operators[0].env


@pytest.mark.usefixtures("package")
def test_modules_that_are_not_compiled_are_kept_in_a_folder() -> None:
    found = environment(A="b")
    assert (found["PYTHONDONTWRITEBYTECODE"], found["A"]) == ("", "b")
    assert not Path(found["PYTHONPYCACHEPREFIX"]).exists()


def test_compiled_modules_are_used_in_place(package: Path) -> None:
    py_compile.compile(f"{package}")
    assert environment() == {}


@pytest.mark.usefixtures("package")
def test_python_that_may_compile_in_place_does_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE")
    assert environment() == {}
