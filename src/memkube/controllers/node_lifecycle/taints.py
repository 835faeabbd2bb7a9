"""The taints that follow from a node's conditions."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.nodes.types import Node, Taint
from memkube.controllers.runtime import Runtime
from memkube.registry.clock import written_now
from memkube.registry.stored import StoredObject


class TaintName(NamedTuple):
    """What identifies a taint on its node."""

    key: str
    effect: str


_NOT_READY: Final = "node.kubernetes.io/not-ready"
_UNREACHABLE: Final = "node.kubernetes.io/unreachable"
_UNSCHEDULABLE: Final = "node.kubernetes.io/unschedulable"
_KEYS: Final[Mapping[tuple[str, str], str]] = MappingProxyType(
    {
        ("Ready", "False"): _NOT_READY,
        ("Ready", "Unknown"): _UNREACHABLE,
        ("MemoryPressure", "True"): "node.kubernetes.io/memory-pressure",
        ("DiskPressure", "True"): "node.kubernetes.io/disk-pressure",
        ("NetworkUnavailable", "True"): "node.kubernetes.io/network-unavailable",
        ("PIDPressure", "True"): "node.kubernetes.io/pid-pressure",
    }
)
NOT_READY: Final = TaintName(_NOT_READY, "NoExecute")
UNREACHABLE: Final = TaintName(_UNREACHABLE, "NoExecute")
_NO_SCHEDULE: Final = frozenset(TaintName(key, "NoSchedule") for key in (*_KEYS.values(), _UNSCHEDULABLE))


class TaintSwap(NamedTuple):
    """What is missing among a node's taints, and what should not be there."""

    missing: Collection[TaintName]
    surplus: Collection[TaintName]


def no_schedule_swap(node: Document) -> TaintSwap:
    """How the NoSchedule taints differ from what the conditions and the cordon ask for."""
    found = ((c["type"], c["status"]) for c in node["status"].get("conditions") or ())
    wanted = [TaintName(_KEYS[state], "NoSchedule") for state in found if state in _KEYS]
    if node["spec"].get("unschedulable"):
        wanted.append(TaintName(_UNSCHEDULABLE, "NoSchedule"))
    present = [name for name in taint_names(node) if name in _NO_SCHEDULE]
    return TaintSwap([name for name in wanted if name not in present], [name for name in present if name not in wanted])


def taint_names(node: Document) -> list[TaintName]:
    """The taints of a node."""
    return [TaintName(taint["key"], taint["effect"]) for taint in node["spec"].get("taints") or ()]


async def swap_taints(runtime: Runtime, node: StoredObject, swap: TaintSwap) -> StoredObject:
    """Adds and removes taints, and returns the node as it is then. Raises ApiError."""
    now = written_now(runtime.clock)

    def change(obj: ApiObject) -> None:
        assert isinstance(obj, Node)
        obj.spec.taints = _swapped(obj.spec.taints, swap, now)

    names = taint_names(node.document)
    if all(name in names for name in swap.missing) and not any(name in names for name in swap.surplus):
        return node
    resource = runtime.registry.find("", "v1", "nodes").resource
    return await runtime.client.update(resource, node, change)


def _swapped(taints: list[Taint], swap: TaintSwap, now: Time) -> list[Taint]:
    kept = [taint for taint in taints if (taint.key, taint.effect) not in swap.surplus]
    present = {(taint.key, taint.effect) for taint in kept}
    added = [name for name in swap.missing if name not in present]
    return kept + [Taint(key=name.key, effect=name.effect, timeAdded=now) for name in added]
