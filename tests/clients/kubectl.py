"""Runs kubectl as a user does."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

needs_kubectl = [
    pytest.mark.kubectl,
    pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on PATH"),
]


class Kubectl:
    """kubectl with a server and a default namespace."""

    def __init__(self, kubeconfig: Path, namespace: str) -> None:
        self.namespace = namespace
        self._command = ["kubectl", "--namespace", namespace]
        home = str(kubeconfig.parent)
        inherited = {name: os.environ[name] for name in ("PATH", "GOGC")}
        self._environment = {**inherited, "HOME": home, "KUBECONFIG": str(kubeconfig)}

    def __call__(self, *words: str, stdin: str = "") -> str:
        """Run kubectl, and return its output. The test fails if kubectl fails."""
        done = self.run(*words, stdin=stdin)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def run(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run kubectl, and return its exit status and output."""
        command = [*self._command, *words]
        return subprocess.run(
            command, input=stdin, env=self._environment, text=True, capture_output=True, timeout=120, check=False
        )

    @contextmanager
    def started(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        """Start kubectl, and terminate it at the end of the block."""
        command = [*self._command, *words]
        with subprocess.Popen(
            command, env=self._environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as running:
            try:
                yield running
            finally:
                running.terminate()
