import os
import subprocess
import sys
from pathlib import Path

import pytest

MOST_SECONDS = 0.0002
MOST_BYTES = 20 * 1024


def measured(*words: str, times: int) -> float:
    """What a process of its own prints; the best of so many."""
    command = [sys.executable, "-m", "tests.custom.many_kinds", *words]
    # Started from bytecode, as an installed server is.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    runs = [
        subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=environment)
        for _ in range(times)
    ]
    return min(float(run.stdout) for run in runs)


@pytest.mark.alone
def test_a_kind_that_nobody_asks_for_costs_next_to_no_time(tmp_path: Path) -> None:
    # Others are at work on the machine.
    assert measured(str(tmp_path), times=5) < MOST_SECONDS


def test_a_kind_that_nobody_asks_for_costs_a_few_kibibytes(tmp_path: Path) -> None:
    assert measured(str(tmp_path), "bytes", times=1) < MOST_BYTES
