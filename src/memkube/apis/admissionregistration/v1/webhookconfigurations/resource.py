"""Webhook configurations: webhooks that admission calls before a write."""

from memkube.apis.admissionregistration.v1.rules.resource import registration
from memkube.registry.declarations.lazy import LazyPackage

lazy = LazyPackage(__package__)

MUTATING_WEBHOOK_CONFIGURATIONS = registration(
    lazy, "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", lazy("columns:PRINTER")
)
VALIDATING_WEBHOOK_CONFIGURATIONS = registration(
    lazy, "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", lazy("columns:PRINTER")
)
