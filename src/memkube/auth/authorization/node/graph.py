"""Graph of the objects that the pods on each node need (``graph.go``, ``graph_populator.go``).

Edges lead from an object to the objects that need it, and finally to a node, for example: secret, volume, claim, pod,
node. The graph is updated by the events of pods, volumes, attachments and resource slices. The cost of an update
depends only on the number of references in the changed object.
"""

from asyncio import Lock
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, TypeVar

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.auth.authorization.node.references import (
    ATTACHMENT,
    POD,
    SLICE,
    VOLUME,
    VOLUME_CLAIM,
    Vertex,
    pod_references,
    volume_secrets,
)
from memkube.registry.declarations.request_options import WatchOptions
from memkube.registry.reads.watch_events import WatchEnded, WatchEvent
from memkube.registry.reads.watching import ObjectWatch
from memkube.registry.registry import Registry
from memkube.registry.store import Store

_FOLLOWED: Final = (
    ("", "v1", POD),
    ("", "v1", VOLUME),
    ("storage.k8s.io", "v1", ATTACHMENT),
    ("resource.k8s.io", "v1", SLICE),
)
_GONE: Final = 410
_Key = TypeVar("_Key")


class _Edges(NamedTuple):
    """The edges that one object, such as a pod, adds to the graph."""

    node: str = ""
    """Name of the node to which `vertices` have an edge; empty if the object has no node."""
    vertices: Iterable[Vertex] = ()
    """Vertices that have an edge to the node `node`."""
    followed: Iterable[tuple[Vertex, Vertex]] = ()
    """Pairs of vertices with an edge from the first to the second one."""


class NodeGraph:
    """Graph from objects to the nodes that need them, as of the last call of :meth:`catch_up`."""

    def __init__(self, registry: Registry) -> None:
        stores = [registry.find(*resource) for resource in _FOLLOWED]
        edges: tuple[Callable[[Document], _Edges], ...] = (_of_pod, _of_volume, _of_attachment, _of_slice)
        self._followers = [_Follower(store, of, self) for store, of in zip(stores, edges, strict=True)]
        self._seen: Callable[[], int] = lambda: stores[0].seen_revision
        self._revision = -1
        self._catching_up = Lock()
        self._nodes: dict[Vertex, Counter[str]] = {}
        """Number of objects through which a vertex leads to each node."""
        self._next: dict[Vertex, Counter[Vertex]] = {}
        """The vertices that follow a vertex on its way to a node."""

    async def catch_up(self) -> None:
        """Process the changes of pods, volumes and other objects since the last call, and update the graph."""
        revision = self._seen()
        if revision == self._revision:
            return
        async with self._catching_up:
            for follower in self._followers:
                await follower.catch_up()
            self._revision = revision

    def is_related(self, vertex: Vertex, node: str) -> bool:
        """True if a path of edges leads from the object `vertex` to the node with the name `node`."""
        if node in self._nodes.get(vertex, ()):
            return True
        return any(self.is_related(following, node) for following in self._next.get(vertex, ()))

    def add(self, edges: _Edges, times: int) -> None:
        """Add the edges of an object if `times` is 1; remove them if it is -1."""
        for vertex in edges.vertices:
            _count(self._nodes, vertex, edges.node, times)
        for vertex, following in edges.followed:
            _count(self._next, vertex, following, times)


def _count(counts: dict[Vertex, Counter[_Key]], vertex: Vertex, key: _Key, times: int) -> None:
    found = counts.setdefault(vertex, Counter())
    found[key] += times
    if not found[key]:
        del found[key]
    if not found:
        del counts[vertex]


class _Follower:
    """Updates the edges in the node graph for all objects of one resource, by a watch of that resource."""

    def __init__(self, store: Store, edges_of: Callable[[Document], _Edges], graph: NodeGraph) -> None:
        self._store = store
        self._edges_of = edges_of
        self._graph = graph
        self._watch: ObjectWatch | None = None
        self._known: dict[tuple[str, str], tuple[Document, _Edges]] = {}

    async def catch_up(self) -> None:
        """Process the watch events since the last call.

        If these events have been compacted, start a new watch, which begins with all objects.
        """
        while True:
            if self._watch is None:
                self._watch = await self._started()
            try:
                events = await _read(self._watch)
            except ApiError as error:
                if error.code != _GONE:
                    raise
                self._watch = None
                continue
            if not events:
                return
            for event in events:
                self._take(event)

    async def _started(self) -> ObjectWatch:
        """Remove the edges of all known objects, and return a new watch of the resource.

        The watch begins with all objects that exist.
        """
        for _, edges in self._known.values():
            self._graph.add(edges, -1)
        self._known.clear()
        watch = self._store.watch("", WatchOptions(send_initial_events=True))
        await watch.start()
        return watch

    def _take(self, event: WatchEvent) -> None:
        stored = event.object
        key = stored.namespace, stored.name
        document = stored.document
        old, edges = self._known.get(key, ({}, _Edges()))
        if event.type != "DELETED" and old and _has_same_references(old, document):
            return
        self._graph.add(edges, -1)
        if event.type == "DELETED":
            self._known.pop(key, None)
            return
        edges = self._edges_of(document)
        self._graph.add(edges, 1)
        self._known[key] = document, edges


async def _read(watch: ObjectWatch) -> Sequence[WatchEvent]:
    """Return the events of a watch that have already happened; empty if there are none or the server stops."""
    try:
        ready = watch.ready()
        return await watch.next(0) if ready is None else ready
    except WatchEnded:
        return ()


def _has_same_references(old: Document, new: Document) -> bool:
    """True if both revisions of an object certainly have the same edges; False if they may differ."""
    if old["metadata"]["uid"] != new["metadata"]["uid"] or old["spec"] != new["spec"]:
        return False
    before, after = old.get("status") or {}, new.get("status") or {}
    return all(before.get(name) == after.get(name) for name in ("resourceClaimStatuses", "extendedResourceClaimStatus"))


def _of_pod(pod: Document) -> _Edges:
    node = pod["spec"].get("nodeName") or ""
    if not node:
        return _Edges()
    metadata = pod["metadata"]
    return _Edges(node, {Vertex(POD, metadata["namespace"], metadata["name"]), *pod_references(pod)})


def _of_volume(volume: Document) -> _Edges:
    claim = volume["spec"].get("claimRef")
    if not claim:
        return _Edges()
    own = Vertex(VOLUME, "", volume["metadata"]["name"])
    bound = Vertex(VOLUME_CLAIM, claim.get("namespace") or "", claim.get("name") or "")
    secrets = {secret for secret in volume_secrets(volume) if secret.name}
    return _Edges(followed=[(own, bound), *((secret, own) for secret in secrets)])


def _of_attachment(attachment: Document) -> _Edges:
    return _on_node(ATTACHMENT, attachment)


def _of_slice(slice_: Document) -> _Edges:
    return _on_node(SLICE, slice_)


def _on_node(resource: str, document: Document) -> _Edges:
    node = document["spec"].get("nodeName") or ""
    return _Edges(node, (Vertex(resource, "", document["metadata"]["name"]),) if node else ())
