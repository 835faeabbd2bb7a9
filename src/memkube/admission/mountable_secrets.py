"""Secrets that a pod may use, where its service account limits them by an annotation."""

from collections.abc import Iterable
from typing import Final

from memkube.apis.core.v1.podspec.types.containers import Container, EphemeralContainerCommon
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.serviceaccounts.types import ServiceAccount
from memkube.registry.admission import Attributes, refused

_ANNOTATION: Final = "kubernetes.io/enforce-mountable-secrets"
_TRUE: Final = ("1", "t", "T", "true", "TRUE", "True")


def enforces(account: ServiceAccount) -> bool:
    """Whether pods may use no secrets but those that the account names."""
    return account.metadata.annotations.get(_ANNOTATION) in _TRUE


def check_secrets(attributes: Attributes, spec: PodSpec, account: ServiceAccount) -> None:
    """Raises ApiError 403 for the first secret that the account does not name."""
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
    """Raises ApiError 403 for the first secret of an ephemeral container that the account does not name."""
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
