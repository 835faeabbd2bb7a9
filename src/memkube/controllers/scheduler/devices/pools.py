"""Pools of devices that a node can use (``structured/internal/incubating/pools_incubating.go``)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.controllers.scheduler.devices.allocated import DeviceId
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.node_term import NodeTerm
from memkube.registry.objects.stored import StoredObject


class PoolId(NamedTuple):
    """Driver and name of a device pool, which identify the pool in the cluster."""

    driver: str
    pool: str

    def __str__(self) -> str:
        return "/".join(self)


class OfferedDevice(NamedTuple):
    """A device, with the pool and the ResourceSlice that offer it."""

    id: DeviceId
    device: Document
    slice: Document
    """Spec of the ResourceSlice that offers the device."""
    pool: "Pool"


class Pool(NamedTuple):
    """A device pool of a driver, with the devices that one node can use.

    Devices of an incomplete or invalid pool are not allocated.
    """

    id: PoolId
    is_incomplete: bool = False
    """True if the driver has not published all ResourceSlices of the pool yet."""
    is_invalid: bool = False
    slices: tuple[Document, ...] = ()
    """Specs of the ResourceSlices whose devices the node can use, in the order of the slices' names."""
    other_slices: tuple[Document, ...] = ()
    """Specs of ResourceSlices for other nodes, whose devices may consume counters of the pool."""
    counter_sets: Mapping[str, Mapping[str, int]] = {}
    """Amounts of the pool's shared counters in billionths, by counter set and counter."""

    @property
    def devices(self) -> Iterator[OfferedDevice]:
        """Yield the devices that the node can use, in the order in which the search tries them."""
        return (
            OfferedDevice(DeviceId(*self.id, device["name"]), device, spec, self)
            for spec in self.slices
            for device in spec.get("devices") or ()
        )

    @property
    def all_devices(self) -> Iterator[tuple[DeviceId, Document]]:
        """Yield all devices of the pool, including devices that only other nodes can use."""
        for spec in (*self.slices, *self.other_slices):
            for device in spec.get("devices") or ():
                yield DeviceId(*self.id, device["name"]), device


