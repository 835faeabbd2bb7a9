"""Webhooks as they are asked: compiled from their configurations, and which of them a request concerns.

Sources: apiserver ``pkg/admission/configuration``, ``plugin/webhook/accessors.go``, ``generic/webhook.go``.
"""

from base64 import b64decode
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from memkube.admission.expressions.evaluation import Inputs, evaluated
from memkube.admission.expressions.match_conditions import MatchConditions
from memkube.admission.expressions.requests import request_of
from memkube.admission.matching import Match, Selectors, matched, versioned
from memkube.apimachinery.errors import ApiError, forbidden, internal_error
from memkube.apimachinery.model import Document
from memkube.apis.admissionregistration.v1.webhookconfigurations.types import (
    MutatingWebhook,
    MutatingWebhookConfiguration,
    ValidatingWebhook,
    ValidatingWebhookConfiguration,
    WebhookClientConfig,
)
from memkube.cel.functions.authorizers import AlwaysAllow
from memkube.hooks.configuration import ClientConfig, ServiceReference
from memkube.registry.declarations.admission import Attributes
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry

Webhook: TypeAlias = MutatingWebhook | ValidatingWebhook
_HTTPS: Final = 443


@dataclass(frozen=True, slots=True)
class Hook:
    """One webhook."""

    uid: str
    """Tells it from all others, also from those of the same name."""
    configuration: str
    """The name of the configuration that it stands in."""
    declared: Webhook
    selectors: Selectors
    conditions: MatchConditions
    client: ClientConfig

    @property
    def name(self) -> str:
        """Its name in messages."""
        return self.declared.name

    @property
    def may_fail(self) -> bool:
        """Whether a request goes on although the webhook could not be asked."""
        return self.declared.failurePolicy == "Ignore"

    @property
    def reinvocable(self) -> bool:
        """Whether it wants to be asked again where others have changed the object after it."""
        return isinstance(self.declared, MutatingWebhook) and self.declared.reinvocationPolicy == "IfNeeded"


class HookSource:
    """Makes the webhooks of configurations, and makes those of a changed configuration anew."""

    def __init__(self, *, mutating: bool) -> None:
        self._model = MutatingWebhookConfiguration if mutating else ValidatingWebhookConfiguration
        self._made: dict[StoredObject, list[Hook]] = {}

    def hooks(self, configurations: Sequence[StoredObject]) -> list[Hook]:
        """All webhooks, by the names of their configurations and then in the order given there."""
        self._made = {stored: self._made.get(stored) or self._compiled(stored) for stored in configurations}
        return [hook for hooks in self._made.values() for hook in hooks]

    def _compiled(self, stored: StoredObject) -> list[Hook]:
        configuration = self._model.from_document(stored.document)
        return list(_hooks(configuration.metadata.name, configuration.webhooks))


def _hooks(configuration: str, webhooks: Sequence[Webhook]) -> Iterator[Hook]:
    seen: Counter[str] = Counter()
    for webhook in webhooks:
        yield Hook(
            uid=f"{configuration}/{webhook.name}/{seen[webhook.name]}",
            configuration=configuration,
            declared=webhook,
            selectors=Selectors.of(webhook.namespaceSelector, webhook.objectSelector),
            conditions=MatchConditions(webhook.matchConditions, webhook.failurePolicy),
            client=_client_config(webhook.clientConfig),
        )
        seen[webhook.name] += 1


def _client_config(declared: WebhookClientConfig) -> ClientConfig:
    bundle, service = b64decode(declared.caBundle), declared.service
    if service is None:
        return ClientConfig(url=declared.url or "", ca_bundle=bundle)
    reference = ServiceReference(service.namespace, service.name, service.path or "", service.port or _HTTPS)
    return ClientConfig(service=reference, ca_bundle=bundle)


class Versions:
    """The objects of a request in the versions that webhooks want; converted once, until the object changes."""

    def __init__(self, attributes: Attributes, *, mutating: bool) -> None:
        self.attributes = attributes
        self._mutating = mutating
        self._known: dict[str, tuple[Document | None, Document | None]] = {}

    async def of(self, match: Match) -> tuple[Document | None, Document | None]:
        """The new object and the old one. Raises ApiError."""
        version = match.resource.api_version
        if version not in self._known:
            attributes = self.attributes
            try:
                self._known[version] = (
                    await versioned(attributes.new, attributes, match),
                    await versioned(attributes.old, attributes, match),
                )
            except ApiError as error:
                failure = internal_error(error.message)
                # The reference says so twice.
                raise internal_error(failure.message) if self._mutating else failure from None
        return self._known[version]

    def forget(self) -> None:
        """The object has been changed."""
        self._known.clear()


async def wanted(hook: Hook, versions: Versions, registry: Registry) -> Match | None:
    """What the webhook is to be asked about, if a request concerns it. Raises ApiError (``ShouldCallHook``)."""
    attributes, refusal = versions.attributes, None
    try:
        if not await hook.selectors.match_namespace(attributes, registry):
            return None
    except ApiError as error:
        # Told only to those who would be asked.
        refusal = error
    if not hook.selectors.match_object(attributes):
        return None
    match = matched(hook.declared.rules, hook.declared.matchPolicy, attributes, registry.catalog)
    if match is None:
        return None
    if refusal is not None:
        raise refusal
    if not hook.declared.matchConditions:
        return match
    new, old = await versions.of(match)
    request = request_of(attributes, match.resource, match.kind)
    inputs = Inputs(new, old, request, attributes, authority=AlwaysAllow())
    met = await evaluated(partial(hook.conditions.match, inputs), loops=hook.conditions.has_loops)
    if met.error:
        raise forbidden(attributes.resource.group_resource, attributes.name, met.error)
    return match if met.matches else None
