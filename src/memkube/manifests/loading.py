"""Copies the objects of a live cluster, for ``memkube load``."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from memkube.apis.catalog import served_resources
from memkube.errors import MemkubeError, Refused
from memkube.manifests.live_cluster import LiveCluster
from memkube.snapshots.snapshot import Snapshot, object_key, snapshot_of

Document: TypeAlias = dict[str, Any]
Progress: TypeAlias = Callable[["CopiedKind", int, int, int], None]
"""Callback before a kind is listed: the kind, its index, the number of kinds, and the number of objects copied so far.
"""

_MASKED: Final = "bWFza2Vk"
"""The value of masked Secrets: the text ``masked`` in base64."""
_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_PASSING: Final = frozenset({("", "events"), ("coordination.k8s.io", "leases")})
_DEFINITIONS: Final = ("apiextensions.k8s.io", "customresourcedefinitions")
_NAMESPACES: Final = ("", "namespaces")
_FORBIDDEN: Final = 403
_NOT_FOUND: Final = 404
_SERVERS_GROUPS: Final = ("apiregistration.k8s.io", "flowcontrol.apiserver.k8s.io")
_SERVERS_MARKS: Final = ("kube-aggregator.kubernetes.io/automanaged", "apf.kubernetes.io/autoupdate-spec")
_SERVERS_SERVICE: Final = ("default", "kubernetes")
_SERVICE_KINDS: Final = ("endpoints", "endpointslices", "ipaddresses", "servicecidrs", "services")
_ABSENT: Final = (404, 405, 503)
_METRICS: Final = ("metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io")
"""Groups of measurements, which are computed on every read, so that there is nothing to copy."""


@dataclass(frozen=True, slots=True)
class CopiedKind:
    """A kind whose objects can be copied, in its storage version."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool
    names: frozenset[str]
    """Plural, singular and short names."""
    definition: str = ""
    """Name of the CustomResourceDefinition of a custom kind."""

    @property
    def api_version(self) -> str:
        """The apiVersion in which objects of the kind are copied, such as ``apps/v1``."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace: str = "") -> str:
        """Return the URL path of a list of the kind's objects: those in `namespace`, or all if it is empty.

        Without a namespace, this is a path such as ``/apis/apps/v1/deployments``.
        """
        start = f"/apis/{self.api_version}" if self.group else f"/api/{self.version}"
        return f"{start}/namespaces/{namespace}/{self.plural}" if namespace else f"{start}/{self.plural}"

    def is_called(self, name: str) -> bool:
        """True if kubectl accepts the name for this kind, such as ``deploy`` or ``deployments.apps``."""
        word, _, group = name.lower().partition(".")
        return word in self.names and group in ("", self.group, f"{self.version}.{self.group}".rstrip("."))


@dataclass(frozen=True, slots=True)
class Wanted:
    """Selects the objects to copy. Events and leases are copied only on request."""

    namespaces: tuple[str, ...] = ()
    """Namespaces to copy, together with the objects in them; all namespaces if empty."""
    selector: str = ""
    kinds: tuple[str, ...] = ()
    """Names of the kinds to copy; all kinds if empty."""
    secrets: bool = False
    """True to copy the values of Secrets."""
    passing: bool = False
    """True to copy Events and Leases, too, which are valid for a short time only."""


@dataclass(slots=True)
class Copied:
    """The copied objects, and the kinds that could not be copied."""

    objects: dict[str, Document] = field(default_factory=dict)
    """Copied objects as JSON data, by the storage keys that a snapshot uses."""
    kinds: dict[str, int] = field(default_factory=dict)
    """Number of objects of each kind."""
    left_out: list[str] = field(default_factory=list)
    """Kinds that the cluster serves and memkube does not."""
    forbidden: list[str] = field(default_factory=list)
    """Kinds that the user may not list."""

    def orphans(self) -> list[str]:
        """Return the keys of objects whose owners were not copied, which the garbage collector would delete."""
        there = {document["metadata"].get("uid") for document in self.objects.values()}
        return [
            key
            for key, document in self.objects.items()
            if (owners := document["metadata"].get("ownerReferences"))
            and not any(owner.get("uid") in there for owner in owners)
        ]

    def snapshot(self) -> Snapshot:
        """Return the copied objects as a snapshot that numbers their resourceVersions from 1."""
        numbered = (
            (key, _numbered(value, number)) for number, (key, value) in enumerate(self.objects.items(), start=1)
        )
        return snapshot_of(numbered, datetime.now(UTC))


def copy_cluster(cluster: LiveCluster, wanted: Wanted, progress: Progress) -> Copied:
    """Copy the wanted objects, with the CustomResourceDefinitions and namespaces that they need.

    Objects that every API server creates for itself are left out: APIServices, the service ``kubernetes``, flow
    control. `progress` is called before the objects of each kind are listed.

    Raises ServerError and Refused for errors of the cluster, and MemkubeError for an unknown kind or a missing
    namespace.
    """
    return _Copying(cluster, wanted, progress).run()


class _Copying:
    def __init__(self, cluster: LiveCluster, wanted: Wanted, progress: Progress) -> None:
        self._cluster = cluster
        self._wanted = wanted
        self._progress = progress
        self._copied = Copied()
        self._built_in = {(kind.group, kind.plural): kind for kind in built_in_kinds()}
        self._definitions: dict[str, Document] = {}
        self._namespaces: dict[str, Document] = {}

    def run(self) -> Copied:
        served = _listable(self._cluster)
        self._definitions = _by_name(self._list(self._built_in[_DEFINITIONS]))
        self._namespaces = _by_name(self._read_namespaces())
        custom = [kind for kind in map(_custom_kind, self._definitions.values()) if kind is not None]
        kinds = [*self._built_in.values(), *custom]
        self._note_left_out(served, kinds)
        chosen = [kind for kind in self._chosen(kinds) if (kind.group, kind.version, kind.plural) in served]
        for index, kind in enumerate(chosen):
            self._progress(kind, index, len(chosen), len(self._copied.objects))
            for document in self._within(kind):
                if not _is_servers_own(kind, document):
                    self._add(kind, document)
                    self._add_needed(kind, document)
        return self._copied

    def _read_namespaces(self) -> Iterator[Document]:
        """Yield the wanted namespaces, or all. Raises MemkubeError if a wanted one does not exist."""
        kind = self._built_in[_NAMESPACES]
        if not self._wanted.namespaces:
            yield from self._list(kind)
        for name in self._wanted.namespaces:
            try:
                yield self._cluster.get(f"{kind.path()}/{name}")
            except Refused as error:
                if error.code == _NOT_FOUND:
                    raise MemkubeError(f"the cluster has no namespace {name}") from None
                self._note_forbidden(f"namespaces {name}", error)

    def _chosen(self, kinds: Sequence[CopiedKind]) -> Iterator[CopiedKind]:
        """Yield the kinds to copy. Raises MemkubeError if a resource that the user named does not exist."""
        for name in self._wanted.kinds:
            if not any(kind.is_called(name) for kind in kinds):
                raise MemkubeError(f"the cluster has no kind {name} whose objects can be copied")
        for kind in kinds:
            named = any(kind.is_called(name) for name in self._wanted.kinds)
            passes = (kind.group, kind.plural) in _PASSING and not self._wanted.passing
            outside = bool(self._wanted.namespaces) and not kind.namespaced and (kind.group, kind.plural) != _NAMESPACES
            if named or not (self._wanted.kinds or passes or outside):
                yield kind

    def _within(self, kind: CopiedKind) -> Iterator[Document]:
        """Yield the objects of a kind that the user wants, from the wanted namespaces or from all."""
        wanted = self._wanted
        if (kind.group, kind.plural) == _NAMESPACES and not wanted.selector:
            yield from self._namespaces.values()
        elif wanted.namespaces and kind.namespaced:
            for namespace in wanted.namespaces:
                yield from self._list(kind, namespace, wanted.selector)
        else:
            yield from self._list(kind, "", wanted.selector)

    def _list(self, kind: CopiedKind, namespace: str = "", selector: str = "") -> Iterator[Document]:
        """Yield the objects of a kind that the label selector `selector` matches.

        If the user may not list the kind, record that and yield nothing.
        """
        try:
            yield from self._cluster.items(kind.path(namespace), selector)
        except Refused as error:
            self._note_forbidden(f"{kind.plural}.{kind.group}".rstrip("."), error)

    def _note_forbidden(self, what: str, error: Refused) -> None:
        if error.code != _FORBIDDEN:
            raise error
        if what not in self._copied.forbidden:
            self._copied.forbidden.append(what)

    def _add_needed(self, kind: CopiedKind, document: Document) -> None:
        """Add the CustomResourceDefinition and the namespace that an object needs."""
        if kind.definition:
            self._add(self._built_in[_DEFINITIONS], self._definitions[kind.definition])
        namespace = self._namespaces.get(str(document["metadata"].get("namespace")))
        if namespace is not None:
            self._add(self._built_in[_NAMESPACES], namespace)

    def _add(self, kind: CopiedKind, document: Document) -> None:
        metadata = document["metadata"]
        key = object_key(kind.group, kind.plural, str(metadata.get("namespace") or ""), str(metadata["name"]))
        if key in self._copied.objects:
            return
        head = {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": metadata}
        whole = {**head, **{name: value for name, value in document.items() if name not in head}}
        if kind.kind == "Secret" and not kind.group and not self._wanted.secrets:
            whole = masked(whole)
        self._copied.objects[key] = whole
        self._copied.kinds[kind.kind] = self._copied.kinds.get(kind.kind, 0) + 1

    def _note_left_out(self, served: set[tuple[str, str, str]], kinds: Sequence[CopiedKind]) -> None:
        """Record in the result which kinds were not copied.

        These are the kinds that memkube does not serve, and those that the cluster serves only in other versions.
        Kinds of the metrics APIs are not recorded. `served` has the groups, versions and plurals that the cluster
        serves, and `kinds` the kinds that memkube can copy.
        """
        known = {(resource.group, resource.plural) for resource in served_resources()}
        versions = {(kind.group, kind.plural): kind.version for kind in kinds}
        for group, version, plural in sorted(served):
            if group in _METRICS:
                continue
            kept = versions.get((group, plural))
            there = kept is not None and (group, kept, plural) in served
            if not there and (kept is not None or (group, plural) not in known):
                self._copied.left_out.append(f"{plural}.{version}.{group}".rstrip("."))


def built_in_kinds() -> list[CopiedKind]:
    """Return the built-in kinds whose objects are stored, each in its storage version."""
    found: dict[tuple[str, str], CopiedKind] = {}
    for resource in served_resources():
        kept = resource.stored_as
        if resource.keeps_objects and not resource.is_computed and "list" in resource.verbs:
            names = frozenset({kept.plural, kept.singular, kept.kind.lower(), *kept.short_names})
            kind = CopiedKind(kept.group, kept.version, kept.plural, kept.kind, kept.namespaced, names)
            found.setdefault((kept.group, kept.plural), kind)
    return list(found.values())


def masked(secret: Document) -> Document:
    """Return a Secret with masked values, and without the annotation in which kubectl apply keeps a copy."""
    annotations = secret["metadata"].get("annotations") or {}
    metadata = {**secret["metadata"]}
    if _APPLIED in annotations:
        metadata["annotations"] = {key: value for key, value in annotations.items() if key != _APPLIED}
    return {**secret, "metadata": metadata, "data": dict.fromkeys(secret.get("data") or {}, _MASKED)}


def _is_servers_own(kind: CopiedKind, document: Document) -> bool:
    """True if the object is one that every API server creates for itself, and so need not be copied."""
    metadata = document["metadata"]
    if kind.group in _SERVERS_GROUPS:
        marks = {*(metadata.get("labels") or {}), *(metadata.get("annotations") or {})}
        return not marks.isdisjoint(_SERVERS_MARKS)
    about = metadata.get("namespace", "default"), metadata["name"]
    if kind.plural == "ipaddresses":
        parent = document["spec"].get("parentRef") or {}
        about = parent.get("namespace"), parent.get("name")
    return kind.plural in _SERVICE_KINDS and about == _SERVERS_SERVICE


def _by_name(documents: Iterable[Document]) -> dict[str, Document]:
    return {str(document["metadata"]["name"]): document for document in documents}


def _numbered(document: Document, revision: int) -> Document:
    return {**document, "metadata": {**document["metadata"], "resourceVersion": str(revision)}}


def _listable(cluster: LiveCluster) -> set[tuple[str, str, str]]:
    """Return the groups, versions and plurals that the cluster can list."""
    groups = cluster.get("/apis")["groups"]
    versions = ["v1", *(version["groupVersion"] for group in groups for version in group["versions"])]
    found = set()
    for named in versions:
        group, _, version = named.rpartition("/")
        try:
            resources = cluster.get(f"/apis/{named}" if group else f"/api/{named}")["resources"]
        except Refused as error:
            # Leave out the group if the extension API server behind its APIService is not available.
            if error.code not in _ABSENT:
                raise
            continue
        found |= {(group, version, r["name"]) for r in resources if "list" in r["verbs"] and "/" not in r["name"]}
    return found


def _custom_kind(definition: Document) -> CopiedKind | None:
    """Return the kind that a CustomResourceDefinition defines, or None if no version of it is served."""
    spec = definition["spec"]
    names, versions = spec["names"], [version for version in spec["versions"] if version["served"]]
    if not versions:
        return None
    kept = next((version for version in versions if version["storage"]), versions[0])
    called = {names["plural"], names.get("singular") or names["kind"].lower(), names["kind"].lower()}
    return CopiedKind(
        spec["group"],
        kept["name"],
        names["plural"],
        names["kind"],
        spec["scope"] == "Namespaced",
        frozenset({*called, *(names.get("shortNames") or ())}),
        str(definition["metadata"]["name"]),
    )
