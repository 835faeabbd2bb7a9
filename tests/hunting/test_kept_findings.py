"""A finding is written as a plan to replay, and as a test."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import memkube
from tests.hunting.examples import EXAMPLES, described

pytestmark = [pytest.mark.long, pytest.mark.slow]


def written(folder: Path) -> Path:
    """Write the description of a hunt into a folder: the first two steps of the example ``two_writes``."""
    content = described("two_writes_buggy")
    del content["folder"]
    content["operator"]["directory"] = str(EXAMPLES)
    content["workload"] = content["workload"][:2]
    content["workload"][0]["apply"] = str(EXAMPLES / content["workload"][0]["apply"])
    content["setup"] = [str(EXAMPLES / name) for name in content["setup"]]
    file = folder / "hunt.yaml"
    file.write_text(yaml.safe_dump(content))
    return file


def test_a_finding_is_kept_as_a_plan_and_a_test(tmp_path: Path) -> None:
    folder = tmp_path / "findings"
    memkube.hunt(written(tmp_path), patterns=["crash"], budget=300, seed=1, report=folder, max_findings=1)
    report = json.loads((folder / "report.json").read_text())
    assert report["findings"][0]["oracle"] == "end-state"
    with subprocess.Popen([sys.executable, "-m", "pytest", "-q", str(folder)], stdout=subprocess.PIPE) as test:
        again = memkube.hunt(replay=folder / report["findings"][0]["plan"])
        output, _ = test.communicate()
    assert again.findings
    assert again.findings[0].details.needs == [0]
    assert b"1 failed" in output
