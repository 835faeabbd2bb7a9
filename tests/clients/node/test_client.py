"""``@kubernetes/client-node``: runs the programs in this folder with the test runner of Node.js."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from memkube import Memkube

_HERE: Final = Path(__file__).parent
_MODULES: Final = _HERE.parents[2] / "examples/operator/node_modules"
_MISSING: Final = (
    "there is no node on PATH" if shutil.which("node") is None else "@kubernetes/client-node is not installed"
)
pytestmark = pytest.mark.skipif(shutil.which("node") is None or not _MODULES.exists(), reason=_MISSING)


@pytest.mark.parametrize("program", sorted(path.name for path in _HERE.glob("*.test.js")))
def test_the_client_for_node_passes(memkube: Memkube, program: str) -> None:
    environment = {"PATH": os.environ["PATH"], "KUBECONFIG": str(memkube.kubeconfig)}
    command: list[str | Path] = ["node", "--test", "--test-reporter=spec", _HERE / program]
    done = subprocess.run(command, env=environment, text=True, capture_output=True, timeout=180, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
