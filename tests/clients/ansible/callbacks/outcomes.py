"""A callback plugin that prints a line of JSON for each task: its name, how it ended, and its module's result."""

import json
from typing import Any

from ansible.parsing.ajson import AnsibleJSONEncoder
from ansible.plugins.callback import CallbackBase


class CallbackModule(CallbackBase):  # type: ignore[misc]  # an untyped class
    """The plugin. Ansible's documentation of callback plugins describes its methods."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "outcomes"

    def v2_runner_on_ok(self, result: Any) -> None:
        self._write("changed" if result.result.get("changed") else "ok", result)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        self._write("ignored" if ignore_errors else "failed", result)

    def v2_runner_on_skipped(self, result: Any) -> None:
        self._write("skipped", result)

    def _write(self, outcome: str, result: Any) -> None:
        written = {"task": result.task.get_name(), "outcome": outcome, "result": result.result}
        self._display.display(json.dumps(written, cls=AnsibleJSONEncoder))
