import tomllib
from pathlib import Path

import memkube


def test_all_names_what_users_get() -> None:
    assert memkube.__all__ == ["__version__"]
    assert all(hasattr(memkube, name) for name in memkube.__all__)


def test_the_package_knows_its_version() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    assert memkube.__version__ == project["project"]["version"]
