"""Hunts find the bugs of the examples, and write them as plans and tests."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import memkube
from tests.hunting.examples import BUGS, EXAMPLES, described


@pytest.mark.slow
@pytest.mark.parametrize(("name", "pattern"), BUGS.items())
def test_a_bug_is_found(name: str, pattern: str) -> None:
    report = memkube.hunt(
        described(f"{name}_buggy"), patterns=[pattern], budget=300, seed=1, max_findings=1, shorten=False
    )
    assert [finding.pattern for finding in report.findings[:1]] == [pattern], report.to_text()


@pytest.mark.slow
def test_a_finding_is_kept_as_a_plan_and_a_test(tmp_path: Path) -> None:
    file = tmp_path / "hunt.yaml"
    content = {**described("two_writes_buggy"), "folder": None}
    del content["folder"]
    content["operator"]["directory"] = str(EXAMPLES)
    for step in content["workload"]:
        if isinstance(step.get("apply"), str):
            step["apply"] = str(EXAMPLES / step["apply"])
    content["setup"] = [str(EXAMPLES / name) for name in content["setup"]]
    file.write_text(yaml.safe_dump(content))
    folder = tmp_path / "findings"
    memkube.hunt(file, patterns=["crash"], budget=300, seed=1, report=folder, max_findings=1)
    report = json.loads((folder / "report.json").read_text())
    assert report["findings"][0]["oracle"] == "end-state"
    again = memkube.hunt(replay=folder / report["findings"][0]["plan"])
    assert again.findings
    assert again.findings[0].details.needs == [0]
    test = subprocess.run([sys.executable, "-m", "pytest", "-q", str(folder)], capture_output=True, check=False)
    assert b"1 failed" in test.stdout
