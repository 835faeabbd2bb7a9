"""Pods in the form in which the scheduler uses them. A pod is parsed once, when it is created or changed."""

from collections.abc import Collection, Sequence
from hashlib import blake2b
from typing import Final, NamedTuple, TypeAlias

import orjson

from memkube.apimachinery.model import Document
from memkube.controllers.framework.pods_by_claim import claim_names
from memkube.controllers.scheduler.pod_requests import requests_of, resize_of
from memkube.controllers.scheduler.pod_selector import affinity_terms
from memkube.registry.objects.stored import StoredObject

ANY_ADDRESS: Final = "0.0.0.0"  # noqa: S104  the address of a host port without one
_ENDED: Final = ("Succeeded", "Failed")
_NO_LABELS: Final[dict[str, str]] = {}

PodKey: TypeAlias = tuple[str, str]
"""Namespace and name of a pod."""


class HostPort(NamedTuple):
    """A host port that a container of a pod occupies on its node."""

    address: str
    protocol: str
    port: int


def is_taken(wanted: HostPort, ports: Collection[HostPort]) -> bool:
    """True if a wanted host port conflicts with one of `ports`, the ports in use.

    A port on all addresses conflicts with the same port on any address.
    """
    if wanted.address == ANY_ADDRESS:
        return any(taken[1:] == wanted[1:] for taken in ports)
    return wanted in ports or wanted._replace(address=ANY_ADDRESS) in ports


class PodInfo:
    """A pod as the scheduler uses it. After its creation, only its node and its stored revision change."""

    __slots__ = (
        "_counts",
        "claims",
        "host_ports",
        "labels",
        "name",
        "namespace",
        "node_name",
        "priority",
        "requests",
        "stored",
        "terminating",
        "terms",
        "uid",
    )

    def __init__(self, stored: StoredObject) -> None:
        document = stored.document
        metadata, spec = document["metadata"], document["spec"]
        self.stored = stored
        self.uid: str = metadata["uid"]
        self.name: str = metadata["name"]
        self.namespace: str = metadata["namespace"]
        self.labels: dict[str, str] = metadata.get("labels") or _NO_LABELS
        self.node_name: str = spec.get("nodeName", "")
        self.priority: int = spec.get("priority") or 0
        self.terminating = "deletionTimestamp" in metadata
        self.requests = requests_of(document)
        self.host_ports = host_ports(spec)
        self.terms = affinity_terms(document)
        self.claims = tuple(name for name, for_pod in claim_names(self.name, spec) if not for_pod)
        """Names of the PersistentVolumeClaims that the pod's volumes name, except those of ephemeral volumes."""
        self._counts = _counts(document)

    def counts_like(self, newer: StoredObject) -> bool:
        """True if the revision `newer` of the pod changes none of the scheduler's sums and counts per node."""
        return self._counts == _counts(newer.document)

    @property
    def spec(self) -> Document:
        """Spec of the pod as JSON data."""
        spec: Document = self.stored.document["spec"]
        return spec

    @property
    def scheduler_name(self) -> str:
        """Name of the scheduler profile that the pod requests (``schedulerName``)."""
        name: str = self.spec.get("schedulerName", "")
        return name

    @property
    def claim_statuses(self) -> Sequence[Document]:
        """The pod's ``status.resourceClaimStatuses``, which name the ResourceClaims that were created for the pod."""
        return self.stored.document["status"].get("resourceClaimStatuses") or ()

    @property
    def nominated_node(self) -> str:
        """Name of the node that the pod is nominated to (``nominatedNodeName``); empty if none."""
        name: str = self.stored.document["status"].get("nominatedNodeName", "")
        return name


def is_ended(pod: StoredObject) -> bool:
    """True if a pod is in the phase Succeeded or Failed, so that it uses no resources of its node."""
    return pod.document["status"].get("phase") in _ENDED


def node_of(pod: StoredObject) -> str:
    """Return the name of the node that a pod is bound to; empty if it is not bound."""
    name: str = pod.document["spec"].get("nodeName", "")
    return name


def _counts(document: Document) -> bytes:
    """Return a digest of the fields of a bound pod on which the scheduler's sums and counts per node depend.

    The digest is kept to detect changes of these fields. It takes less memory than the fields. Instead of the
    resources in the spec, it contains the generation, which changes with them.
    """
    metadata = document["metadata"]
    parts = [
        "deletionTimestamp" in metadata,
        metadata.get("labels") or _NO_LABELS,
        metadata.get("generation"),
        resize_of(document),
    ]
    return blake2b(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS), digest_size=16).digest()


def host_ports(spec: Document) -> tuple[HostPort, ...]:
    """Return the host ports that the containers of a pod use, including init containers that keep running."""
    containers = spec["containers"]
    if init_containers := spec.get("initContainers"):
        containers = [*containers, *(c for c in init_containers if c.get("restartPolicy") == "Always")]
    return tuple(
        HostPort(port.get("hostIP") or ANY_ADDRESS, port.get("protocol") or "TCP", port["hostPort"])
        for container in containers
        for port in container.get("ports") or ()
        if port.get("hostPort")
    )