class SliceIndex:
    """Index of the ResourceSlices by node and by device pool."""

    def __init__(self) -> None:
        self._by_node: dict[str, dict[str, Document]] = {}
        self._shared: dict[str, Document] = {}
        """Specs of ResourceSlices with devices for several nodes, or with counters, by name of the slice."""
        self._by_pool: dict[PoolId, dict[str, Document]] = {}

    def on_slice(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Update the index after a change of a ResourceSlice."""
        if old is not None:
            for index, key in self._places(old.document["spec"]):
                slices = index[key]
                slices.pop(old.name, None)
                if not slices:
                    del index[key]
            self._shared.pop(old.name, None)
        if new is not None:
            spec = new.document["spec"]
            places = list(self._places(spec))
            for index, key in places:
                index.setdefault(key, {})[new.name] = spec
            if len(places) == 1:
                self._shared[new.name] = spec

    def pools(self, node: NodeInfo) -> list[Pool]:
        """Return the device pools that a node can use.

        Pools without binding conditions come first. Pools are then sorted by driver and name.
        """
        candidates = {**self._by_node.get(node.name, {}), **self._shared}
        found: dict[PoolId, dict[str, Document]] = {}
        for name, spec in candidates.items():
            if _is_relevant(spec, node):
                _add_newest(found, name, spec)
        pools = [pool for pool_id, slices in found.items() if (pool := self._pool(pool_id, slices)) is not None]
        return sorted(pools, key=lambda pool: (_has_binding_conditions(pool), pool.id))

    def _places(self, spec: Document) -> Iterator[tuple[dict[Any, dict[str, Document]], str | PoolId]]:
        yield self._by_pool, PoolId(spec["driver"], spec["pool"]["name"])
        if spec.get("nodeName") and not spec.get("sharedCounters"):
            yield self._by_node, spec["nodeName"]

    def _pool(self, pool_id: PoolId, slices: dict[str, Document]) -> Pool | None:
        """Return the device pool `pool_id` with the devices that one node can use.

        `slices` are the ResourceSlices of the pool that the node can use. Returns None if these slices are outdated,
        because the pool has a newer generation without slices for the node.
        """
        pool = next(iter(slices.values()))["pool"]
        if len(slices) == pool["resourceSliceCount"]:
            return _checked(pool_id, slices, {})
        everything = self._by_pool[pool_id]
        if any(spec["pool"]["generation"] > pool["generation"] for spec in everything.values()):
            return None
        current = {name: spec for name, spec in everything.items() if spec["pool"]["generation"] == pool["generation"]}
        if len(current) != pool["resourceSliceCount"]:
            return Pool(pool_id, is_incomplete=True)
        return _checked(pool_id, slices, {name: spec for name, spec in current.items() if name not in slices})


def matches_node(node: NodeInfo, where: Document) -> bool:
    """True if the ``nodeName``, ``allNodes`` or ``nodeSelector`` in `where` includes the node.

    `where` is the spec of a ResourceSlice, or a device in it.
    """
    if where.get("nodeName"):
        return bool(where["nodeName"] == node.name)
    return bool(where.get("allNodes")) or selects_node(where.get("nodeSelector"), node)


def selects_node(selector: Document | None, node: NodeInfo) -> bool:
    """True if at least one term of a node selector matches the node."""
    terms = (selector or {}).get("nodeSelectorTerms") or ()
    return any(NodeTerm(term).matches(node.name, node.facts.labels) for term in terms)


def _is_relevant(spec: Document, node: NodeInfo) -> bool:
    if spec.get("sharedCounters"):
        return True
    if spec.get("perDeviceNodeSelection"):
        return any(matches_node(node, device) for device in spec.get("devices") or ())
    return matches_node(node, spec)


def _add_newest(found: dict[PoolId, dict[str, Document]], name: str, spec: Document) -> None:
    """Add a ResourceSlice to those of its pool in `found`, unless these have a newer generation.

    Drop slices of older generations.
    """
    pool_id, generation = PoolId(spec["driver"], spec["pool"]["name"]), spec["pool"]["generation"]
    slices = found.get(pool_id)
    known = None if slices is None else next(iter(slices.values()))["pool"]["generation"]
    if slices is None or known is None or generation > known:
        found[pool_id] = {name: spec}
    elif generation == known:
        slices[name] = spec


def _checked(pool_id: PoolId, slices: dict[str, Document], others: dict[str, Document]) -> Pool:
    """Return a pool of devices, marked as invalid if names are not unique, or if devices refer to unknown counters.

    `slices` are the ResourceSlices of the pool that the node can use, and `others` those that only other nodes can use.
    """
    sorted_slices = [slices[name] for name in sorted(slices)]
    with_devices = [spec for spec in sorted_slices if not spec.get("sharedCounters")]
    names = [device["name"] for spec in with_devices for device in spec.get("devices") or ()]
    sets = [one for spec in sorted_slices for one in spec.get("sharedCounters") or ()]
    counters = {one["name"]: _amounts(one) for one in sets}
    everything = [*sorted_slices, *others.values()]
    if len(set(names)) < len(names) or len(counters) < len(sets) or not _has_all_counters(counters, everything):
        return Pool(pool_id, is_invalid=True)
    return Pool(pool_id, slices=tuple(with_devices), other_slices=tuple(others.values()), counter_sets=counters)


def _amounts(counters: Document) -> dict[str, int]:
    return {name: Quantity(counter["value"]).nano for name, counter in (counters.get("counters") or {}).items()}


def consumption_of(device: Document) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield each counter set of which a device consumes counters, with the amounts in billionths."""
    for each in device.get("consumesCounters") or ():
        yield each["counterSet"], _amounts(each)


def _has_all_counters(counters: Mapping[str, Mapping[str, int]], slices: Iterable[Document]) -> bool:
    return all(
        name in counters and amounts.keys() <= counters[name].keys()
        for spec in slices
        for device in spec.get("devices") or ()
        for name, amounts in consumption_of(device)
    )


def _has_binding_conditions(pool: Pool) -> bool:
    return any(device.get("bindingConditions") for spec in pool.slices for device in spec.get("devices") or ())
