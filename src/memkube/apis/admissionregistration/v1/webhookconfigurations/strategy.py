"""TODO."""

from memkube.apis.admissionregistration.v1.webhookconfigurations.types import (
    MutatingWebhookConfiguration,
    ValidatingWebhookConfiguration,
)
from memkube.registry.strategy import Strategy


class MutatingWebhookConfigurationStrategy(Strategy[MutatingWebhookConfiguration]):
    """TODO."""


class ValidatingWebhookConfigurationStrategy(Strategy[ValidatingWebhookConfiguration]):
    """TODO."""
