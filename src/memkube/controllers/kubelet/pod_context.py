"""The context of a pod for the kubelet: addresses, resources of the node, and the objects that the pod refers to."""

from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from memkube.apimachinery.model import Document
from memkube.controllers.framework.informer import Informer
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.kubelet.service_variables import ServiceLinks
from memkube.controllers.kubelet.storage.attachments import Attachments
from memkube.controllers.kubelet.storage.token_files import PodTokens, TokenKey
from memkube.controllers.kubelet.storage.volume_objects import ObjectKey, VolumeObjects
from memkube.registry.objects.stored import StoredObject

if TYPE_CHECKING:
    from memkube.apis.core.v1.pods.types import Pod
    from memkube.apis.core.v1.podspec.types.containers import Container, EphemeralContainer

CLUSTER_DOMAIN: Final = "cluster.local"
"""Domain of the names that the cluster DNS resolves."""
_LONGEST_HOSTNAME: Final = 63
AnyContainer: TypeAlias = "Container | EphemeralContainer"


class NotConfigured(Exception):
    """Raised if a container cannot be created because of its configuration.

    The text becomes the message in the container's status.
    """


class ObjectLookup(Protocol):
    """Looks up the objects that pods refer to, in the cache of a node's kubelet."""

    def config_map(self, namespace: str, name: str) -> Document | None:
        """Return a ConfigMap, or None if it does not exist."""

    def secret(self, namespace: str, name: str) -> Document | None:
        """Return a Secret, or None if it does not exist."""

    def claim(self, namespace: str, name: str) -> Document | None:
        """Return a PersistentVolumeClaim, or None if it does not exist."""

    def resource_claim(self, namespace: str, name: str) -> Document | None:
        """Return a ResourceClaim, or None if it does not exist."""

    def volume(self, name: str) -> Document | None:
        """Return a PersistentVolume, or None if it does not exist."""

    def is_attached(self, node: str, volume: Document) -> bool:
        """True if pods on a node can use a PersistentVolume: it is attached to the node, or need not be attached."""

    def service_variables(self, namespace: str, *, all_services: bool) -> Mapping[str, str]:
        """Return the environment variables of Services for a container that starts in a namespace.

        If `all_services` is False, they are only those of the Service ``kubernetes`` in ``default``.
        """


@dataclass(frozen=True, slots=True)
class PodContext:
    """A pod with its IP addresses, the resources of its node, and the objects that the pod refers to."""

    pod: "Pod"
    pod_ip: str
    host_ip: str
    objects: ObjectLookup
    allocatable: Mapping[str, str] = field(default_factory=dict)
    """Allocatable resources of the node. The downward API shows them in place of limits that are not set."""
    tokens: PodTokens = field(default_factory=dict)
    """Tokens of the pod's service account that its projected volumes contain."""

    @property
    def pod_name(self) -> str:
        """Name, namespace and uid of the pod, as the kubelet writes them in messages (``format.Pod``)."""
        metadata = self.pod.metadata
        return f"{metadata.name}_{metadata.namespace}({metadata.uid})"

    @property
    def hostname(self) -> str:
        """Hostname that the pod's containers see, which is that of the node for pods in the host network."""
        if self.pod.spec.hostNetwork:
            return self.pod.spec.nodeName
        is_full = self.pod.spec.setHostnameAsFQDN and self.domain
        return f"{self.pod_hostname}.{self.domain}" if is_full else self.pod_hostname

    @property
    def pod_hostname(self) -> str:
        """Hostname of the pod: that in the pod's spec, or else the pod's name, cut to 63 characters."""
        spec = self.pod.spec
        name = spec.hostnameOverride or spec.hostname or self.pod.metadata.name
        return name if len(name) <= _LONGEST_HOSTNAME else name[:_LONGEST_HOSTNAME].rstrip("-.")

    @property
    def domain(self) -> str:
        """DNS domain of the pod's hostname; empty if the pod has no ``subdomain``."""
        spec = self.pod.spec
        if spec.hostnameOverride or not spec.subdomain:
            return ""
        return f"{spec.subdomain}.{self.pod.metadata.namespace}.svc.{CLUSTER_DOMAIN}"

    @property
    def service_variables(self) -> Mapping[str, str]:
        """Environment variables of Services, for a container of the pod that starts now."""
        all_services = self.pod.spec.enableServiceLinks is not False
        return self.objects.service_variables(self.pod.metadata.namespace, all_services=all_services)

    @property
    def missing_pull_secrets(self) -> list[str]:
        """Names of the Secrets in ``imagePullSecrets`` of the pod that do not exist."""
        names = (reference.name for reference in self.pod.spec.imagePullSecrets if reference.name)
        return [name for name in names if self.objects.secret(self.pod.metadata.namespace, name) is None]

    def token(self, key: TokenKey) -> bytes:
        """Return a token of the pod's service account. Raises NotConfigured if the token could not be requested."""
        found = self.tokens.get(key)
        if found is None or found.problem:
            raise NotConfigured(found.problem if found is not None else "failed to fetch token")
        return found.data

    def config_map_data(self, name: str, *, optional: bool | None) -> Mapping[str, bytes] | None:
        """Return the data and binary data of a ConfigMap by key.

        If the ConfigMap is missing, returns None if it is optional, otherwise raises NotConfigured.
        """
        found = self._config_map(name, optional)
        if found is None:
            return None
        texts = {key: value.encode() for key, value in (found.get("data") or {}).items()}
        return texts | {key: b64decode(value) for key, value in (found.get("binaryData") or {}).items()}

    def config_map_texts(self, name: str, *, optional: bool | None) -> Mapping[str, str] | None:
        """Return the data of a ConfigMap by key, without its binary data, which environment variables cannot contain.

        If the ConfigMap is missing, returns None if it is optional, otherwise raises NotConfigured.
        """
        found = self._config_map(name, optional)
        return None if found is None else found.get("data") or {}

    def _config_map(self, name: str, optional: bool | None) -> Document | None:
        found = self.objects.config_map(self.pod.metadata.namespace, name)
        if found is None:
            _refuse_missing("configmap", name, optional)
        return found

    def secret_data(self, name: str, *, optional: bool | None) -> Mapping[str, bytes] | None:
        """Return the data of a Secret by key.

        If the Secret is missing, returns None if it is optional, otherwise raises NotConfigured.
        """
        found = self.objects.secret(self.pod.metadata.namespace, name)
        if found is None:
            _refuse_missing("secret", name, optional)
            return None
        return {key: b64decode(value) for key, value in (found.get("data") or {}).items()}


