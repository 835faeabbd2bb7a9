"""The operators in ``examples/hunt``, each with a bug and in a corrected form."""

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import memkube

EXAMPLES = Path(__file__).parents[2] / "examples" / "hunt"
BUGS_IN_WRITES = {
    "two_writes": "crash",
    "generated_name": "lost-reply",
    "overwritten": "another-writer",
    "lost_lease": "lease-lost",
    "kopf_create": "crash",
    "already_deleted": "crash",
}
"""Pattern of faults that shows the bug of each example: faults that disturb what the operator writes."""
BUGS_IN_READS = {
    "events_only": "unobserved",
    "scale_down": "stale",
    "renamed": "inputs",
    "kept_label": "inputs",
    "stopped_informer": "history",
    "twice_at_once": "history",
}
"""Pattern of faults that shows the bug of each example: faults and inputs that disturb what the operator reads."""
BUGS = BUGS_IN_WRITES | BUGS_IN_READS


def assert_found(name: str, pattern: str) -> None:
    """Hunt in an example with a bug, and assert that plans of this pattern find it."""
    report = memkube.hunt(
        described(f"{name}_buggy"), patterns=[pattern], budget=300, seed=1, max_findings=1, shorten=False
    )
    assert [finding.pattern for finding in report.findings[:1]] == [pattern], report.to_text()


def described(name: str) -> dict[str, Any]:
    """Return the hunt of an example. Its operator runs with the Python interpreter of the tests."""
    read: dict[str, Any] = yaml.safe_load((EXAMPLES / f"{name}.yaml").read_text())
    command = read["operator"]["command"]
    if command[0] == "python":
        command[0] = sys.executable
    elif not (EXAMPLES.parent / "operator" / "node_modules").exists():
        pytest.skip("@kubernetes/client-node is not installed")
    return {**read, "folder": EXAMPLES}
