"""Calls of admission webhooks: sending the request, and handling the response (``dispatcher.go`` of both plugins)."""

from fnmatch import fnmatchcase
from time import monotonic
from typing import Final

from memkube.admission.chain import AdmissionParts
from memkube.admission.matching import Match
from memkube.admission.webhooks.hooks import Hook, VersionedObjects
from memkube.admission.webhooks.review import FORM, VERSIONS, AdmissionResponse, review_of, verify
from memkube.apimachinery.errors import ApiError, Cause, Details, bad_request, internal_error
from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.meta.v1.status import Status
from memkube.apimachinery.names import is_qualified_name
from memkube.apimachinery.shown_values import quoted
from memkube.faults.attributes import RequestAttributes, Stage
from memkube.faults.effects import WebhookTimeout
from memkube.hooks.answers import decode_answer
from memkube.hooks.configuration import ConfigurationRefused, HookFailed
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.request_options import LOOPBACK
from memkube.registry.registry import Registry
from memkube.time.request_context import answered_by_webhook

_SECONDS = 10
_FAULT: Final = "memkube.dev/fault"
_LEAST_REFUSAL = 400
_GREATEST_CODE: Final = 600
"""Largest HTTP status code in metrics of webhooks. Larger codes are counted as this code (``ObserveWebhook``)."""


class CallFailed(Exception):
    """Raised if a webhook could not be called, or its response is invalid (``ErrCallingWebhook``)."""

    def __init__(self, hook: Hook, why: str, code: int = 503) -> None:
        super().__init__(f"failed calling webhook {quoted(hook.name)}: {why}")
        self.code = code
        """HTTP status code under which metrics count the failed call."""

    def refusal(self) -> ApiError:
        """Return the error (500) that the client gets if the webhook's failurePolicy is Fail."""
        return internal_error(str(self))


async def call(
    hook: Hook, match: Match, versions: VersionedObjects, parts: AdmissionParts, *, mutating: bool
) -> AdmissionResponse:
    """Call a webhook and return its response, and record the response's warnings and audit annotations.

    `versions` has the new and the old object of the request. They are sent in the API version of `match`, the resource
    and kind that a rule of the webhook matched. `parts` has the HTTP client and the metrics of the server; `mutating`
    is True for a mutating webhook. Raises CallFailed if the call fails, and ApiError if the webhook denies the request.
    """
    code, rejected, began = 200, False, monotonic()
    try:
        return await _send_review(hook, match, versions, parts, mutating=mutating)
    except CallFailed as error:
        code, rejected = error.code, not hook.ignores_failures
        raise
    except ApiError as error:
        code, rejected = min(error.code, _GREATEST_CODE), True
        raise
    finally:
        measures = parts.measures
        labels = hook.name, "admit" if mutating else "validating", versions.attributes.operation
        seconds = monotonic() - began
        answered_by_webhook(seconds, mutating=mutating)
        measures.webhooks[*labels, rejected].observe(seconds)
        measures.webhook_codes[*labels, code, rejected] += 1


async def _send_review(
    hook: Hook, match: Match, versions: VersionedObjects, parts: AdmissionParts, *, mutating: bool
) -> AdmissionResponse:
    attributes = versions.attributes
    if attributes.context.dry_run:
        _check_side_effects(hook)
    version = next((one for one in hook.declared.admissionReviewVersions if one in VERSIONS), None)
    if version is None:
        known = "webhook does not accept known AdmissionReview versions (v1, v1beta1)"
        raise CallFailed(hook, f"could not create admission objects: {known}", 400)
    review = review_of(version, parts.registry.new_uid(), attributes, match, await versions.of(match))
    seconds = _timeout_seconds(hook, attributes)
    try:
        if parts.registry.faults.present and (fault := _timeout_of(hook, attributes, parts.registry)) is not None:
            await parts.hook_client.time_out(hook.client, seconds, waits=fault.waits)
        answer = await parts.hook_client.post(hook.client, to_json(review.document), seconds)
        answered = decode_answer(answer, FORM, review.expected)
    except ConfigurationRefused as error:
        raise CallFailed(hook, f"could not get REST client: {error}", 500) from None
    except HookFailed as error:
        raise CallFailed(hook, f"failed to call webhook: {error}") from None
    try:
        response = verify(review, answered, mutating=mutating)
    except ValueError as error:
        raise CallFailed(hook, f"received invalid webhook response: {error}") from None
    _note(hook, response, attributes)
    if not response.allowed:
        raise denial(hook, response.status)
    return response


