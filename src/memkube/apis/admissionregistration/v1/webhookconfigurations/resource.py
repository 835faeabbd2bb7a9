"""Webhook configurations: webhooks that the API server calls during admission, before it stores an object."""

from memkube.apis.admissionregistration.v1.rules.resource import registration
from memkube.registry.declarations.lazy import LazyPackage

lazy = LazyPackage(__package__)

MUTATING_WEBHOOK_CONFIGURATIONS = registration(
    lazy, "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", lazy("columns:PRINTER")
)
VALIDATING_WEBHOOK_CONFIGURATIONS = registration(
    lazy, "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", lazy("columns:PRINTER")
)
