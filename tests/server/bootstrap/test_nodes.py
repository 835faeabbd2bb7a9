"""The nodes that are stored at the start are equal to those that the kubelets and controllers would write."""

import re
from dataclasses import replace
from typing import Any, Final, NamedTuple

import pytest

from memkube.controllers.available import KUBELET, NODE_LIFECYCLE, selected_names
from memkube.controllers.options import ControllerOptions
from memkube.registry.declarations.request_options import WatchOptions
from memkube.registry.objects.dependents import Dependents
from memkube.server.bootstrap.nodes import create_nodes
from memkube.server.server import Server
from memkube.server.settings import Settings
from memkube.telemetry.request_log import RequestLogOptions
from memkube.time.clock import SteppedClock

_SETTINGS: Final = Settings(controllers=selected_names("all"), clock="stepped")
_WATCHED_LOG: Final = RequestLogOptions(controllers=True)
"""Options with which requests of controllers are logged, so that the controllers write the nodes themselves."""
_VARIES: Final = re.compile(
    r"(?P<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{32}\b)|(?P<event>\.1[0-9a-f]{15})\b"
    r"|(?P<time>\d{4}-\d\d-\d\d[T ][\d:.]+|datetime\([\d, ]+)|(?P<port>(?<=[pP]ort\":)\d{4,})"
)


class _Begun(NamedTuple):
    """A server that has just started, without parts that differ between servers."""

    events: list[str]
    remembered: str


def _begun(settings: Settings) -> _Begun:
    with Server(settings).in_thread() as server:
        registry, clock = server.registry, server.registry.clock
        assert isinstance(clock, SteppedClock)
        server.answer(clock.advance(1))

        async def events() -> list[Any]:
            watcher = registry.backend.storage.watch("/", after=0)
            return list(await watcher.next())

        told = [f"{e.revision} {e.type} {e.key} {e.value.data.decode()}" for e in server.answer(events())]
        states = server.answer(server.parts.snapshots.take()).states
    seen: dict[str, str] = {}

    def name(found: re.Match[str]) -> str:
        kind = found.lastgroup or ""
        return seen.setdefault(found[0], f"{kind}{len(seen)}") if kind == "id" else kind

    return _Begun([_VARIES.sub(name, each) for each in told], _VARIES.sub(name, repr(dict(states))))


@pytest.mark.parametrize(
    "settings",
    [
        _SETTINGS,
        replace(_SETTINGS, controller_options=ControllerOptions(nodes=3, zones=2)),
        replace(_SETTINGS, controllers=(KUBELET, NODE_LIFECYCLE)),
    ],
    ids=["one", "three in two zones", "no other controllers"],
)
def test_they_are_as_if_they_had_been_written(settings: Settings) -> None:
    placed, written = _begun(settings), _begun(replace(settings, requests=_WATCHED_LOG))
    assert placed.events == written.events
    assert placed.remembered == written.remembered


@pytest.mark.parametrize(
    "other",
    [
        {"requests": _WATCHED_LOG},
        {"admission_plugins": (*_SETTINGS.plugins, "ExtendedResourceToleration")},
        {"controllers": ("kubelet",)},
        {"controller_options": ControllerOptions(nodes=4)},
        {"controller_options": ControllerOptions(nodes=0)},
    ],
    ids=str,
)
def test_where_something_else_may_come_of_it_nothing_is_placed(other: dict[str, Any]) -> None:
    settings = replace(_SETTINGS, **other)
    with Server(replace(_SETTINGS, controllers=())).in_thread() as server:
        assert server.answer(create_nodes(server.registry, Dependents(), settings)) is None


def test_a_watch_from_before_sees_a_node_come_lose_its_taint_and_get_its_annotation() -> None:
    with Server(_SETTINGS).in_thread() as server:
        store = server.registry.find("", "v1", "nodes")

        async def events() -> list[tuple[str, object]]:
            watch = store.watch("", WatchOptions(resource_version="1"))
            await watch.start()
            return [(event.type, event.object.document["spec"].get("taints")) for event in await watch.next()]

        taint = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
        assert server.answer(events()) == [("ADDED", [taint]), ("MODIFIED", None), ("MODIFIED", None)]
