"""The tree of an object's owners and dependents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from memkube.ui.api_client import ApiClient, Refused
from memkube.ui.kinds import Kind, all_kinds
from memkube.ui.page import At

_METADATA: Final = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
_MOST_OBJECTS: Final = 5000
"""Maximum number of objects of each kind that are searched for dependents of an object."""
_UNRELATED: Final = frozenset({"events", "componentstatuses"})


@dataclass
class Relative:
    """An object in the tree of owners and dependents."""

    kind: Kind | None
    """Kind of the object; None if the server does not serve it."""
    title: str
    namespace: str
    name: str
    uid: str
    is_shown: bool = False
    """True for the object whose page shows the tree."""
    is_missing: bool = False
    """True if an owner reference names this object, but the object does not exist."""
    dependents: "list[Relative]" = field(default_factory=list)

    def kinds(self) -> Iterator[Kind]:
        """Yield the kinds of this object and of its dependents at all levels."""
        if self.kind is not None:
            yield self.kind
        for dependent in self.dependents:
            yield from dependent.kinds()


async def family(client: ApiClient, kind: Kind, document: Any, at: At) -> Relative:
    """Return the tree of owners and dependents of the object `document`, as of the revision `at`.

    Dependents are searched only among the kinds that the user may list, and only among the first objects of each kind
    (at most `_MOST_OBJECTS`).
    """
    kinds = await all_kinds(client)
    metadata = document["metadata"]
    namespace = metadata.get("namespace", "")
    shown = Relative(kind, kind.kind, namespace, metadata["name"], metadata.get("uid", ""), is_shown=True)
    children = await _children(client, kinds, namespace, at)
    _descend(shown, children, {shown.uid})
    return await _under_owners(client, kinds, shown, metadata, at)


def _descend(parent: Relative, children: dict[str, list[Relative]], seen: set[str]) -> None:
    for child in children.get(parent.uid, ()):
        if child.uid not in seen:
            seen.add(child.uid)
            parent.dependents.append(child)
            _descend(child, children, seen)


async def _children(client: ApiClient, kinds: Sequence[Kind], namespace: str, at: At) -> dict[str, list[Relative]]:
    """Return the objects of `kinds` that have owners, keyed by the uid of the owner, as of the revision `at`.

    If `namespace` is given, only objects in it are returned.
    """
    found: dict[str, list[Relative]] = {}
    query = {"limit": str(_MOST_OBJECTS)} | at.options()
    for kind in kinds:
        if kind.plural in _UNRELATED or "get" not in kind.verbs or (namespace and not kind.namespaced):
            continue
        try:
            items = (await client.get(kind.path(namespace), query, _METADATA))["items"]
        except Refused:
            # The API refuses this list: the user may not read it, or the server computes the kind and has no past
            # revisions.
            continue
        for metadata in (item["metadata"] for item in items or ()):
            for owner in metadata.get("ownerReferences", ()):
                place = metadata.get("namespace", ""), metadata["name"], metadata["uid"]
                found.setdefault(owner["uid"], []).append(Relative(kind, kind.kind, *place))
    return found


async def _under_owners(client: ApiClient, kinds: Sequence[Kind], child: Relative, metadata: Any, at: At) -> Relative:
    """Return the owner of the object `child`, above it the owner's owner, and so on, as of the revision `at`.

    The result is the topmost owner, as the root of a tree whose last node is `child`. Only one owner of each object is
    in the tree: its controller, or the first owner if it has none. `metadata` is the metadata of `child`, and `kinds`
    are the kinds of which an owner can be read.
    """
    top, depth = child, 0
    while (owners := metadata.get("ownerReferences")) and depth < 10:
        depth += 1
        owner = next((one for one in owners if one.get("controller")), owners[0])
        kind = next((one for one in kinds if (one.api_version, one.kind) == (owner["apiVersion"], owner["kind"])), None)
        namespace = child.namespace if kind is None or kind.namespaced else ""
        above = Relative(kind, owner["kind"], namespace, owner["name"], owner["uid"], dependents=[top])
        top = above
        found = None if kind is None else await _read(client, kind, above, at)
        above.is_missing = found is None or found["metadata"]["uid"] != owner["uid"]
        if found is None or above.is_missing:
            break
        metadata = found["metadata"]
    return top


async def _read(client: ApiClient, kind: Kind, relative: Relative, at: At) -> Any:
    query = {"fieldSelector": f"metadata.name={relative.name}"} | at.options()
    try:
        items = (await client.get(kind.path(relative.namespace), query, _METADATA))["items"]
    except Refused:
        return None
    return items[0] if items else None