def _refuse_missing(kind: str, name: str, optional: bool | None) -> None:
    if not optional:
        raise NotConfigured(f'{kind} "{name}" not found')


class InformedObjects:
    """The informers of the kinds that pods refer to, such as ConfigMaps and Secrets."""

    def __init__(self, runtime: Runtime) -> None:
        self.config_maps = runtime.informers.of("", "v1", "configmaps")
        self.secrets = runtime.informers.of("", "v1", "secrets")
        self.claims = runtime.informers.of("", "v1", "persistentvolumeclaims")
        self.resource_claims = runtime.informers.of("resource.k8s.io", "v1", "resourceclaims")
        self.volumes = runtime.informers.of("", "v1", "persistentvolumes")
        self.service_links = ServiceLinks(runtime.informers.of("", "v1", "services"))
        self._attachments = Attachments(runtime)

    @property
    def volume_sources(self) -> Mapping[str, Informer]:
        """The informers of the objects that volumes can contain, by plural name: ConfigMaps and Secrets."""
        return {"configmaps": self.config_maps, "secrets": self.secrets}

    def is_attached(self, node: str, volume: Document) -> bool:
        """True if pods on a node can use a PersistentVolume: it is attached to the node, or need not be attached."""
        return self._attachments.has(node, volume)

    def subscribe(self, changed: Callable[[str], None]) -> None:
        """Subscribe to the objects that pods may wait for, such as ConfigMaps, Secrets and claims.

        When such an object is created or changed, `changed` is called with its namespace.
        """

        def handle(_: StoredObject | None, new: StoredObject | None) -> None:
            if new is not None:
                changed(new.namespace)

        self.config_maps.subscribe(handle)
        self.secrets.subscribe(handle)
        self.claims.subscribe(handle)
        self.resource_claims.subscribe(handle)


@dataclass(frozen=True, slots=True)
class NodeObjects:
    """The objects that the pods of one node refer to, in the revision that the node's kubelet has cached."""

    node: str
    informed: InformedObjects
    in_volumes: VolumeObjects

    def config_map(self, namespace: str, name: str) -> Document | None:
        kept = self.in_volumes.kept(self.node, ObjectKey("configmaps", namespace, name))
        return kept or _document(self.informed.config_maps, namespace, name)

    def secret(self, namespace: str, name: str) -> Document | None:
        kept = self.in_volumes.kept(self.node, ObjectKey("secrets", namespace, name))
        return kept or _document(self.informed.secrets, namespace, name)

    def claim(self, namespace: str, name: str) -> Document | None:
        return _document(self.informed.claims, namespace, name)

    def resource_claim(self, namespace: str, name: str) -> Document | None:
        return _document(self.informed.resource_claims, namespace, name)

    def volume(self, name: str) -> Document | None:
        return _document(self.informed.volumes, "", name)

    def is_attached(self, node: str, volume: Document) -> bool:
        return self.informed.is_attached(node, volume)

    def service_variables(self, namespace: str, *, all_services: bool) -> Mapping[str, str]:
        return self.informed.service_links.of(namespace, all_services=all_services)


def _document(informer: Informer, namespace: str, name: str) -> Document | None:
    stored = informer.get(namespace, name)
    return stored.document if stored is not None else None
