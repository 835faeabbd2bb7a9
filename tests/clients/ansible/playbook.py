"""Runs Ansible plays with the modules of kubernetes.core."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.clients.worker import CLIENTS

_HERE: Final = Path(__file__).parent
_INSTALLED: Final = CLIENTS / "ansible"
needs_ansible = pytest.mark.skipif(not (_INSTALLED / "stamp").exists(), reason="Ansible is not installed: make clients")
_PATIENCE: Final = {"wait_sleep": 1, "wait_timeout": 120}
_SECONDS: Final = 240
"""Maximum number of seconds for a play. Each task starts a Python process."""


@dataclass(frozen=True, slots=True)
class Task:
    """The result of a task."""

    outcome: str
    """How the task ended: ``ok``, ``changed``, ``failed``, ``ignored`` or ``skipped``."""
    result: dict[str, Any]
    """The return value of the task's module."""


@dataclass(frozen=True, slots=True)
class Play:
    """The result of a play."""

    succeeded: bool
    tasks: dict[str, Task]
    """The tasks by name, in the order in which they ran."""

    def outcomes(self) -> dict[str, str]:
        """Return how each task ended, by name; for a failed task with its error message."""
        return {
            name: f"failed: {task.result.get('msg')}" if task.outcome == "failed" else task.outcome
            for name, task in self.tasks.items()
        }

    def result(self, name: str) -> dict[str, Any]:
        """Return the return value of a task's module."""
        return self.tasks[name].result


class Ansible:
    """Runs plays against one cluster."""

    def __init__(self, kubeconfig: Path, folder: Path) -> None:
        self._folder = folder
        self._environment = {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": os.fspath(folder),
            # kubernetes.core caches the discovery information of a cluster here, by the cluster's address.
            "TMPDIR": os.fspath(folder),
            "K8S_AUTH_KUBECONFIG": os.fspath(kubeconfig),
            "ANSIBLE_CALLBACK_PLUGINS": os.fspath(_HERE / "callbacks"),
            "ANSIBLE_COLLECTIONS_PATH": os.fspath(_INSTALLED),
            "ANSIBLE_DEPRECATION_WARNINGS": "false",
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false",
            "ANSIBLE_PIPELINING": "true",
            "ANSIBLE_STDOUT_CALLBACK": "outcomes",
        }

    def play_file(self, name: str, *options: str) -> Play:
        """Run a playbook of this folder."""
        return self._play(_HERE / name, *options)

    def play(self, tasks: str, *options: str) -> Play:
        """Run tasks that are given as YAML."""
        play = {
            "hosts": "localhost",
            "connection": "local",
            "gather_facts": False,
            "module_defaults": {f"kubernetes.core.{name}": _PATIENCE for name in ("k8s", "k8s_info", "k8s_scale")},
            "tasks": yaml.safe_load(tasks),
        }
        with tempfile.NamedTemporaryFile("w", dir=self._folder, suffix=".yaml") as book:
            yaml.dump([play], book, sort_keys=False)
            book.flush()
            return self._play(Path(book.name), *options)

    def _play(self, book: Path, *options: str) -> Play:
        done = subprocess.run(
            [_INSTALLED / "bin/ansible-playbook", book, *options],
            env=self._environment,
            cwd=self._folder,
            text=True,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        assert lines, done.stdout + done.stderr
        tasks = {line["task"]: Task(line["outcome"], line["result"]) for line in lines}
        return Play(done.returncode == 0, tasks)
