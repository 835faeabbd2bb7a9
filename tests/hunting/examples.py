"""The operators in ``examples/hunt``, each with a bug and in a corrected form."""

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

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
    "already_deleted": "crash",
    "kept_label": "inputs",
    "stopped_informer": "history",
    "twice_at_once": "history",
}


def described(name: str) -> dict[str, Any]:
    """Return the hunt of an example. Its operator runs with the Python interpreter of the tests."""
    read: dict[str, Any] = yaml.safe_load((EXAMPLES / f"{name}.yaml").read_text())
    command = read["operator"]["command"]
    if command[0] == "python":
        command[0] = sys.executable
    elif not (EXAMPLES.parent / "operator" / "node_modules").exists():
        pytest.skip("@kubernetes/client-node is not installed")
    return {**read, "folder": EXAMPLES}
