"""The worked example in `docs/adding-a-kind.md`: its diffs apply to the package, and the result serves the kind."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import httpx
import pytest

import memkube
from tests.cli.processes import serving

PAGE: Final = Path(__file__).parents[1] / "docs/adding-a-kind.md"
COLLECTION: Final = "/apis/coordination.k8s.io/v1beta1/namespaces/default/leasecandidates"
CANDIDATE: Final = {
    "metadata": {"name": "a"},
    "spec": {
        "leaseName": "lock",
        "binaryVersion": "1.36.0",
        "emulationVersion": "1.35.0",
        "strategy": "OldestEmulationVersion",
    },
}

_diff = re.compile(r"^```diff\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the diffs of the page."""
    root = tmp_path_factory.mktemp("adding")
    shutil.copytree(Path(memkube.__file__).parent, root / "src/memkube")
    diffs = "".join(_diff.findall(PAGE.read_text()))
    subprocess.run(["git", "apply", "-"], cwd=root, input=diffs, text=True, check=True)
    return root


@pytest.fixture(scope="module")
def environment(changed: Path) -> dict[str, str]:
    """Environment variables of a process that imports the copy."""
    return {**os.environ, "PYTHONPATH": str(changed / "src"), "HOME": str(changed)}


def test_a_server_with_the_diffs_serves_the_kind(environment: dict[str, str]) -> None:
    with serving(environment, "--controllers", "none") as running, httpx.Client(base_url=running.url) as client:
        created = client.post(COLLECTION, json=CANDIDATE)
        read = client.get(f"{COLLECTION}/a")
        listed = client.get(COLLECTION).json()
        deleted = client.delete(f"{COLLECTION}/a")
        missing = client.get(f"{COLLECTION}/a")
    assert [answer.status_code for answer in (created, read, deleted, missing)] == [201, 200, 200, 404]
    assert read.json() == created.json()
    assert (listed["kind"], [item["spec"] for item in listed["items"]]) == ("LeaseCandidateList", [CANDIDATE["spec"]])


def test_the_tests_in_the_diffs_pass(changed: Path, environment: dict[str, str]) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(changed),
        str(changed / "tests"),
    ]
    answer = subprocess.run(command, cwd=changed, env=environment, text=True, capture_output=True, check=False)
    assert (answer.returncode, "4 passed" in answer.stdout) == (0, True), answer.stdout
