"""Runs the examples in the help texts."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from memkube import Memkube
from memkube.cli.application import COMMANDS
from tests.cli.processes import SOON, serving

BEFORE: Final[dict[str, str]] = {
    "load": "memkube kubeconfig --merge --context staging",
    "diff": """
        mkdir -p main/deploy work/deploy; cd work
        echo '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}}' > deploy/web.yaml
        cp deploy/web.yaml ../main/deploy
    """,
    "gym run": f"""
        cp {Path(__file__).parent}/agent.sh my-agent
        chmod +x my-agent
    """,
    "hunt": f"""
        cp {Path(__file__).parents[2]}/examples/hunt/*.py {Path(__file__).parents[2]}/examples/hunt/widget*.yaml .
        sed 's#command: .python,#command: [{sys.executable},#' \
            {Path(__file__).parents[2]}/examples/hunt/two_writes_mended.yaml > hunt.yaml
    """,
    "metrics delete": "memkube metrics put queue type=External metric=queue_length value=30",
    "play": f"cp {Path(__file__).parents[2]}/examples/scenarios/cronjob_night.yaml night.yaml",
    "rules delete": "memkube rules put crashing image=nginx",
    "scheduling": """
        kubectl --server $MEMKUBE_SERVER create namespace shop
        kubectl --server $MEMKUBE_SERVER run web-0 --namespace shop --image nginx
    """,
    "services delete": "memkube services put default/my-webhook:443 9443",
    "snapshot export": "memkube snapshot save before.jsonl",
    "snapshot import": """
        mkdir manifests
        echo '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}}' > manifests/web.yaml
    """,
    "snapshot restore": "memkube snapshot save before.jsonl",
    "validate": """
        for folder in deploy overlays/prod; do
            mkdir -p $folder
            echo '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}}' > $folder/web.yaml
        done
        echo 'resources: [web.yaml]' > overlays/prod/kustomization.yaml
    """,
}
"""Preparations for an example, by the words of its command."""
NEEDED: Final = {
    "gym run": "kubectl",
    "run": "kubectl",
    "scheduling": "kubectl",
    "validate": "kubectl",
    "completion": "bash",
}
"""Programs that examples start, by command."""


def _commands() -> Iterator[tuple[str, Any]]:
    for command in COMMANDS:
        loaded = command.load()
        children = getattr(loaded, "commands", {})
        yield from ((f"{command.name} {name}", child) for name, child in children.items())
        if not children:
            yield str(command.name), loaded


def _example(command: Any) -> list[str]:
    _, _, rest = (command.help or "").partition("Example:\n\n\b\n")
    return [line.strip() for line in rest.partition("\n\n")[0].splitlines()]


@pytest.mark.parametrize(("words", "command"), [pytest.param(*each, id=each[0]) for each in _commands()])
def test_a_command_has_an_example(words: str, command: Any) -> None:
    assert re.search(rf"\bmemkube {words}\b", "\n".join(_example(command)))


def test_serve_serves_as_its_example_says(environment: dict[str, str]) -> None:
    (line,) = _example(dict(_commands())["serve"])
    with serving(environment, *line.split()[2:]) as server:
        assert server.printed[0].startswith("memkube serves Kubernetes")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "command"),
    [pytest.param(*each, id=each[0]) for each in _commands() if each[0] not in ("serve", "gym serve", "k3s")],
)
def test_an_example_works(words: str, command: Any, environment: dict[str, str], home: Path) -> None:
    if shutil.which(needed := NEEDED.get(words, "sh")) is None:
        pytest.skip(f"there is no {needed} on PATH")
    (home / ".kube" / "config").unlink()
    (home / "memkube").write_text(f'#!/bin/sh\nexec {sys.executable} -m memkube "$@"\n')
    (home / "memkube").chmod(0o755)
    script = "\n".join(["set -e", BEFORE.get(words, ""), *_example(command)])
    with Memkube(clock="stepped") as kube:
        path = f"{home}{os.pathsep}{environment['PATH']}"
        given = {**environment, "PATH": path, "MEMKUBE_SERVER": kube.url}
        shell = shutil.which("bash") or "sh"
        done = subprocess.run(
            [shell, "-c", script], cwd=home, env=given, text=True, capture_output=True, timeout=SOON, check=False
        )
    # Doctor may report problems of the machine that runs the tests.
    assert done.returncode in ((0, 1) if words == "doctor" else (0,)), done.stderr
    assert "Traceback" not in done.stderr
