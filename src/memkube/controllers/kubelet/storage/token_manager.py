"""Requests the service account tokens of pods, and renews them (``pkg/kubelet/token``).

This module is imported with the first pod that mounts a token.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apis.authentication.v1.types import BoundObjectReference, TokenRequest, TokenRequestSpec
from memkube.apis.core.v1.pods.types import Pod
from memkube.controllers.framework.client import Client
from memkube.controllers.kubelet.storage.token_files import PodToken, PodTokens, TokenKey
from memkube.registry.declarations.resource import Resource

_LONGEST: Final = timedelta(hours=24)
"""Age of a service account token at which it is renewed at the latest."""
_USED_SHARE: Final = 0.8
"""Fraction of its lifetime after which a token is renewed."""
_RETRY: Final = timedelta(minutes=1)


async def renew_tokens(
    client: Client, accounts: Resource, pod: Pod, keys: Collection[TokenKey], tokens: PodTokens, now: datetime
) -> None:
    """Request the tokens of a pod that are missing or due for renewal, and store them in `tokens`.

    `keys` are the audience and lifetime of each token that the pod's volumes request, and `tokens` has the present
    token for each key. `accounts` is the API resource of service accounts. If the request for a new token fails, the
    old token is kept, and the request is repeated later.
    """
    for key in keys:
        known = tokens.get(key)
        if known is not None and known.renews is not None and now < known.renews:
            continue
        try:
            tokens[key] = await _requested(client, accounts, pod, key, now)
        except ApiError as error:
            if known is None or known.problem:
                tokens[key] = _problem(now, error)
            elif known.data:
                known.renews = now + _RETRY


async def defer_tokens(
    client: Client, accounts: Resource, pod: Pod, keys: Collection[TokenKey], tokens: PodTokens, now: datetime
) -> None:
    """Mark the missing tokens of a pod in `tokens`, so that they are requested when a program first runs in the pod.

    `keys` are the audience and lifetime of each token that the pod's volumes request, and `tokens` has the present
    token for each key. `accounts` is the API resource of service accounts. If the pod's service account cannot be read,
    the error is stored in `tokens` instead, as after a failed request.
    """
    lacking = [key for key in keys if key not in tokens or tokens[key].problem]
    if not lacking:
        return
    try:
        await client.get(accounts, pod.metadata.namespace, pod.spec.serviceAccountName)
    except ApiError as error:
        tokens.update({key: _problem(now, error) for key in lacking})
    else:
        tokens.update({key: PodToken(None) for key in lacking})


def _problem(now: datetime, error: ApiError) -> PodToken:
    return PodToken(now, problem=f"failed to fetch token: {error.message}")


async def _requested(client: Client, accounts: Resource, pod: Pod, key: TokenKey, now: datetime) -> PodToken:
    metadata = pod.metadata
    spec = TokenRequestSpec(
        audiences=[key.audience] if key.audience else [],
        expirationSeconds=key.seconds,
        boundObjectRef=BoundObjectReference(kind="Pod", apiVersion="v1", name=metadata.name, uid=metadata.uid),
    )
    request = TokenRequest(spec=spec)
    request.metadata.name = pod.spec.serviceAccountName
    answer = await client.post(accounts, "token", request, metadata.namespace)
    seconds: int = answer["spec"]["expirationSeconds"]
    return PodToken(now + min(timedelta(seconds=seconds * _USED_SHARE), _LONGEST), answer["status"]["token"].encode())
