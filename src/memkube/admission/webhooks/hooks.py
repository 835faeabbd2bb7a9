"""Compiles the webhooks of all configurations, and selects the webhooks to call for a request.

Sources: apiserver ``pkg/admission/configuration``, ``plugin/webhook/accessors.go``, ``generic/webhook.go``.
"""

from base64 import b64decode
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from memkube.admission.expressions.authority import RequestAuthority
from memkube.admission.expressions.evaluation import Inputs, run_evaluation
from memkube.admission.expressions.match_conditions import MatchConditions
from memkube.admission.expressions.requests import request_of
from memkube.admission.matching import Match, Selectors, match_rules, to_matched_version
from memkube.apimachinery.errors import ApiError, forbidden, internal_error
from memkube.apimachinery.model import Document
from memkube.apis.admissionregistration.v1.webhookconfigurations.types import (
    MutatingWebhook,
    MutatingWebhookConfiguration,
    ValidatingWebhook,
    ValidatingWebhookConfiguration,
    WebhookClientConfig,
)
from memkube.hooks.configuration import ClientConfig, ServiceReference
from memkube.registry.declarations.admission import Attributes
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry

Webhook: TypeAlias = MutatingWebhook | ValidatingWebhook
_HTTPS: Final = 443


@dataclass(frozen=True, slots=True)
class Hook:
    """A webhook in a webhook configuration, with its match conditions compiled and its selectors parsed."""

    uid: str
    """Identifier of the webhook, which is unique even if several webhooks have the same name."""
    configuration: str
    """The metadata.name of the webhook configuration that contains the webhook."""
    declared: Webhook
    selectors: Selectors
    conditions: MatchConditions
    client: ClientConfig

    @property
    def name(self) -> str:
        """The field ``name`` of the webhook, which error messages show."""
        return self.declared.name

    @property
    def ignores_failures(self) -> bool:
        """True if the failurePolicy of the webhook is Ignore."""
        return self.declared.failurePolicy == "Ignore"

    @property
    def reinvocable(self) -> bool:
        """True if the reinvocationPolicy of the webhook is IfNeeded."""
        return isinstance(self.declared, MutatingWebhook) and self.declared.reinvocationPolicy == "IfNeeded"


class HookSource:
    """Compiles the webhooks of all configurations, and reuses the compiled webhooks of unchanged configurations."""

    def __init__(self, *, mutating: bool) -> None:
        self._model = MutatingWebhookConfiguration if mutating else ValidatingWebhookConfiguration
        self._made: dict[StoredObject, list[Hook]] = {}

    def hooks(self, configurations: Sequence[StoredObject]) -> list[Hook]:
        """Return the compiled webhooks of all `configurations`, in the order of `configurations`."""
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


class VersionedObjects:
    """The new and the old object of a request, converted to the API versions in which webhooks receive them.

    Conversions are cached until the object changes.
    """

    def __init__(self, attributes: Attributes, *, mutating: bool) -> None:
        self.attributes = attributes
        self._mutating = mutating
        self._known: dict[str, tuple[Document | None, Document | None]] = {}

    async def of(self, match: Match) -> tuple[Document | None, Document | None]:
        """Return the new and old object in the version that a rule matched. Raises ApiError if a conversion fails."""
        version = match.resource.api_version
        if version not in self._known:
            attributes = self.attributes
            try:
                self._known[version] = (
                    await to_matched_version(attributes.new, attributes, match),
                    await to_matched_version(attributes.old, attributes, match),
                )
            except ApiError as error:
                failure = internal_error(error.message)
                # For mutating webhooks, kube-apiserver wraps a conversion error twice, so that its prefix is repeated.
                raise internal_error(failure.message) if self._mutating else failure from None
        return self._known[version]

    def clear(self) -> None:
        """Discard all cached conversions. Must be called after each change of the object."""
        self._known.clear()


async def match_hook(hook: Hook, versions: VersionedObjects, registry: Registry) -> Match | None:
    """Return the resource and kind that the webhook's rules match; None if it must not be called (``ShouldCallHook``).

    `versions` has the attributes of the request and converts its objects. Raises ApiError if the namespace of the
    request does not exist, or if evaluating a match condition fails.
    """
    attributes, refusal = versions.attributes, None
    try:
        if not await hook.selectors.match_namespace(attributes, registry):
            return None
    except ApiError as error:
        # The error about the missing namespace is raised later, and only if the webhook would otherwise be called.
        refusal = error
    if not hook.selectors.match_object(attributes):
        return None
    match = match_rules(hook.declared.rules, hook.declared.matchPolicy, attributes, registry.catalog)
    if match is None:
        return None
    if refusal is not None:
        raise refusal
    if not hook.declared.matchConditions:
        return match
    new, old = await versions.of(match)
    request = request_of(attributes, match.resource, match.kind)
    authority = RequestAuthority(registry.kind_services.authorizer, attributes.context.user)
    inputs = Inputs(new, old, request, attributes, authority=authority)
    met = await run_evaluation(partial(hook.conditions.match, inputs), loops=hook.conditions.has_loops)
    if met.error:
        raise forbidden(attributes.resource.group_resource, attributes.name, met.error)
    return match if met.matches else None
