"""Concurrent calls of the validating webhooks. If several deny the request, the client gets the earliest denial."""

import asyncio
from collections.abc import Sequence
from typing import Final

from memkube.admission.chain import AdmissionParts
from memkube.admission.matching import Match, is_exempt
from memkube.admission.webhooks.calling import CallFailed, call
from memkube.admission.webhooks.hooks import Hook, VersionedObjects, match_hook
from memkube.apimachinery.errors import ApiError
from memkube.registry.declarations.admission import Attributes

_FAILED_OPEN: Final = "failed-open.validating.webhook.admission.k8s.io/"


async def validate(hooks: Sequence[Hook], attributes: Attributes, parts: AdmissionParts) -> None:
    """Call those validating webhooks of `hooks` that match the request, concurrently.

    `parts` are the parts of the server that a call needs. Raises ApiError if one of the webhooks denies the request, or
    fails with failurePolicy Fail.
    """
    if is_exempt(attributes):
        return
    versions = VersionedObjects(attributes, mutating=False)
    relevant: list[tuple[Hook, Match]] = []
    for hook in hooks:
        match = await match_hook(hook, versions, parts.registry)
        if match is not None:
            relevant.append((hook, match))
            await versions.of(match)
    errors: list[ApiError] = []

    async def ask(index: int, hook: Hook, match: Match) -> None:
        try:
            await call(hook, match, versions, parts, mutating=False)
        except CallFailed as error:
            if hook.ignores_failures:
                attributes.context.annotate(f"{_FAILED_OPEN}round_0_index_{index}", hook.name)
            else:
                errors.append(error.refusal())
        except ApiError as error:
            errors.append(error)

    if len(relevant) == 1:
        await ask(0, *relevant[0])
    elif relevant:
        async with asyncio.TaskGroup() as group:
            for index, (hook, match) in enumerate(relevant):
                group.create_task(ask(index, hook, match))
    if errors:
        raise errors[0]
