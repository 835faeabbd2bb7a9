"""Export of a snapshot as a folder of manifests."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

import orjson

from memkube.cluster.creation_order import creation_rank
from memkube.cluster.manifests import SUFFIXES
from memkube.endpoints.responses.yaml_text import to_yaml
from memkube.errors import ManifestError, UsageError, unknown_name
from memkube.snapshots.snapshot import Snapshot

Layout: TypeAlias = Literal["object", "kind"]
"""How objects are divided into files: one file per ``object``, or one file per ``kind``."""
Document: TypeAlias = dict[str, Any]

_CLUSTERS_OWN: Final = frozenset(
    {
        "api-priority-and-fairness-config-consumer-v1",
        "api-priority-and-fairness-config-producer-v1",
        "kube-apiserver",
        "kube-controller-manager",
        "kube-scheduler",
        "kubelet",
        "kubernetes-service-cidr-controller",
    }
)
"""Field managers of the control plane. Objects that only these managers have written exist in every cluster."""
_PASSING: Final = frozenset({"Event", "Lease", "IPAddress"})
_SERVERS_METADATA: Final = (
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
)
_SERVERS_ANNOTATIONS: Final = frozenset({"deployment.kubernetes.io/revision"})
_SERVERS_FINALIZERS: Final = frozenset(
    {
        "customresourcecleanup.apiextensions.k8s.io",
        "foregroundDeletion",
        "kubernetes.io/pv-protection",
        "kubernetes.io/pvc-protection",
        "orphan",
    }
)
_LABELS_OF_JOBS: Final = frozenset(
    {"batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "controller-uid", "job-name"}
)
_TOKENS: Final = "kube-api-access-"
_unwritable: Final = re.compile(r"[^a-z0-9.-]+")


def export_manifests(snapshot: Snapshot, folder: Path, layout: Layout = "object") -> int:
    """Write the objects of a snapshot as manifests into a folder without manifests; return their number.

    Objects of the control plane, objects with a controller owner, terminating objects, Events, Leases and IPAddresses
    are not exported. The manifests lack the fields that a server sets: status, uids, revisions, times, owners (whose
    uids differ in another cluster), allocated addresses and nodes. Files are numbered in an order in which the objects
    can be created. Values of Secrets are included. Raises ManifestError if the folder contains manifests already or
    cannot be written, and UsageError for an unknown layout.
    """
    if layout not in get_args(Layout):
        raise UsageError(unknown_name("layout", layout, get_args(Layout)))
    try:
        return _export(snapshot, folder, layout)
    except OSError as error:
        raise ManifestError(f"cannot write {error.filename or folder}: {error.strerror or error}") from None


def _export(snapshot: Snapshot, folder: Path, layout: Layout) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    if any(path.suffix in SUFFIXES for path in folder.iterdir()):
        raise ManifestError(f"{folder}: the folder contains manifests already")
    files: dict[str, list[Document]] = {}
    documents = list(_exported(snapshot))
    for document in sorted(documents, key=lambda found: creation_rank(found["apiVersion"], found["kind"])):
        name = _name(document, layout)
        while layout == "object" and name in files:
            name += "-"
        files.setdefault(name, []).append(document)
    digits = len(str(len(files)))
    for number, (name, content) in enumerate(files.items(), start=1):
        text = b"---\n".join(to_yaml(document) for document in content)
        (folder / f"{number:0{digits}}-{name}.yaml").write_bytes(text)
    return len(documents)


def _exported(snapshot: Snapshot) -> Iterator[Document]:
    objects = snapshot.objects.objects
    for key in sorted(objects):
        document = orjson.loads(objects[key].data)
        if _is_users(document):
            yield _without_server_fields(document)


def _is_users(document: Document) -> bool:
    metadata = document["metadata"]
    managers = {entry.get("manager") for entry in metadata.get("managedFields") or ()}
    is_controlled = any(owner.get("controller") for owner in metadata.get("ownerReferences") or ())
    is_passing = document["kind"] in _PASSING or "deletionTimestamp" in metadata
    # The default service account of a namespace has only a name, so its managedFields are empty and name no writer.
    # Recognise it by its name.
    is_default = document["kind"] == "ServiceAccount" and metadata["name"] == "default"
    is_users = bool(managers - _CLUSTERS_OWN) if managers else not is_default
    return is_users and not is_controlled and not is_passing


def _without_server_fields(document: Document) -> Document:
    """Remove the fields that a server sets, in place; return the object."""
    document.pop("status", None)
    metadata = document["metadata"]
    for field in _SERVERS_METADATA:
        metadata.pop(field, None)
    _keep(metadata, "annotations", _SERVERS_ANNOTATIONS)
    metadata["finalizers"] = [name for name in metadata.get("finalizers") or () if name not in _SERVERS_FINALIZERS]
    if not metadata["finalizers"]:
        del metadata["finalizers"]
    spec = document.get("spec")
    if isinstance(spec, dict):
        match document["kind"], document["apiVersion"]:
            case "Namespace", "v1":
                del document["spec"]
            case "Service", "v1":
                _rewrite_service(spec)
            case "Pod", "v1":
                _rewrite_pod(spec)
            case "Job", "batch/v1" if not spec.get("manualSelector"):
                _rewrite_job(metadata, spec)
    return document


def _rewrite_service(spec: Document) -> None:
    """Remove from the spec of a Service the cluster IPs and the health check port that the server allocated."""
    if spec.get("clusterIP") != "None":
        spec.pop("clusterIP", None)
        spec.pop("clusterIPs", None)
    spec.pop("healthCheckNodePort", None)


def _rewrite_pod(spec: Document) -> None:
    """Remove from a Pod the node that the scheduler set, and the token volume that admission added."""
    spec.pop("nodeName", None)
    spec["volumes"] = [volume for volume in spec.get("volumes") or () if not volume["name"].startswith(_TOKENS)]
    if not spec["volumes"]:
        del spec["volumes"]
    for container in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ())):
        mounts = [mount for mount in container.get("volumeMounts") or () if not mount["name"].startswith(_TOKENS)]
        container.pop("volumeMounts", None)
        if mounts:
            container["volumeMounts"] = mounts
    spec.pop("ephemeralContainers", None)


def _rewrite_job(metadata: Document, spec: Document) -> None:
    """Remove from a Job the generated selector, which contains the Job's uid, and the labels that it selects."""
    spec.pop("selector", None)
    _keep(metadata, "labels", _LABELS_OF_JOBS)
    template = spec.get("template", {}).get("metadata")
    if isinstance(template, dict):
        _keep(template, "labels", _LABELS_OF_JOBS)


def _keep(metadata: Document, field: str, without: frozenset[str]) -> None:
    kept = {name: value for name, value in (metadata.pop(field, None) or {}).items() if name not in without}
    if kept:
        metadata[field] = kept


def _name(document: Document, layout: Layout) -> str:
    """Return the name of the file for an object, without the leading number and the suffix.

    It contains the kind and, if `layout` is ``object``, the object's namespace and name.
    """
    group = document["apiVersion"].rpartition("/")[0]
    kind = ".".join(filter(None, (document["kind"].lower(), group)))
    if layout == "kind":
        return kind
    metadata = document["metadata"]
    words = (kind, metadata.get("namespace", ""), metadata["name"])
    return "_".join(_unwritable.sub("-", word) for word in words if word)
