"""Runs plays of Ansible with the modules of kubernetes.core against a cluster."""

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
_PATIENCE: Final = {"wait_sleep": 1, "wait_timeout": 30}
_SECONDS: Final = 240
"""For a play: each task starts a Python of its own."""


@dataclass(frozen=True, slots=True)
class Task:
    """How a task ended."""

    outcome: str
    """``ok``, ``changed``, ``failed``, ``ignored`` or ``skipped``."""
    result: dict[str, Any]
    """What the module returned."""


@dataclass(frozen=True, slots=True)
class Play:
    """How a play ended."""

    succeeded: bool
    tasks: dict[str, Task]
    """By name, in order."""

    def outcomes(self) -> dict[str, str]:
        """How each task ended, by name; a failure with what the module said."""
        return {
            name: f"failed: {task.result.get('msg')}" if task.outcome == "failed" else task.outcome
            for name, task in self.tasks.items()
        }

    def result(self, name: str) -> dict[str, Any]:
        """What the module of a task returned."""
        return self.tasks[name].result


class Ansible:
    """Ansible on this machine, which knows one cluster."""

    def __init__(self, kubeconfig: Path, folder: Path) -> None:
        self._folder = folder
        self._environment = {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": os.fspath(folder),
            # Where kubernetes.core keeps what it has discovered of a cluster, by its address.
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
        """Runs one of the playbooks here."""
        return self._play(_HERE / name, *options)

    def play(self, tasks: str, *options: str) -> Play:
        """Runs tasks that are given as YAML."""
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
