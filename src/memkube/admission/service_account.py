"""ServiceAccount: every pod has a service account, which exists, and what comes with it."""

import asyncio
from typing import ClassVar, Final

from memkube.admission.chain import Plugin
from memkube.admission.mountable_secrets import check_ephemeral_containers, check_secrets, enforces
from memkube.admission.token_volume import mount_token
from memkube.apimachinery.errors import ApiError
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.secret_names import secret_names
from memkube.apis.core.v1.podspec.validation.resources import MIRROR_POD
from memkube.apis.core.v1.references import LocalObjectReference
from memkube.apis.core.v1.serviceaccounts.types import ServiceAccount
from memkube.registry.admission import Attributes, refused
from memkube.registry.registry import Registry

_DEFAULT: Final = "default"
_ATTEMPTS: Final = 10
_ATTEMPT_SECONDS: Final = 0.1


class ServiceAccountPlugin(Plugin):
    """Source: ``plugin/pkg/admission/serviceaccount``."""

    name: ClassVar[str] = "ServiceAccount"

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def mutate(self, attributes: Attributes) -> None:
        """Gives a new pod its account, the account's token and its secrets for pulling images."""
        pod = attributes.new
        if attributes.operation != "CREATE" or attributes.subresource or not isinstance(pod, Pod):
            return
        if MIRROR_POD in pod.metadata.annotations:
            return
        spec = pod.spec
        spec.serviceAccountName = spec.serviceAccount = spec.serviceAccountName or _DEFAULT
        account = await self._account(attributes, spec.serviceAccountName)
        if _mounts_token(account, pod):
            mount_token(spec, self._registry.generated_name)
        if not spec.imagePullSecrets:
            spec.imagePullSecrets = [LocalObjectReference(name=secret.name) for secret in account.imagePullSecrets]

    async def validate(self, attributes: Attributes) -> None:
        """Refuses pods whose account does not exist or does not let them use their secrets."""
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
        """The account; the one that a controller makes in each new namespace is waited for."""
        store = self._registry.find("", "v1", "serviceaccounts")
        for attempt in range(_ATTEMPTS if name == _DEFAULT else 1):
            if attempt:
                await asyncio.sleep(_ATTEMPT_SECONDS)
            try:
                return ServiceAccount.from_document((await store.get(attributes.namespace, name)).document)
            except ApiError as error:
                if error.reason != "NotFound":
                    raise
        where = f"error looking up service account {attributes.namespace}/{name}"
        raise refused(attributes, f'{where}: serviceaccount "{name}" not found')


def _mounts_token(account: ServiceAccount, pod: Pod) -> bool:
    """The pod decides, then its account."""
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
