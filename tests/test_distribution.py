"""Tests of the distribution: build it, install it into empty environments, and use it."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.listings import all_listings, listings

_ROOT: Final = Path(__file__).parents[1]
_MIB: Final = 1024 * 1024
_PATIENCE: Final = 600.0
"""Seconds for one program; a package index may be slow."""
_pin = re.compile(r"^([\w.-]+==[^ \\\n]+( ;[^\\\n]+)?)", re.MULTILINE)


def _done(command: Sequence[str | Path], folder: Path, **variables: str) -> str:
    """Run a program without this process's Python environment, and return its output; fail if the program fails."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    path = os.pathsep.join((str(Path(sys.executable).parent), kept["PATH"]))
    environment = {**kept, "PATH": path, **variables}
    done = subprocess.run(
        command, cwd=folder, env=environment, text=True, capture_output=True, timeout=_PATIENCE, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _listing(words: str) -> str:
    """Return the listing of the documents that contains these words."""
    (text,) = (listing.text for listing in all_listings() if words in listing.text)
    return text


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    _done([sys.executable, "-m", "hatchling", "build", "-d", folder], _ROOT)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (wheel,) = built.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def pins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the versions of all packages, without hashes, because the wheel under test has none."""
    path = tmp_path_factory.mktemp("pins") / "pins.txt"
    path.write_text("".join(f"{pin[0]}\n" for pin in _pin.findall((_ROOT / "constraints" / "dev.txt").read_text())))
    return path


@pytest.fixture(scope="module")
def programs(wheel: Path, pins: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that is created as the tutorial says, but with the wheel in place of a clone."""
    folder = tmp_path_factory.mktemp("fresh")
    commands = _listing("pip install ../memkube").replace("../memkube", str(wheel))
    _done(["bash", "-ec", commands], folder, PIP_CONSTRAINT=str(pins), PIP_QUIET="1")
    return folder / ".venv" / "bin"


@pytest.fixture(scope="module")
def tools() -> Path:
    """The programs that check and pack distributions."""
    _done(["make", ".clients/release/stamp"], _ROOT)
    return _ROOT / ".clients" / "release" / "bin"


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """An empty project."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def test_the_wheel_holds_the_package_alone(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"memkube", wheel.name.rsplit("-", 3)[0] + ".dist-info"}
    assert [name for name in names if "__pycache__" in name] == []
    assert "memkube/py.typed" in names


def test_the_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < 3 * _MIB


def test_the_sdist_has_all_that_a_clone_is_tested_with(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {Path(*Path(name).parts[1:]).as_posix() for name in archive.getnames()}
    assert {
        "Makefile",
        "pyproject.toml",
        "constraints/dev.txt",
        "tests/test_distribution.py",
        "docs/testing.md",
    } <= names
    assert [name for name in names if "node_modules" in name or "__pycache__" in name] == []


@pytest.mark.slow
def test_the_wheel_of_the_sdist_is_the_same(built: Path, wheel: Path, tmp_path: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    _done([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path], tmp_path / sdist.name[:-7])
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


@pytest.mark.slow
def test_the_program_runs_a_command_with_a_server(programs: Path, empty: Path) -> None:
    ask = "import json, os, urllib.request, yaml; c = yaml.safe_load(open(os.environ['KUBECONFIG']))\n"
    ask += "print(urllib.request.urlopen(c['clusters'][0]['cluster']['server'] + '/readyz').read().decode())"
    assert _done([programs / "memkube", "run", "--", programs / "python", "-c", ask], empty) == "ok\n"


@pytest.mark.slow
def test_a_test_of_ten_lines_passes_in_an_empty_project(programs: Path, empty: Path) -> None:
    (text,) = (listing.text for listing in listings() if listing.file == "test_web.py")
    assert len(text.splitlines()) == 10
    (empty / "test_it.py").write_text(text)
    assert "1 passed" in _done([programs / "pytest", "-q"], empty)


@pytest.mark.slow
@pytest.mark.parametrize("line", _listing("uvx --from").splitlines())
def test_it_runs_without_an_installation(line: str, built: Path, pins: Path, empty: Path) -> None:
    program = line.split(maxsplit=1)[0]
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program} on PATH")
    (empty / "dist").symlink_to(built)
    printed = _done(["bash", "-ec", line], empty, UV_CONSTRAINT=str(pins), PIP_CONSTRAINT=str(pins), HOME=str(empty))
    assert printed.startswith("memkube ")


@pytest.mark.slow
def test_nothing_of_it_needs_what_is_not_installed(programs: Path, empty: Path) -> None:
    # The etcd engine is an optional extra, and gymnasium is the caller's own.
    optional = ("memkube.__main__", "memkube.gym.gymnasium_environment")
    check = "import importlib, pkgutil, memkube\n"
    check += "for m in pkgutil.walk_packages(memkube.__path__, 'memkube.'):\n"
    check += f"    m.name in {optional} or 'storage.etcd' in m.name or importlib.import_module(m.name)\n"
    _done([programs / "python", "-c", check], empty)


@pytest.mark.slow
def test_the_package_index_accepts_the_distributions(tools: Path, built: Path) -> None:
    assert _done([tools / "twine", "check", "--strict", *built.iterdir()], built).count("PASSED") == 2


@pytest.mark.slow
def test_the_wheel_has_no_file_at_a_wrong_place(tools: Path, wheel: Path) -> None:
    assert _done([tools / "check-wheel-contents", wheel], wheel.parent).endswith(": OK\n")


def test_links_of_the_description_are_absolute(wheel: Path) -> None:
    metadata = zipfile.ZipFile(wheel).read(f"{wheel.name.rsplit('-', 3)[0]}.dist-info/METADATA").decode()
    linked = re.findall(r"\]\(([^)]+)\)", metadata)
    pictures = re.findall(r"!\[[^]]*\]\(([^)]+)\)", metadata)
    assert any(link.endswith("/docs/testing.md") for link in linked)
    assert [link for link in linked if not link.startswith("https://")] == []
    assert pictures
    assert [link for link in pictures if not link.startswith("https://raw.githubusercontent.com/")] == []


@pytest.mark.slow
def test_the_single_file_runs_on_a_bare_python(tools: Path, empty: Path) -> None:
    _done(["make", "pyz"], _ROOT)
    bare = empty / "bare"
    _done([sys.executable, "-m", "venv", "--without-pip", bare], empty)
    ask = "import os, sys; print(sys.argv[1], os.path.exists(os.environ['KUBECONFIG']))"
    single_file = [bare / "bin" / "python", _ROOT / "dist" / "memkube.pyz"]
    command: list[str | Path] = [*single_file, "run", "--", sys.executable, "-c", ask, "kept"]
    assert _done(command, empty, HOME=str(empty)) == "kept True\n"


@pytest.mark.slow
def test_the_hook_of_pre_commit_refuses_a_wrong_manifest(tools: Path, pins: Path, empty: Path) -> None:
    (empty / "a.yaml").write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, dta: {}}\n")
    _done(["git", "init", "-q"], empty)
    _done(["git", "add", "."], empty)
    command: list[str | Path] = [tools / "pre-commit", "try-repo", _ROOT, "memkube-validate", "--all-files"]
    with pytest.raises(AssertionError, match=r"a\.yaml:1:.* unknown field"):
        _done(command, empty, PIP_CONSTRAINT=str(pins), PRE_COMMIT_HOME=str(empty / "cache"))
