"""The recorded kubectl sessions, and the program beside them that replays and compares them."""

import importlib.util
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

FOLDER = Path(__file__).parents[3] / "shared" / "kubectl"
NOT_YET = Path(__file__).with_name("not_yet.txt")
RECORDED_WITH = "1.33"
OTHER_RELEASES = ("1.27", "1.28", "1.29", "1.30", "1.31", "1.32")
Session: TypeAlias = Mapping[str, Any]


def load_sessions() -> list[Session]:
    """All sessions; none where the recordings are not at hand."""
    return [session for file in sorted(FOLDER.glob("sessions/*.json")) for session in json.loads(file.read_text())]


def kubectl(release: str) -> Path | None:
    """The kubectl of a release that lies beside the one on PATH as kubectl.RELEASE."""
    found = shutil.which("kubectl")
    beside = Path(found).resolve().with_name(f"kubectl.{release}") if found else None
    return beside if beside and beside.exists() else None


def differences(session: Session, program: Path, kubeconfig: Path, *, exit_only: bool = False) -> list[str]:
    """What a session's commands print and return otherwise than recorded."""
    replayer = _replayer()
    results, namespace = replayer.run(session, str(program), str(kubeconfig))
    found = []
    for command, result in zip(session["commands"], results, strict=True):
        for part in ("exit",) if exit_only else ("exit", "stdout", "stderr"):
            value = result[part]
            actual = replayer.mask(value, namespace) if isinstance(value, str) else value
            if actual != command["expect"][part]:
                found.append(f"kubectl {command['run']}: {part}: {actual!r}, expected {command['expect'][part]!r}")
    return found


def _replayer() -> Any:
    spec = importlib.util.spec_from_file_location("sessions", FOLDER / "sessions.py")
    assert spec is not None
    assert spec.loader is not None
    replayer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(replayer)
    return replayer
