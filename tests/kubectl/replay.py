"""Replays recorded kubectl sessions, and compares the output as the program that recorded them does."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias

from benchmarks.processes import serving

from tests.recordings.agreement import key_of
from tests.recordings.archive import Recording, load
from tests.recordings.reference import sessions

RECORDED_WITH: Final = "1.33"
OTHER_RELEASES: Final = ("1.27", "1.28", "1.29", "1.30", "1.31", "1.32")
SUITES: Final = ("kubectl", "kubectl-kinds")
_LOG_LINE: Final = re.compile(r"^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w.]+:\d+\] .*\n?", re.MULTILINE)
"""A line that kubectl logs.

Such lines contain the time, and some depend on chance: a watch of one second may be shorter by the client's clock.
"""
Kubeconfigs: TypeAlias = tuple[Path, Path]
"""Paths of the kubeconfigs of a server without controllers, and of one with the controllers of the recordings."""


@contextmanager
def servers(folder: Path) -> Iterator[Kubeconfigs]:
    """Run both servers. Their kubeconfigs are written into the folder."""
    with (
        serving(_server("none", folder / "none")),
        serving(_server("all,-scheduler,-kubelet", folder / "all")),
    ):
        yield folder / "none", folder / "all"


def _server(controllers: str, kubeconfig: Path) -> tuple[str, ...]:
    return ("memkube", "serve", "--port", "0", "--controllers", controllers, "--kubeconfig", os.fspath(kubeconfig))


def load_sessions() -> dict[str, Recording]:
    """Return all sessions by their keys in the list. Raises FileNotFoundError if they are missing."""
    return {key_of(suite, session): session for suite in SUITES for session in load(suite)}


def kubectl(release: str) -> Path | None:
    """Return the kubectl of a release: the one on PATH, or a program kubectl.RELEASE in the same folder."""
    found = shutil.which("kubectl")
    if not found:
        return None
    beside = Path(found).resolve().with_name(f"kubectl.{release}")
    return beside if beside.exists() else Path(found) if _release(found) == release else None


def _release(program: str) -> str:
    printed = subprocess.run([program, "version", "--client", "--output=json"], capture_output=True, check=True).stdout
    version: str = json.loads(printed)["clientVersion"]["gitVersion"]
    return ".".join(version.removeprefix("v").split(".")[:2])


def differences(session: Recording, program: Path, kubeconfigs: Kubeconfigs, *, exit_only: bool = False) -> list[str]:
    """Return the differences between a session's recorded and actual output and exit codes."""
    # The replaying program passes only the given variables to kubectl. tests.conftest sets GOGC for the other tests.
    commands = [{**command, "env": {"GOGC": "off", **command.get("env", {})}} for command in session["commands"]]
    played = {**session, "commands": commands}
    results = sessions.run(played, str(program), str(kubeconfigs[session.get("controllers", False)]))
    return [
        f"kubectl {command['run']}: {part}: {result[part]!r}, expected {command['expect'][part]!r}"
        for command, result in zip(session["commands"], results, strict=True)
        for part in (("exit",) if exit_only else ("exit", "stdout", "stderr"))
        if _said(result[part]) != _said(command["expect"][part])
    ]


def _said(printed: str | int) -> str | int:
    return _LOG_LINE.sub("", printed) if isinstance(printed, str) else printed


def first_differences(session: Recording, program: Path, kubeconfigs: Kubeconfigs) -> list[str]:
    """Return the differences of a session that is not expected to agree.

    If the first command differs, the others are not run. No command is repeated.
    """
    commands = [{**command, "settle": 0} for command in session["commands"]]
    begun, whole = {**session, "commands": commands[:1]}, {**session, "commands": commands}
    return differences(begun, program, kubeconfigs) or differences(whole, program, kubeconfigs)
