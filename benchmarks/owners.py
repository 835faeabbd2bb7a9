"""Memory of running pods by owner: ``python -m benchmarks.owners``.

A server with all controllers and 50 nodes creates pods up to two sizes. At each size the benchmark weighs the objects
that are reachable from each owner (`sys.getsizeof`), and prints the difference per pod as a Markdown table. An object
with two owners is counted for the first of them.
"""

import argparse
import gc
import platform
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Final

from benchmarks.growth_server import GROUP, pod

_SIZES: Final = "1500,2500"
_PLAIN: Final = (type, ModuleType, FunctionType, BuiltinFunctionType)
"""Types of objects that belong to the program, whose size does not depend on the number of pods."""
_WAIT_SECONDS: Final = 3600
_BOUNDS: Final = {
    "its JSON": "goes with the pod",
    "what its node knows of it and its container": "goes with the pod",
    "what the scheduler knows": "goes with the pod",
    "timers": "go with the pod",
    "it and the events, as stored objects": "go with the pod, and after an hour",
    "keys, indices and ends of life": "go with the pod, and after an hour",
    "JSON of the events about it": "they expire after an hour",
    "what recorders of events remember": "half of it for some 20 minutes, the rest goes with the pod; 4,096 of a sort",
    "documents at hand": "500 objects or 4 MiB of JSON, of all objects together",
    "older revisions, in the history": "20,000 changes or 128 MiB, of all objects together",
}
"""Owners of memory, each with what limits the memory that it uses."""


class Scales:
    """Weighs objects, counting each object once."""

    def __init__(self) -> None:
        self._weighed: dict[int, object] = {}

    def weigh(self, roots: Iterable[object], *, deep: bool = True) -> int:
        """Return the bytes of these objects and, if `deep`, of all objects reachable from them."""
        total, left = 0, list(roots)
        while left:
            one = left.pop()
            if id(one) in self._weighed or isinstance(one, _PLAIN) or _is_module(one):
                continue
            self._weighed[id(one)] = one
            total += sys.getsizeof(one)
            if deep:
                left += gc.get_referents(one)
        return total


def _is_module(one: object) -> bool:
    return isinstance(one, dict) and "__builtins__" in one


def main() -> None:
    """Print the table."""
    from memkube.controllers.options import ControllerOptions  # noqa: PLC0415  `--help` needs none of these
    from memkube.server.server import Server  # noqa: PLC0415
    from memkube.server.settings import Settings  # noqa: PLC0415

    parser = argparse.ArgumentParser(prog="benchmarks.owners", description=__doc__)
    parser.add_argument("--sizes", default=_SIZES, help="two numbers of pods (%(default)s)")
    parser.add_argument("--nodes", type=int, default=50, help="simulated nodes (%(default)s)")
    arguments = parser.parse_args()
    first, second = map(int, arguments.sizes.split(","))
    server = Server(Settings(controller_options=ControllerOptions(nodes=arguments.nodes)))

    def compare() -> None:
        # The server has frozen the objects that existed at its start, which hides them from gc.get_objects as well.
        gc.unfreeze()
        try:
            before = _weighed_at(server, 0, first)
            after = _weighed_at(server, first, second)
            print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, Python {platform.python_version()}\n")
            print("| | KiB per pod | what bounds it |\n| --- | ---: | --- |")
            for owner, bound in _BOUNDS.items():
                print(f"| {owner} | {(after[owner] - before[owner]) / (second - first) / 1024:.1f} | {bound} |")
        finally:
            signal.raise_signal(signal.SIGINT)

    server.run(threading.Thread(target=compare, daemon=True).start)


def _weighed_at(server: Any, first: int, last: int) -> dict[str, int]:
    """Create pods until there are `last`, wait until all run, and return the bytes of each owner."""
    server.answer(_created(server.registry, range(first, last)), _WAIT_SECONDS)
    while not server.call(lambda: _all_run(last)):
        time.sleep(1)
    weighed: dict[str, int] = server.call(_weighed)
    return weighed


async def _created(registry: Any, numbers: Iterable[int]) -> None:
    from memkube.registry.declarations.request_options import WriteContext  # noqa: PLC0415  `--help` needs none of these
    from memkube.time.turns import Turns  # noqa: PLC0415

    namespaces, pods, turns = registry.find("", "v1", "namespaces"), registry.find("", "v1", "pods"), Turns()
    for number in numbers:
        namespace = f"ns-{number // GROUP:05}"
        if number % GROUP == 0:
            made = namespaces.resource.model.from_document({"metadata": {"name": namespace}})
            await namespaces.create(made, WriteContext(manager="benchmark"))
        context = WriteContext(namespace=namespace, manager="benchmark")
        await pods.create(pods.resource.model.from_document(pod(number, bound=False)), context)
        await turns.give()


def _all_run(pods: int) -> bool:
    (storage,) = _those("MemoryStorage")
    keys = [key for key in storage._values if key.startswith("/core/pods/")]
    return sum(b'"ready":true' in storage._values[key].data for key in keys) == pods


def _weighed() -> dict[str, int]:
    gc.collect()
    (storage,), (codec,) = _those("MemoryStorage"), _those("ObjectCodec")
    values, scales = storage._values, Scales()
    pods = [stored for key, stored in values.items() if key.startswith("/core/pods/")]
    events = [stored for key, stored in values.items() if "/events/" in key]
    return {
        "its JSON": scales.weigh((stored.item_tail for stored in pods), deep=False),
        "JSON of the events about it": scales.weigh((stored.item_tail for stored in events), deep=False),
        "it and the events, as stored objects": scales.weigh([*pods, *events], deep=False),
        "documents at hand": scales.weigh(_documents(codec)),
        "older revisions, in the history": scales.weigh([storage._log._events]),
        "keys, indices and ends of life": scales.weigh(_kept(storage)),
        "timers": scales.weigh(_parts_of_timers(), deep=False),
        "what recorders of events remember": scales.weigh(_parts("Correlators", lambda one: one._known)),
        "what the scheduler knows": scales.weigh(_parts("Cluster", lambda one: (one._pods, one.neighbours))),
        "what its node knows of it and its container": scales.weigh(_parts("Kubelet", lambda one: one._held)),
    }


def _parts_of_timers() -> Iterator[object]:
    """Yield the timers and their parts.

    The objects that their callbacks refer to are left out, because the whole server is reachable from them.
    """
    for timer in _those("_LoopTimer"):
        yield from (timer, timer._instant, timer._handle, *gc.get_referents(timer._handle))
        yield from (timer._callback, getattr(timer._callback, "args", None))


def _documents(codec: Any) -> Iterator[object]:
    """Yield the decoded documents in the codec's cache."""
    for stored in codec._awake._objects:
        yield stored._document


def _kept(storage: Any) -> Iterator[object]:
    """Yield the keys, indices and expiry queues of the storage, without its values."""
    yield from storage._values
    yield storage._keys
    yield storage._indices._made
    yield storage._expiry._queues


def _parts(name: str, part: Callable[[Any], object]) -> list[object]:
    return [part(one) for one in _those(name)]


def _those(name: str) -> list[Any]:
    return [
        one for one in gc.get_objects() if type(one).__name__ == name and type(one).__module__.startswith("memkube.")
    ]


if __name__ == "__main__":
    main()
