"""ServiceAccount: sets the service account of pods, which must exist, and mounts its token.

If the account has the annotation ``kubernetes.io/enforce-mountable-secrets: true``, its pods may only use the secrets
that the account lists.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import ClassVar, Final

from memkube.admission.chain import Plugin
from memkube.apimachinery.errors import ApiError
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.defaults import FILE_MODE
from memkube.apis.core.v1.podspec.secret_names import secret_names
from memkube.apis.core.v1.podspec.types.containers import Container, EphemeralContainerCommon, VolumeMount
from memkube.apis.core.v1.podspec.types.env import ObjectFieldSelector
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.projections import (
    ConfigMapProjection,
    DownwardAPIProjection,
    DownwardAPIVolumeFile,
    KeyToPath,
    ProjectedVolumeSource,
    ServiceAccountTokenProjection,
    VolumeProjection,
)
from memkube.apis.core.v1.podspec.types.volumes import Volume
from memkube.apis.core.v1.podspec.validation.resources import MIRROR_POD
from memkube.apis.core.v1.references import LocalObjectReference
from memkube.apis.core.v1.serviceaccounts.types import ServiceAccount
from memkube.registry.declarations.admission import Attributes, refused
from memkube.registry.objects.interned_specs import interned_spec_of

_DEFAULT: Final = "default"
_PAUSES: Final = tuple(0.001 * 2**attempt for attempt in range(10))
"""Seconds to wait before each new attempt to read a default ServiceAccount, about one second in total as in Kubernetes.

The controller usually creates the account within a few milliseconds. Each pause is a separate timer, so that a process
that is suspended for a while loses only one attempt.
"""
_VOLUME_PREFIX: Final = "kube-api-access-"
_MOUNT_PATH: Final = "/var/run/secrets/kubernetes.io/serviceaccount"
_EXPIRATION_SECONDS: Final = 3607
"""Lifetime in seconds of the tokens that this plugin mounts. As in Kubernetes, it identifies such tokens."""
_ENFORCE: Final = "kubernetes.io/enforce-mountable-secrets"
_TRUE: Final = ("1", "t", "T", "true", "TRUE", "True")


class ServiceAccountPlugin(Plugin):
    """Admission plugin that sets the service account of pods and mounts its token.

    The service account must exist. Source: ``plugin/pkg/admission/serviceaccount``.
    """

    name: ClassVar[str] = "ServiceAccount"

    async def mutate(self, attributes: Attributes) -> None:
        """Set the ServiceAccount of a new pod, and add the account's token volume and image pull secrets.

        If the account restricts its pods to listed secrets, refuse a pod that uses another secret. A mirror pod is not
        changed, and is refused if it uses secrets or service account tokens.
        """
        pod = attributes.new
        if attributes.operation != "CREATE" or attributes.subresource or not isinstance(pod, Pod):
            return
        if MIRROR_POD in pod.metadata.annotations:
            _check_mirror_pod(attributes, pod)
            return
        spec = pod.spec
        spec.serviceAccountName = spec.serviceAccount = spec.serviceAccountName or _DEFAULT
        account = await self._account(attributes, spec.serviceAccountName)
        if _mounts_token(account, pod):
            mount_token(spec, self._registry.generated_name)
        if not spec.imagePullSecrets:
            spec.imagePullSecrets = [LocalObjectReference(name=secret.name) for secret in account.imagePullSecrets]
        # Like kube-apiserver, check the pod's references to secrets already here, before other plugins run.
        if enforces(account):
            check_secrets(attributes, spec, account)

    async def validate(self, attributes: Attributes) -> None:
        """Refuse a pod whose ServiceAccount does not exist, or does not list a secret that the pod uses."""
        pod = attributes.new
        if not isinstance(pod, Pod):
            return
        if attributes.operation == "UPDATE" and attributes.subresource == "ephemeralcontainers":
            account = await self._checked_account(attributes, pod)
            if enforces(account):
                check_ephemeral_containers(attributes, pod.spec, account)
        if attributes.operation != "CREATE" or attributes.subresource:
            return
        if MIRROR_POD in pod.metadata.annotations:
            _check_mirror_pod(attributes, pod)
            return
        account = await self._checked_account(attributes, pod)
        if enforces(account):
            check_secrets(attributes, pod.spec, account)

    async def _checked_account(self, attributes: Attributes, pod: Pod) -> ServiceAccount:
        name = pod.spec.serviceAccountName
        if not name:
            why = f"no service account specified for pod {attributes.namespace}/{pod.metadata.name}"
            raise refused(attributes, why)
        return await self._account(attributes, name)

    async def _account(self, attributes: Attributes, name: str) -> ServiceAccount:
        """Return the ServiceAccount of a pod.

        If this is the default account and does not exist yet, wait about a second for the controller to create it.
        Raises ApiError if the account does not exist.
        """
        store = self._registry.find("", "v1", "serviceaccounts")
        for pause in (0.0, *(_PAUSES if name == _DEFAULT else ())):
            if pause:
                await asyncio.sleep(pause)
            try:
                return ServiceAccount.from_document((await store.get(attributes.namespace, name)).document)
            except ApiError as error:
                if error.reason != "NotFound":
                    raise
        where = f"error looking up service account {attributes.namespace}/{name}"
        raise refused(attributes, f'{where}: serviceaccount "{name}" not found')


def _mounts_token(account: ServiceAccount, pod: Pod) -> bool:
    """True if the pod gets a token volume.

    The field ``automountServiceAccountToken`` of the pod decides, or else that of its account; the default is True.
    """
    for choice in (pod.spec.automountServiceAccountToken, account.automountServiceAccountToken):
        if choice is not None:
            return choice
    return True


def _check_mirror_pod(attributes: Attributes, pod: Pod) -> None:
    if pod.spec.serviceAccountName:
        raise refused(attributes, "a mirror pod may not reference service accounts")
    if any(secret_names(pod.spec)):
        raise refused(attributes, "a mirror pod may not reference secrets")
    for volume in pod.spec.volumes:
        if volume.projected and any(source.serviceAccountToken for source in volume.projected.sources):
            raise refused(attributes, "a mirror pod may not use ServiceAccountToken volume projections")


def mount_token(spec: PodSpec, generate_name: Callable[[str], str]) -> None:
    """Mount the token volume in every container that mounts nothing at the token's path.

    If the pod has no token volume yet, add one. `generate_name` gets a prefix and returns the volume's name.
    """
    existing = next((volume.name for volume in spec.volumes if volume.name.startswith(_VOLUME_PREFIX)), "")
    name = existing or _generated_volume_name(spec, generate_name)
    mounted = False
    for container in (*spec.initContainers, *spec.containers):
        if not any(mount.mountPath == _MOUNT_PATH for mount in container.volumeMounts):
            mount = VolumeMount(name=name, readOnly=True, mountPath=_MOUNT_PATH)
            container.volumeMounts = [*container.volumeMounts, mount]
            mounted = True
    if mounted and not existing:
        spec.volumes = [*spec.volumes, Volume(name=name, projected=_sources())]


def _generated_volume_name(spec: PodSpec, generate_name: Callable[[str], str]) -> str:
    # Pods of one template get the same generated name, so that their specs stay equal and are stored only once.
    known = interned_spec_of(spec)
    if known is None:
        return generate_name(_VOLUME_PREFIX)
    return known.fact(_VOLUME_PREFIX, lambda: generate_name(_VOLUME_PREFIX))


def _sources() -> ProjectedVolumeSource:
    token = ServiceAccountTokenProjection(path="token", expirationSeconds=_EXPIRATION_SECONDS)
    authority = ConfigMapProjection(name="kube-root-ca.crt", items=[KeyToPath(key="ca.crt", path="ca.crt")])
    field = ObjectFieldSelector(apiVersion="v1", fieldPath="metadata.namespace")
    namespace = DownwardAPIProjection(items=[DownwardAPIVolumeFile(path="namespace", fieldRef=field)])
    return ProjectedVolumeSource(
        defaultMode=FILE_MODE,
        sources=[
            VolumeProjection(serviceAccountToken=token),
            VolumeProjection(configMap=authority),
            VolumeProjection(downwardAPI=namespace),
        ],
    )


def enforces(account: ServiceAccount) -> bool:
    """True if the service account's annotation restricts its pods to the secrets that the account lists."""
    return account.metadata.annotations.get(_ENFORCE) in _TRUE


