"""The simulated machines of a server by name, and the node pools to which they belong."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from memkube.apimachinery.model import Document
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.saved_values import (
    ADDED_NODES,
    FAILED_NODES,
    NODE_POOLS,
    PARTITIONED_NODES,
    REMOVED_NODES,
)
from memkube.controllers.nodes.simulated_node import (
    STANDARD_SHAPE,
    NodeShape,
    SimulatedNode,
    standard_node,
    standard_zone,
)
from memkube.controllers.options import MOST_NODES

if TYPE_CHECKING:
    # Imported for types only: most servers have no node pools and need not load the module with their format.
    from memkube.controllers.nodes.pools import NodePool

_NO_POOL: Final = ""


class Machines:
    """The simulated machines that exist now. The name of a removed machine is never used again.

    If a server restores a snapshot, it starts with the machines in the snapshot. Otherwise it starts with the machines
    that its options describe. It then repeats the changes of earlier servers on the same storage, which may have added
    and removed machines.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._random_values = runtime.registry.kind_services.random_values
        self._zones = runtime.options.zones
        self._by_name: dict[str, SimulatedNode] = {}
        self.pools: dict[str, NodePool] = {}
        """Node pools by name."""
        self._shapes: dict[str, NodeShape] = {_NO_POOL: STANDARD_SHAPE}
        self._next_index: dict[str, int] = {_NO_POOL: 1}
        """Number at the end of the next machine's name, by node pool."""
        self._last_number = 0
        self._added: set[str] = set()
        """Names of the machines that were added after the start."""
        self._removed: dict[str, None] = {}
        """Names of machines that existed at the start and were removed."""
        kept = runtime.keep(NODE_POOLS, self._saved)
        self.is_restored = bool(kept)
        """True if the pools and the machines are those of a snapshot."""
        for one in kept:
            self._restore(one)

    def get(self, name: str) -> SimulatedNode | None:
        """Return the machine with this name, or None if it does not exist (any more)."""
        return self._by_name.get(name)

    def __iter__(self) -> Iterator[SimulatedNode]:
        return iter(list(self._by_name.values()))

    def __len__(self) -> int:
        return len(self._by_name)

    def of_pool(self, pool: str) -> list[SimulatedNode]:
        """Return the machines of a node pool, in the order in which they were added."""
        return [machine for machine in self._by_name.values() if machine.shape.pool == pool]

    def make_initial(self) -> None:
        """Create the machines that a server without a restored snapshot has at its start."""
        options, state = self._runtime.options, self._runtime.registry.shared_state
        self._removed = dict.fromkeys(state.items(REMOVED_NODES))
        for number in range(1, options.nodes + 1):
            self._take_initial(standard_node(number, options.zones, self._random_values))
        self._next_index[_NO_POOL] = options.nodes + 1
        for pool in options.node_pools:
            self._take_pool(pool, pool.initial_count)
            for index in range(pool.initial_count):
                self._take_initial(self._of_pool(pool, index, self._last_number + 1, ""))
        added = state.items(ADDED_NODES)
        for name in sorted(added, key=lambda name: added[name]["number"]):
            self._take_added(name, added[name])
        for name in self._removed:
            self._note_index(*_parts(name, self.pools))
        for machine in self:
            machine.failed = state.get(FAILED_NODES, machine.name) is not None
            machine.partitioned = state.get(PARTITIONED_NODES, machine.name) is not None

    def template(self, pool: str, others: int) -> SimulatedNode:
        """Return the machine that a node pool would get next, if `others` other machines were added before.

        No machine is added. Raises KeyError for an unknown pool.
        """
        index, known = self._next_index[pool] + others, self.pools[pool]
        zone = known.zone_of(index, self._last_number + 1 + others, self._zones)
        return SimulatedNode(f"template-node-for-{pool}-{others}", 0, zone, ("", "", ""), self._shapes[pool])

    def add(self, pool: str, zone: str = "") -> SimulatedNode:
        """Create a machine in a node pool, or outside of pools if `pool` is empty.

        Without a `zone`, zones are assigned in turn. Raises KeyError for an unknown pool, and ValueError if there are
        too many machines.
        """
        shape_pool = self.pools[pool] if pool else None
        number, index = self._free_number(), self._next_index[pool]
        while self._runtime.informers.of("", "v1", "nodes").get("", f"{pool or 'node'}-{index}") is not None:
            index += 1
        if shape_pool is not None:
            machine = self._of_pool(shape_pool, index, number, zone)
        else:
            zone = zone or standard_zone(index, self._zones)
            machine = SimulatedNode.new(f"node-{index}", number, zone, self._random_values)
        self._next_index[pool] = index + 1
        self._last_number = max(self._last_number, number)
        self._by_name[machine.name] = machine
        self._added.add(machine.name)
        return machine

    def remove(self, name: str) -> SimulatedNode:
        """Remove a machine, and return it. Raises KeyError if there is no such machine."""
        machine = self._by_name.pop(name)
        if name in self._added:
            self._added.discard(name)
        else:
            self._removed[name] = None
        return machine

    async def share(self, machine: SimulatedNode) -> None:
        """Tell other servers on the same storage whether a machine exists, has failed or is cut off."""
        state, name = self._runtime.registry.shared_state, machine.name
        exists = self._by_name.get(name) is machine
        location = {"pool": machine.shape.pool, "number": machine.number, "zone": machine.zone}
        documents: tuple[tuple[str, Document | None], ...] = (
            (ADDED_NODES, location if name in self._added else None),
            (REMOVED_NODES, {} if name in self._removed else None),
            (FAILED_NODES, {} if exists and machine.failed else None),
            (PARTITIONED_NODES, {} if exists and machine.partitioned else None),
        )
        for collection, document in documents:
            if document is not None:
                await state.put(collection, name, document)
            elif state.get(collection, name) is not None:
                await state.delete(collection, name)

    def saved(self, machine: SimulatedNode) -> Document:
        """Return a machine as JSON data, for a snapshot."""
        return {
            "name": machine.name,
            "number": machine.number,
            "zone": machine.zone,
            "pool": machine.shape.pool,
            "added": machine.name in self._added,
            "failed": machine.failed,
            "partitioned": machine.partitioned,
            "identities": machine.identities,
            "others": machine.others,
            "pressures": machine.pressures,
        }

    def restore(self, saved: Document) -> SimulatedNode:
        """Restore a machine from JSON data. Raises ValueError, TypeError or KeyError for malformed data."""
        number, name = saved["number"], saved["name"]
        # Older snapshots, from before there were pools, have the number of zones instead of the machine's zone.
        zone = saved["zone"] if "zone" in saved else standard_zone(number, saved["zones"])
        shape = self._shapes[saved.get("pool", _NO_POOL)]
        machine = SimulatedNode(name, number, zone, tuple(saved["identities"]), shape, saved["failed"])
        machine.partitioned = saved.get("partitioned", False)
        machine.others.update(saved.get("others") or {})
        machine.pressures = tuple(saved.get("pressures") or ())
        self._by_name[name] = machine
        self._last_number = max(self._last_number, number)
        self._note_index(*_parts(name, self.pools))
        if saved.get("added", False):
            self._added.add(name)
        return machine

    def _saved(self) -> list[Document]:
        """Return JSON data for a snapshot: each node pool, with the number of its next node and its removed nodes.

        The first entry is for nodes outside of pools.
        """
        pools: list[tuple[str, NodePool | None]] = [(_NO_POOL, None), *self.pools.items()]
        return [
            {
                "pool": None if pool is None else pool.saved(),
                "next": self._next_index[name],
                "last": self._last_number,
                "removed": [one for one in self._removed if _parts(one, self.pools)[0] == name],
            }
            for name, pool in pools
        ]

    def _restore(self, saved: Document) -> None:
        name = _NO_POOL
        if saved["pool"] is not None:
            from memkube.controllers.nodes.pools import NodePool  # noqa: PLC0415  imported with the first pool

            pool = NodePool.model_validate(saved["pool"])
            name = pool.name
            self._take_pool(pool, 0)
        self._next_index[name] = int(saved["next"])
        self._last_number = int(saved["last"])
        self._removed |= dict.fromkeys(saved["removed"])

    def _take_pool(self, pool: "NodePool", next_index: int) -> None:
        self.pools[pool.name] = pool
        self._shapes[pool.name] = pool.shape()
        self._next_index[pool.name] = next_index

    def _of_pool(self, pool: "NodePool", index: int, number: int, zone: str) -> SimulatedNode:
        zone = zone or pool.zone_of(index, number, self._zones)
        name = f"{pool.name}-{index}"
        return SimulatedNode.new(name, number, zone, self._random_values, self._shapes[pool.name])

    def _take_initial(self, machine: SimulatedNode) -> None:
        self._last_number = machine.number
        if machine.name not in self._removed:
            self._by_name[machine.name] = machine

    def _take_added(self, name: str, location: Document) -> None:
        """Create a machine that was added in an earlier run on the same storage, unless its pool no longer exists.

        `location` has the pool, number and zone of the machine.
        """
        shape = self._shapes.get(location["pool"])
        if shape is None or name in self._by_name:
            return
        number = location["number"] if location["number"] > self._last_number else self._free_number()
        machine = SimulatedNode.new(name, number, location["zone"], self._random_values, shape)
        self._by_name[name] = machine
        self._last_number = max(self._last_number, number)
        self._added.add(name)
        self._note_index(*_parts(name, self.pools))

    def _note_index(self, pool: str, index: int) -> None:
        self._next_index[pool] = max(self._next_index[pool], index + 1)

    def _free_number(self) -> int:
        """Return a number for a new machine, if possible one that was never used.

        Raises ValueError if there are too many machines.
        """
        if self._last_number < MOST_NODES:
            return self._last_number + 1
        taken = {machine.number for machine in self}
        for number in range(1, MOST_NODES + 1):
            if number not in taken:
                return number
        raise ValueError(f"the number of nodes must be at most {MOST_NODES}")


def _parts(name: str, pools: "dict[str, NodePool]") -> tuple[str, int]:
    """Split the name of a node: return the name of its pool, or "" if that is not in `pools`, and its number."""
    pool, _, index = name.rpartition("-")
    return pool if pool in pools else _NO_POOL, int(index)
