"""Validation of ``spec.conversion`` in CustomResourceDefinitions (``pkg/apis/apiextensions/validation``)."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.base64 import decode_base64
from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    forbidden,
    invalid,
    not_supported_string,
    required,
)
from memkube.apimachinery.names import is_dns1035_label
from memkube.apimachinery.pem import certificate_error, pem_blocks
from memkube.apimachinery.webhooks import validate_webhook_service, validate_webhook_url
from memkube.apis.apiextensions.v1.customresourcedefinitions.types import (
    CustomResourceConversion,
    CustomResourceDefinitionSpec,
    WebhookClientConfig,
)

_REVIEW_VERSIONS: Final = ("v1", "v1beta1")


def has_invalid_bundle(spec: CustomResourceDefinitionSpec) -> bool:
    """True if the CA bundle of the conversion webhook cannot be parsed."""
    client = _client(spec)
    return client is not None and bool(_bundle_error(client))


def validate_conversion(
    conversion: CustomResourceConversion | None, any_bundle: bool, path: FieldPath
) -> list[FieldError]:
    """Validate ``spec.conversion`` of a CustomResourceDefinition: the strategy, and the webhook if there is one.

    An invalid CA bundle is an error unless `any_bundle` is True, which it is for definitions that are not established
    yet, and for those that already have an invalid CA bundle.
    """
    if conversion is None:
        return []
    errors: list[FieldError] = []
    strategies = ("None", "Webhook")
    if not conversion.strategy:
        errors.append(required(path.child("strategy")))
    elif conversion.strategy not in strategies:
        errors.append(not_supported_string(path.child("strategy"), conversion.strategy, strategies))
    webhook = conversion.webhook
    client = None if webhook is None else webhook.clientConfig
    versions = [] if webhook is None else webhook.conversionReviewVersions
    client_path, review = path.child("webhookClientConfig"), path.child("conversionReviewVersions")
    if conversion.strategy != "Webhook":
        why = "should not be set when strategy is not set to Webhook"
        errors += [forbidden(client_path, why)] if client is not None else []
        return errors + ([forbidden(review, why)] if versions else [])
    if client is None:
        errors.append(required(client_path, "required when strategy is set to Webhook"))
    else:
        errors += _validate_client(client, any_bundle, client_path)
    return errors + _validate_review_versions(versions, review)


def _validate_client(client: WebhookClientConfig, any_bundle: bool, path: FieldPath) -> list[FieldError]:
    service = client.service
    if client.url is not None and service is None:
        errors = validate_webhook_url(client.url, path.child("url"))
    elif service is not None and client.url is None:
        service_path = path.child("service")
        errors = validate_webhook_service(service.name, service.namespace, service.path, service.port, service_path)
    else:
        errors = [required(path, "exactly one of url or service is required")]
    fault = "" if any_bundle else _bundle_error(client)
    return [*errors, invalid(path.child("caBundle"), client.caBundle, fault)] if fault else errors


def _validate_review_versions(versions: Sequence[str], path: FieldPath) -> list[FieldError]:
    if not versions:
        return [required(path)]
    errors: list[FieldError] = []
    for index, version in enumerate(versions):
        if version in versions[:index]:
            errors.append(invalid(path.item(index), version, "duplicate version"))
        else:
            errors += [invalid(path.item(index), version, why) for why in is_dns1035_label(version)]
    if not set(_REVIEW_VERSIONS) & set(versions):
        why = f"must include at least one of {', '.join(_REVIEW_VERSIONS)}"
        errors.append(invalid(path, list(versions), why))
    return errors


def _client(spec: CustomResourceDefinitionSpec) -> WebhookClientConfig | None:
    conversion = spec.conversion
    return conversion.webhook.clientConfig if conversion and conversion.webhook else None


def _bundle_error(client: WebhookClientConfig | None) -> str:
    """Return why the CA bundle in a webhook's configuration, `client`, cannot be parsed; "" if valid or missing."""
    if client is None or not client.caBundle:
        return ""
    found = pem_blocks(decode_base64(client.caBundle))
    blocks = [block for block in found if block.type == "CERTIFICATE" and not block.has_headers]
    if not blocks:
        return "unable to load root certificates: data does not contain any valid RSA or ECDSA certificates"
    faults = (certificate_error(block.content) for block in blocks)
    fault = next((fault for fault in faults if fault is not None), None)
    return "" if fault is None else f"unable to load root certificates: {fault}"
