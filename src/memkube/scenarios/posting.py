"""Scenarios that clients send to a running server through the control API.

The server plays them, but reads and writes no files for them: the client sends the manifests along.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.decoding.yaml_body import read_yaml
from memkube.cluster.manifests import read_manifests, text_of
from memkube.cluster.synchronous import cluster_of
from memkube.control.scenario_runs import PreparedScenario
from memkube.errors import ManifestError, UsageError
from memkube.scenarios.actions import located
from memkube.scenarios.playing import prepare
from memkube.scenarios.scenario import read_scenario
from memkube.server.server import Server

_MANIFESTS: Final = ("apply", "create")


class ServerPlayer:
    """Plays the scenarios that clients of the control API send to a server."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def prepare(self, document: Mapping[str, Any], speed: float | None) -> PreparedScenario:
        check_files(document)
        return prepare(read_scenario(document), cluster_of(self._server), speed=speed)


def check_files(document: Mapping[str, Any]) -> None:
    """Raise UsageError if the scenario `document`, which a client has sent, names files to read or write."""
    if "folder" in document:
        raise UsageError("folder: a scenario that is sent to a server must not set it")
    places = {"setup": document.get("setup")}
    steps = document.get("steps")
    for number, step in enumerate(steps if isinstance(steps, list) else ()):
        if isinstance(step, Mapping):
            places |= {f"steps[{number}].{name}": step.get(name) for name in _MANIFESTS}
            if step.get("snapshot") is not None:
                raise UsageError(
                    f"steps[{number}].snapshot: a scenario that is sent to a server cannot write files; "
                    "use memkube snapshot instead"
                )
    for field, given in places.items():
        if _names_a_file(given):
            raise UsageError(
                f"{field}: a scenario that is sent to a server cannot read files; put the objects into the scenario"
            )


def sendable(path: Path) -> dict[str, Any]:
    """Return the content of a scenario file, with the objects of the manifest files that it names.

    Raises UsageError if a file cannot be read, or if the scenario is not valid.
    """
    scenario = read_scenario(path)
    try:
        document: dict[str, Any] = read_yaml(text_of(path).encode()).data
        if scenario.setup is not None:
            document["setup"] = _objects(scenario.setup, scenario.folder)
        for step, given in zip(scenario.steps, document.get("steps") or (), strict=True):
            for name in _MANIFESTS:
                if getattr(step, name) is not None:
                    given[name] = _objects(getattr(step, name), scenario.folder)
    except (DecodeError, ManifestError) as error:
        raise UsageError(f"{path}: {error}") from None
    document.pop("folder", None)
    return document


def _objects(manifests: Any, folder: Path) -> list[dict[str, Any]]:
    return [manifest.document for manifest in read_manifests(located(manifests, folder))]


def _names_a_file(manifests: Any) -> bool:
    if isinstance(manifests, str):
        return isinstance(located(manifests, Path()), Path)
    return isinstance(manifests, list) and any(map(_names_a_file, manifests))
