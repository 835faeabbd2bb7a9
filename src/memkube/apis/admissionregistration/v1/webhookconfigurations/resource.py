"""Webhook configurations: whom to ask before a write."""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import Resource, name_field

MUTATING_WEBHOOK_CONFIGURATIONS = Resource(
    group="admissionregistration.k8s.io",
    version="v1",
    kind="MutatingWebhookConfiguration",
    plural="mutatingwebhookconfigurations",
    singular="mutatingwebhookconfiguration",
    namespaced=False,
    selectable_fields=name_field,
    categories=("api-extensions",),
    model=Lazy("memkube.apis.admissionregistration.v1.webhookconfigurations.types:MutatingWebhookConfiguration"),
    strategy=Lazy(
        "memkube.apis.admissionregistration.v1.webhookconfigurations.strategy:MutatingWebhookConfigurationStrategy()"
    ),
    printer=Lazy("memkube.apis.admissionregistration.v1.webhookconfigurations.columns:PRINTER"),
)
VALIDATING_WEBHOOK_CONFIGURATIONS = Resource(
    group="admissionregistration.k8s.io",
    version="v1",
    kind="ValidatingWebhookConfiguration",
    plural="validatingwebhookconfigurations",
    singular="validatingwebhookconfiguration",
    namespaced=False,
    selectable_fields=name_field,
    categories=("api-extensions",),
    model=Lazy("memkube.apis.admissionregistration.v1.webhookconfigurations.types:ValidatingWebhookConfiguration"),
    strategy=Lazy(
        "memkube.apis.admissionregistration.v1.webhookconfigurations.strategy:ValidatingWebhookConfigurationStrategy()"
    ),
    printer=Lazy("memkube.apis.admissionregistration.v1.webhookconfigurations.columns:PRINTER"),
)
