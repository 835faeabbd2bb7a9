"""Webhook configurations: admission webhooks and the requests they are called for."""

from memkube.apis.admissionregistration.v1.rules.resource import registration

_FOLDER = "webhookconfigurations"
_PRINTER = f"{_FOLDER}.columns:PRINTER"

MUTATING_WEBHOOK_CONFIGURATIONS = registration(
    _FOLDER, "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", _PRINTER
)
VALIDATING_WEBHOOK_CONFIGURATIONS = registration(
    _FOLDER, "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", _PRINTER
)
