"""The bugs of the examples are found, and nothing in their mended twins."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import memkube

EXAMPLES = Path(__file__).parents[2] / "examples" / "hunt"
BUGS = {
    "two_writes": "crash",
    "generated_name": "lost-reply",
    "events_only": "unobserved",
    "scale_down": "stale",
    "overwritten": "another-writer",
    "lost_lease": "lease-lost",
    "kopf_create": "crash",
    "renamed": "inputs",
}


def described(name: str) -> dict[str, Any]:
    """Return the hunt of an example, whose operator runs with the Python of the tests."""
    read: dict[str, Any] = yaml.safe_load((EXAMPLES / f"{name}.yaml").read_text())
    read["operator"]["command"][0] = sys.executable
    return {**read, "folder": EXAMPLES}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "pattern"), BUGS.items())
def test_a_bug_is_found(name: str, pattern: str) -> None:
    report = memkube.hunt(described(f"{name}_buggy"), patterns=[pattern], budget=120, seed=1, max_findings=1)
    assert [finding.pattern for finding in report.findings[:1]] == [pattern], report.to_text()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "pattern"), BUGS.items())
def test_a_mended_twin_withstands_the_same(name: str, pattern: str) -> None:
    report = memkube.hunt(described(f"{name}_mended"), patterns=[pattern], budget=40, seed=1)
    assert report.plans
    assert not report.findings, report.to_text()


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
    memkube.hunt(file, patterns=["crash"], budget=60, seed=1, report=folder, max_findings=1)
    report = json.loads((folder / "report.json").read_text())
    assert report["findings"][0]["oracle"] == "end-state"
    again = memkube.hunt(replay=folder / report["findings"][0]["plan"])
    assert again.findings
    test = subprocess.run([sys.executable, "-m", "pytest", "-q", str(folder)], capture_output=True, check=False)
    assert b"1 failed" in test.stdout
