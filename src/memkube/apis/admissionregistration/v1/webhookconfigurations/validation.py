"""Validation of webhook configurations: names, addresses, rules, match conditions and review versions.

Sources: ``pkg/apis/admissionregistration/validation`` and apiserver's ``pkg/util/webhook``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from memkube.apimachinery.field_errors import FieldError, FieldPath, duplicate, invalid, not_supported, required
from memkube.apimachinery.meta.validation.labels import validate_label_selector
from memkube.apimachinery.names import is_dns1035_label, is_dns1123_subdomain
from memkube.apimachinery.webhooks import validate_webhook_service, validate_webhook_url
from memkube.apis.admissionregistration.v1.rules.validation import (
    FAILURE_POLICIES,
    MATCH_POLICIES,
    REINVOCATION_POLICIES,
    one_of,
    validate_match_conditions,
    validate_rule_with_operations,
)
from memkube.apis.admissionregistration.v1.webhookconfigurations.types import (
    MutatingWebhook,
    ValidatingWebhook,
    WebhookClientConfig,
)

_WEBHOOKS: Final = FieldPath("webhooks")
_REVIEW_VERSIONS: Final = ("v1", "v1beta1")
_SIDE_EFFECTS: Final = ("None", "NoneOnDryRun", "Some", "Unknown")
_NO_SIDE_EFFECTS: Final = ("None", "NoneOnDryRun")
_FEWEST_SEGMENTS: Final = 3
_LONGEST_SECONDS: Final = 30

Webhooks: TypeAlias = Sequence[ValidatingWebhook | MutatingWebhook]


@dataclass(frozen=True, slots=True)
class _Tolerated:
    """Rules that an updated webhook configuration may break, because the stored configuration breaks them already."""

    side_effects: bool = False
    unknown_versions: bool = False
    names_twice: bool = False
    any_values: bool = False
    same_conditions: bool = False


def validate_webhooks(new: Webhooks, old: Webhooks | None = None) -> list[FieldError]:
    """Validate the webhooks of a configuration: unique qualified names, valid addresses, rules and conditions.

    `old` has the webhooks before an update; None for a new configuration. The new webhooks may break some rules that an
    old webhook breaks already: the fields of `_Tolerated` name these rules, for example that names are unique. Match
    conditions are checked only if they have changed.
    """
    tolerated = _Tolerated() if old is None else _tolerated(new, old)
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, hook in enumerate(new):
        path = _WEBHOOKS.item(index)
        errors += _validate_webhook(hook, tolerated, path)
        errors += _validate_review_versions(hook.admissionReviewVersions, tolerated, path)
        if hook.name and not tolerated.names_twice:
            if hook.name in seen:
                errors.append(duplicate(path.child("name"), hook.name))
            seen.add(hook.name)
    return errors


def _tolerated(new: Webhooks, old: Webhooks) -> _Tolerated:
    names = [hook.name for hook in old]
    selectors = [selector for hook in old for selector in (hook.namespaceSelector, hook.objectSelector)]
    return _Tolerated(
        side_effects=any(hook.sideEffects not in _NO_SIDE_EFFECTS for hook in old),
        unknown_versions=any(
            hook.admissionReviewVersions and not set(_REVIEW_VERSIONS) & set(hook.admissionReviewVersions)
            for hook in old
        ),
        names_twice=len(set(names)) < len(names),
        any_values=any(validate_label_selector(selector, FieldPath()) for selector in selectors),
        same_conditions=[hook.matchConditions for hook in new] == [hook.matchConditions for hook in old],
    )


def _validate_webhook(
    hook: ValidatingWebhook | MutatingWebhook, tolerated: _Tolerated, path: FieldPath
) -> list[FieldError]:
    errors = _validate_name(hook.name, path.child("name"))
    for index, rule in enumerate(hook.rules):
        errors += validate_rule_with_operations(rule, path.child("rules").item(index))
    errors += one_of(hook.failurePolicy, FAILURE_POLICIES, path.child("failurePolicy"), needed=False)
    errors += one_of(hook.matchPolicy, MATCH_POLICIES, path.child("matchPolicy"), needed=False)
    allowed = _SIDE_EFFECTS if tolerated.side_effects else _NO_SIDE_EFFECTS
    if hook.sideEffects is None:
        errors.append(required(path.child("sideEffects"), f"must specify one of {', '.join(allowed)}"))
    elif hook.sideEffects not in allowed:
        errors.append(not_supported(path.child("sideEffects"), hook.sideEffects, allowed))
    if hook.timeoutSeconds is not None and not 1 <= hook.timeoutSeconds <= _LONGEST_SECONDS:
        why = "the timeout value must be between 1 and 30 seconds"
        errors.append(invalid(path.child("timeoutSeconds"), hook.timeoutSeconds, why))
    for name, selector in (("namespaceSelector", hook.namespaceSelector), ("objectSelector", hook.objectSelector)):
        errors += validate_label_selector(selector, path.child(name), any_values=tolerated.any_values)
    if isinstance(hook, MutatingWebhook):
        policy = hook.reinvocationPolicy
        errors += one_of(policy, REINVOCATION_POLICIES, path.child("reinvocationPolicy"), needed=False)
    errors += _validate_client(hook.clientConfig, path.child("clientConfig"))
    if not tolerated.same_conditions:
        errors += validate_match_conditions(hook.matchConditions, path.child("matchConditions"))
    return errors


def _validate_name(name: str, path: FieldPath) -> list[FieldError]:
    if not name:
        return [required(path)]
    if wrong := is_dns1123_subdomain(name):
        return [invalid(path, name, ",".join(wrong))]
    if len(name.split(".")) < _FEWEST_SEGMENTS:
        return [invalid(path, name, "should be a domain with at least three segments separated by dots")]
    return []


def _validate_review_versions(versions: Sequence[str], tolerated: _Tolerated, path: FieldPath) -> list[FieldError]:
    field = path.child("admissionReviewVersions")
    accepted = ", ".join(_REVIEW_VERSIONS)
    if not versions:
        return [required(field, f"must specify one of {accepted}")]
    errors: list[FieldError] = []
    for index, version in enumerate(versions):
        if version in versions[:index]:
            errors.append(invalid(field.item(index), version, "duplicate version"))
        else:
            errors += [invalid(field.item(index), version, why) for why in is_dns1035_label(version)]
    if not tolerated.unknown_versions and not set(_REVIEW_VERSIONS) & set(versions):
        errors.append(invalid(field, versions, f"must include at least one of {accepted}"))
    return errors


def _validate_client(client: WebhookClientConfig, path: FieldPath) -> list[FieldError]:
    if client.url is not None and client.service is None:
        return validate_webhook_url(client.url, path.child("url"))
    if client.service is not None and client.url is None:
        service = client.service
        service_path = path.child("service")
        return validate_webhook_service(service.name, service.namespace, service.path, service.port, service_path)
    return [required(path, "exactly one of url or service is required")]
