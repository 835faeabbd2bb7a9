"""Reads one side of a comparison: manifests as a server stores them, manifests as written, or a snapshot."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TextIO

from memkube.cluster.manifests import Manifest, in_creation_order
from memkube.errors import ManifestError
from memkube.manifests.comparison import Document, Identity, Side, chosen_by_server, without_text
from memkube.manifests.complaints import Complaints, of_invalid_document
from memkube.manifests.creation import Creation, NoKind, document_of, empty_cluster, named_namespace
from memkube.manifests.findings import Finding, subject_of
from memkube.manifests.sources import Source, sources
from memkube.snapshots.files import SnapshotRefused, read_snapshot

_is_snapshot: Final = re.compile(rb'\s*\{"memkubeSnapshot":').match
_PASSING: Final = frozenset({("", "Event"), ("events.k8s.io", "Event"), ("coordination.k8s.io", "Lease")})
_MADE: Final = frozenset(
    {
        ("ConfigMap", "kube-root-ca.crt"),
        ("EndpointSlice", "kubernetes"),
        ("Endpoints", "kubernetes"),
        ("ServiceAccount", "default"),
    }
)
"""Kinds and names of objects that a cluster creates in each namespace or for itself, and that have no owner."""
_NOTES: Final = frozenset({"deployment.kubernetes.io/revision", "kubectl.kubernetes.io/last-applied-configuration"})
"""Annotations that the deployment controller and kubectl apply add to objects."""
_HEAD: Final = 100


def is_snapshot(path: str) -> bool:
    """True if the first line of a file is that of a memkube snapshot; False if the file cannot be read."""
    try:
        with Path(path).open("rb") as file:
            return _is_snapshot(file.read(_HEAD)) is not None
    except OSError:
        return False


def side_of_snapshot(path: str) -> Side:
    """Read the objects of a snapshot, except events and leases. Raises ManifestError if it is not a valid snapshot."""
    try:
        snapshot = read_snapshot(Path(path))
    except SnapshotRefused as error:
        raise ManifestError(f"{path}: {error}") from None
    side = Side(keeps_status=True)
    for key, stored in snapshot.objects.objects.items():
        identity = _identity(stored.document)
        if (identity.group, identity.kind) not in _PASSING:
            side.objects[identity] = stored.document
            side.sources[identity] = f"{path}:{key}"
    return side


async def without_made(side: Side) -> None:
    """Remove from a side the objects that controllers and servers create, which no manifest defines."""
    async with empty_cluster(()) as cluster:
        standing = {_identity(document) for document in await cluster.standing()}
    side.objects = {
        identity: _without_notes(document)
        for identity, document in side.objects.items()
        if identity not in standing
        and (identity.kind, identity.name) not in _MADE
        and identity.kind != "Node"
        and not _is_made(document)
    }


def side_as_written(read: Sequence[Source]) -> Side:
    """Return the objects in the files `read`, as written. Raises ManifestError for a document that is no object."""
    side = Side()
    for source, manifest in _manifests(read):
        _add(side, source, manifest, manifest.document, named_namespace(manifest))
    return side


async def side_as_stored(read: Sequence[Source], namespace: str) -> Side:
    """Return the objects of the manifests in the files `read` as a server stores them, with defaults.

    Admission plugins do not run. Objects of unknown kinds are returned as written. Raises ManifestError if the server
    refuses an object.
    """
    side = Side()
    files = {id(manifest): source for source, manifest in _manifests(read)}
    manifests = in_creation_order(manifest for _, manifest in _manifests(read))
    async with empty_cluster(()) as cluster:
        for manifest in manifests:
            source = files[id(manifest)]
            creation = await cluster.create(manifest, namespace)
            if isinstance(creation.error, NoKind):
                side.unknown.add(f"{manifest.kind} of {manifest.api_version}")
                _add(side, source, manifest, manifest.document, named_namespace(manifest) or namespace)
                continue
            if getattr(creation.error, "reason", "") == "AlreadyExists":
                _check_new(side, source, manifest, creation.namespace)
                creation = await cluster.apply(manifest, creation)
            document = _stored(source, manifest, creation)
            if manifest.kind == "CustomResourceDefinition":
                await cluster.served(str(manifest.metadata.get("name")))
            identity = _add(side, source, manifest, document, creation.namespace)
            side.chosen[identity] = chosen_by_server(manifest.document, document)
    return side


def read_sources(path: str, standard_input: TextIO) -> list[Source]:
    """Return the file at a path, or all manifest files in a folder; for the path ``-``, `standard_input`.

    Raises ManifestError if a file cannot be read, or is a Helm or Kustomize file.
    """
    read = list(sources([path], standard_input))
    refused = next((source.refusal for source in read if source.refusal), None)
    if refused is not None:
        raise _failed(refused)
    return read


def _manifests(read: Sequence[Source]) -> Iterator[tuple[Source, Manifest]]:
    """Yield each manifest in the files `read`, with its file. Raises ManifestError for a document that is no object."""
    for source in read:
        for found in source.found:
            if not isinstance(found, Manifest):
                raise _failed(of_invalid_document(source.file, found))
            yield source, found


def _stored(source: Source, manifest: Manifest, creation: Creation) -> Document:
    """Return the stored object in `creation`, the result of creating a manifest of the file `source`.

    Raises ManifestError with the first error if the server refused the object.
    """
    complaints = Complaints(source.file, manifest, creation.namespace)
    errors = [*complaints.of_duplicates(), *complaints.of(creation)]
    wrong = [finding for finding in errors if finding.level == "error"]
    if wrong:
        raise _failed(wrong[0])
    return manifest.document if creation.stored is None else document_of(creation.stored)


def _failed(finding: Finding) -> ManifestError:
    return ManifestError(f"{finding.file}:{finding.position.line}:{finding.position.column}: {finding.message}")


def _add(side: Side, source: Source, manifest: Manifest, document: Document, namespace: str) -> Identity:
    """Add the object `document` to one side of the comparison, and return its identity.

    `manifest`, in the file `source`, defines the object. `namespace` is the namespace of manifests that name none.
    Raises ManifestError if the side already contains an object with this identity.
    """
    identity = _named(manifest, namespace)
    if manifest.metadata.get("name"):
        _check_new(side, source, manifest, namespace)
    else:
        # An object with generateName gets a different name each time, so the order of such objects identifies them.
        name = (document.get("metadata") or {}).get("name")
        document = without_text(document, name, "<name>") if name else document
        number = sum(other.name.startswith(identity.name) for other in side.objects)
        identity = replace(identity, name=f"{identity.name}<{number + 1}>")
    side.objects[identity] = document
    side.sources[identity] = _where(source, manifest)
    return identity


def _check_new(side: Side, source: Source, manifest: Manifest, namespace: str) -> None:
    identity = _named(manifest, namespace)
    if identity in side.objects:
        where = _where(source, manifest)
        raise ManifestError(f"{where}: {identity} is defined twice: first in {side.sources[identity]}")


def _where(source: Source, manifest: Manifest) -> str:
    line = manifest.text.position("kind", within=manifest.path).line if manifest.text else 1
    return f"{source.file}:{line}"


def _named(manifest: Manifest, namespace: str) -> Identity:
    subject = subject_of(manifest, namespace)
    return Identity(subject.api_version.rpartition("/")[0], subject.kind, namespace, subject.name)


def _identity(document: Document) -> Identity:
    metadata = document["metadata"]
    group = str(document["apiVersion"]).rpartition("/")[0]
    return Identity(group, str(document["kind"]), str(metadata.get("namespace") or ""), str(metadata["name"]))


def _without_notes(document: Document) -> Document:
    annotations = document["metadata"].get("annotations") or {}
    if _NOTES.isdisjoint(annotations):
        return document
    left = {key: value for key, value in annotations.items() if key not in _NOTES}
    metadata = {key: value for key, value in document["metadata"].items() if key != "annotations"}
    return {**document, "metadata": {**metadata, **({"annotations": left} if left else {})}}


def _is_made(document: Document) -> bool:
    """True if an object has a controller as owner, which therefore created the object."""
    owners: Any = document["metadata"].get("ownerReferences") or ()
    return any(owner.get("controller") for owner in owners)