def check_secrets(attributes: Attributes, spec: PodSpec, account: ServiceAccount) -> None:
    """Raise ApiError (403) for the first secret of the pod that the service account does not list."""
    allowed = {secret.name for secret in account.secrets}
    ending = f"is not allowed because service account {account.metadata.name} does not reference that"
    for volume in spec.volumes:
        if volume.secret and volume.secret.secretName not in allowed:
            raise refused(attributes, f'volume with secret.secretName="{volume.secret.secretName}" {ending} secret')
    _check_containers(attributes, "init container", spec.initContainers, allowed, f"{ending} secret")
    _check_containers(attributes, "container", spec.containers, allowed, f"{ending} secret")
    pulling = {secret.name for secret in account.imagePullSecrets}
    for index, reference in enumerate(spec.imagePullSecrets):
        if reference.name not in pulling:
            raise refused(attributes, f'imagePullSecrets[{index}].name="{reference.name}" {ending} imagePullSecret')


def check_ephemeral_containers(attributes: Attributes, spec: PodSpec, account: ServiceAccount) -> None:
    """Raise ApiError (403) for the first secret of an ephemeral container that the account does not list."""
    allowed = {secret.name for secret in account.secrets}
    ending = f"is not allowed because service account {account.metadata.name} does not reference that secret"
    _check_containers(attributes, "ephemeral container", spec.ephemeralContainers, allowed, ending)


def _check_containers(
    attributes: Attributes,
    kind: str,
    containers: Iterable[Container | EphemeralContainerCommon],
    allowed: set[str],
    ending: str,
) -> None:
    for container in containers:
        named = f"{kind} {container.name} with"
        for variable in container.env:
            key = variable.valueFrom.secretKeyRef if variable.valueFrom else None
            if key and key.name not in allowed:
                where = f"{named} envVar {variable.name} referencing"
                raise refused(attributes, f'{where} secret.secretName="{key.name}" {ending}')
        for source in container.envFrom:
            if source.secretRef and source.secretRef.name not in allowed:
                where = f"{named} envFrom referencing"
                raise refused(attributes, f'{where} secret.secretName="{source.secretRef.name}" {ending}')
