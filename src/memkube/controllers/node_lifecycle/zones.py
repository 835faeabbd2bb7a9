"""Zones of nodes. The share of ready nodes in a zone determines the rate of evictions from its other nodes."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final, Literal, NamedTuple, TypeAlias

from memkube.apimachinery.model import Document

_SECONDS_PER_NODE: Final = 10.0
_SECONDS_PER_NODE_OF_LARGE_ZONE: Final = 100.0
_LARGE_ZONE: Final = 50
_UNHEALTHY_SHARE: Final = 0.55
_UNHEALTHY_NODES: Final = 3
_ZONE_LABELS: Final = ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")
_REGION_LABELS: Final = ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region")
_EXCLUDED: Final = "node.kubernetes.io/exclude-disruption"


class Zone(NamedTuple):
    """Region and zone of a node, from its labels. All nodes without these labels belong to the same zone."""

    region: str
    name: str


class _State(Enum):
    INITIAL = auto()
    NORMAL = auto()
    PARTIAL = auto()
    FULL = auto()


Change: TypeAlias = Literal["none", "rates", "entered", "left"]
"""Effect of changed nodes on evictions.

``rates``: the eviction rates of zones have changed. ``entered``: no node of the cluster is ready any more. ``left``: a
node of the cluster is ready again.
"""


@dataclass(slots=True)
class _Known:
    state: _State = _State.INITIAL
    ready: dict[str, bool] = field(default_factory=dict)
    """For each node of the zone, by name: True if the node is ready."""
    seconds_per_node: float | None = _SECONDS_PER_NODE


def zone_of(node: Document) -> Zone:
    """Return the zone of a node from its labels. As in Kubernetes, the deprecated beta labels take precedence."""
    labels = node["metadata"].get("labels") or {}
    return Zone(_first(labels, _REGION_LABELS), _first(labels, _ZONE_LABELS))


def is_excluded(node: Document) -> bool:
    """True if a label excludes the node from the counts that show whether most nodes of its zone have failed."""
    return _EXCLUDED in (node["metadata"].get("labels") or {})


class Zones:
    """Counts the ready nodes of each zone, and limits the evictions in a zone if most of its nodes fail.

    Such nodes probably have failed for a common cause. While no node of the cluster is ready, no pod is evicted.
    """

    def __init__(self) -> None:
        self._zones: dict[Zone, _Known] = {}
        self._places: dict[str, Zone] = {}

    def saved(self) -> list[Document]:
        """Return the counted nodes and the states of zones as JSON data, for a snapshot."""
        return [
            {"zone": zone, "ready": dict(known.ready), "state": known.state.name, "rate": known.seconds_per_node}
            for zone, known in self._zones.items()
        ]

    def restore(self, saved: Iterable[Document]) -> None:
        """Restore the state that `saved` returned. Raises ValueError, TypeError or KeyError for malformed data."""
        for entry in saved:
            zone, known = Zone(*entry["zone"]), _Known(_State[entry["state"]], dict(entry["ready"]), entry["rate"])
            self._zones[zone] = known
            self._places.update(dict.fromkeys(known.ready, zone))

    def put(self, name: str, zone: Zone, *, ready: bool) -> None:
        """Count a node in its zone as ready or not ready, in place of its earlier state."""
        if self._places.get(name, zone) != zone:
            self.remove(name)
        self._places[name] = zone
        self._zones.setdefault(zone, _Known()).ready[name] = ready

    def remove(self, name: str) -> None:
        """Stop counting a deleted node. This has no effect for an unknown node."""
        zone = self._places.pop(name, None)
        if zone is not None:
            known = self._zones[zone]
            del known.ready[name]
            if not known.ready:
                del self._zones[zone]

    def seconds_per_node(self, zone: Zone) -> float | None:
        """Return the seconds between the NoExecute taints of two nodes in a zone; None if no node may be tainted."""
        known = self._zones.get(zone)
        return _SECONDS_PER_NODE if known is None else known.seconds_per_node

    @property
    def known(self) -> list[Zone]:
        """The zones that have nodes."""
        return list(self._zones)

    def evaluate(self) -> Change:
        """Compute the states and eviction rates of all zones from the counted nodes.

        Returns the effect on evictions: "entered" if no node of the cluster is ready any more, "left" if one is ready
        again, "rates" if only eviction rates of zones have changed, otherwise "none".
        """
        was_full = all(known.state is _State.FULL for known in self._zones.values())
        states = {zone: _state(known) for zone, known in self._zones.items()}
        is_full = all(state is _State.FULL for state in states.values())
        if is_full and was_full:
            return "none"
        change: Change = "entered" if is_full else "left" if was_full else "none"
        for zone, known in self._zones.items():
            if known.state is not states[zone] or change != "none":
                known.state = states[zone]
                known.seconds_per_node = None if is_full else _rate(known)
                change = "rates" if change == "none" else change
        return change


def _state(known: _Known) -> _State:
    ready = sum(known.ready.values())
    missing = len(known.ready) - ready
    if not ready:
        return _State.FULL
    if missing >= _UNHEALTHY_NODES and missing / len(known.ready) >= _UNHEALTHY_SHARE:
        return _State.PARTIAL
    return _State.NORMAL


def _rate(known: _Known) -> float | None:
    if known.state is not _State.PARTIAL:
        return _SECONDS_PER_NODE
    return _SECONDS_PER_NODE_OF_LARGE_ZONE if len(known.ready) > _LARGE_ZONE else None


def _first(labels: dict[str, str], names: tuple[str, ...]) -> str:
    return next((labels[name] for name in names if name in labels), "")