def _timeout_of(hook: Hook, attributes: Attributes, registry: Registry) -> WebhookTimeout | None:
    """Return the effect of the injected fault that makes this call time out; None if no such fault applies to it.

    The name of the injected fault is recorded as an audit annotation.
    """
    asked = RequestAttributes(
        verb=attributes.operation.lower(),
        group=attributes.resource.group,
        resource="/".join(filter(None, (attributes.resource.plural, attributes.subresource))),
        namespace=attributes.namespace,
        name=attributes.name,
        user=attributes.context.user.name,
        is_controller=attributes.context.user is LOOPBACK,
    )
    for fault in registry.faults.about(Stage.WEBHOOK):
        effect = fault.rule.effect
        assert isinstance(effect, WebhookTimeout)
        if fnmatchcase(hook.name, effect.webhook) and fault.falls_on(asked, registry.clock.now()):
            attributes.context.annotate(_FAULT, fault.name)
            return effect
    return None


def _timeout_seconds(hook: Hook, attributes: Attributes) -> float:
    """Return the seconds after which a call times out.

    This is the webhook's timeoutSeconds, or the time that remains for the request if it is shorter.
    """
    seconds, deadline = hook.declared.timeoutSeconds or _SECONDS, attributes.context.deadline
    return seconds if deadline is None else max(min(seconds, deadline - monotonic()), 0.0)


def _check_side_effects(hook: Hook) -> None:
    """Refuse a dry run if the webhook may have side effects.

    Raises ApiError if the webhook declares side effects, and CallFailed if it does not set ``sideEffects``.
    """
    effects = hook.declared.sideEffects
    if effects is None:
        raise CallFailed(hook, "Webhook SideEffects is nil", 400)
    if effects not in ("None", "NoneOnDryRun"):
        raise bad_request(f"admission webhook {quoted(hook.name)} does not support dry run")


def _note(hook: Hook, response: AdmissionResponse, attributes: Attributes) -> None:
    """Record the audit annotations and warnings of a webhook's response. Malformed annotation keys are ignored."""
    for key, value in response.auditAnnotations.items():
        annotation = f"{hook.name}/{key}"
        if "/" not in key and not is_qualified_name(annotation):
            attributes.context.annotate(annotation, value)
    for warning in response.warnings:
        attributes.context.warn(warning)


def denial(hook: Hook, result: Status | None) -> ApiError:
    """Return the error for a request that a webhook denied.

    The error is made from `result`, the Status in the webhook's response, whose missing fields are filled in as in
    ``ToStatusErr``.
    """
    status = result or Status()
    status.kind, status.apiVersion = "Status", "v1"
    status.code = max(status.code, _LEAST_REFUSAL)
    if status.status in ("", "Success"):
        status.status = "Failure"
    why = status.message or status.reason
    said = f"admission webhook {quoted(hook.name)} denied the request"
    status.message = f"{said}: {why}" if why else f"{said} without explanation"
    shown, details = status.details, None
    if shown is not None:
        causes = tuple(Cause(cause.reason, cause.message, cause.field) for cause in shown.causes)
        details = Details(shown.name, shown.group, shown.kind, shown.uid, causes, shown.retryAfterSeconds)
    return ApiError(status.code, status.reason, status.message, details, status=status.to_document())
