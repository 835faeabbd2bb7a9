"""A pod as the scheduler sees it: what it is asked for again and again, parsed once."""

from hashlib import blake2b
from typing import Final, NamedTuple, TypeAlias

import orjson

from memkube.apimachinery.model import Document
from memkube.controllers.scheduler.pod_requests import requests_of, resize_of
from memkube.controllers.scheduler.pod_selector import affinity_terms
from memkube.registry.objects.stored import StoredObject

ANY_ADDRESS: Final = "0.0.0.0"  # noqa: S104 # what a host port without an address is open on
_ENDED: Final = ("Succeeded", "Failed")
_NO_LABELS: Final[dict[str, str]] = {}

PodKey: TypeAlias = tuple[str, str]
"""Namespace and name."""


class HostPort(NamedTuple):
    """A port of the node that a container takes."""

    address: str
    protocol: str
    port: int


class PodInfo:
    """One pod. Nothing in it changes but its node, and the revision that it was made from, whose document may rest."""

    __slots__ = (
        "_counts",
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
        self.host_ports = _host_ports(spec)
        self.terms = affinity_terms(document)
        self._counts = _counts(document)

    def counts_like(self, newer: StoredObject) -> bool:
        """Whether a newer revision counts as much as this one does, and for the same."""
        return self._counts == _counts(newer.document)

    @property
    def spec(self) -> Document:
        """What is wanted of it."""
        spec: Document = self.stored.document["spec"]
        return spec

    @property
    def nominated_node(self) -> str:
        """The node that pods were evicted from to make room for this one."""
        name: str = self.stored.document["status"].get("nominatedNodeName", "")
        return name


def is_ended(pod: StoredObject) -> bool:
    """Whether a pod takes nothing from its node any more."""
    return pod.document["status"].get("phase") in _ENDED


def node_of(pod: StoredObject) -> str:
    """The node that a pod is bound to, if it is."""
    name: str = pod.document["spec"].get("nodeName", "")
    return name


def _counts(document: Document) -> bytes:
    """Tells whether two revisions count the same: a digest, as what it is of would be most of what is kept of a pod."""
    metadata, spec = document["metadata"], document["spec"]
    parts = [
        "deletionTimestamp" in metadata,
        metadata.get("labels") or _NO_LABELS,
        *(spec.get(part) for part in ("containers", "initContainers", "resources")),
        resize_of(document["status"]),
    ]
    return blake2b(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS), digest_size=16).digest()


def _host_ports(spec: Document) -> tuple[HostPort, ...]:
    containers = spec["containers"]
    if init_containers := spec.get("initContainers"):
        containers = [*containers, *(c for c in init_containers if c.get("restartPolicy") == "Always")]
    return tuple(
        HostPort(port.get("hostIP") or ANY_ADDRESS, port.get("protocol") or "TCP", port["hostPort"])
        for container in containers
        for port in container.get("ports") or ()
        if port.get("hostPort")
    )
