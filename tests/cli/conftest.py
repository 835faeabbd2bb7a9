import os
from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder with a kubeconfig that memkube must not change, and a folder for temporary files."""
    kubeconfig = tmp_path / ".kube" / "config"
    kubeconfig.parent.mkdir()
    kubeconfig.write_text("mine")
    (tmp_path / "tmp").mkdir()
    return tmp_path


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    without = ("KUBECONFIG", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if name not in without}
    return {**kept, "HOME": str(home), "TMPDIR": str(home / "tmp")}
