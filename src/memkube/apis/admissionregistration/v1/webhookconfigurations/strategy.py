"""Rules for writing webhook configurations: defaults of their webhooks, validation, and the generation."""

from typing import ClassVar, Final, TypeVar

from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.meta.validation.object_meta import validate_object_meta
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.time import Time
from memkube.apis.admissionregistration.v1.rules.defaults import default_rules, default_selection
from memkube.apis.admissionregistration.v1.rules.validation import static_name_warnings
from memkube.apis.admissionregistration.v1.webhookconfigurations.types import (
    MutatingWebhookConfiguration,
    ValidatingWebhookConfiguration,
)
from memkube.apis.admissionregistration.v1.webhookconfigurations.validation import validate_webhooks
from memkube.registry.declarations.strategy import Strategy

C = TypeVar("C", MutatingWebhookConfiguration, ValidatingWebhookConfiguration)
_SECONDS: Final = 10
_HTTPS: Final = 443


class _WebhookConfigurationStrategy(Strategy[C]):
    allow_unconditional_update: ClassVar[bool] = False

    def default(self, obj: C) -> None:
        for hook in obj.webhooks:
            if hook.failurePolicy is None:
                hook.failurePolicy = "Fail"
            default_selection(hook)
            if hook.timeoutSeconds is None:
                hook.timeoutSeconds = _SECONDS
            default_rules(hook.rules)
            if hook.clientConfig.service is not None and hook.clientConfig.service.port is None:
                hook.clientConfig.service.port = _HTTPS

    def prepare_for_create(self, obj: C, now: Time) -> list[str]:
        obj.metadata.generation = 1
        return []

    def prepare_for_update(self, new: C, old: C) -> None:
        """Increment the generation of the webhook configuration if its webhooks changed."""
        if new.webhooks != old.webhooks:
            new.metadata.generation = old.metadata.generation + 1

    def validate(self, obj: C) -> list[FieldError]:
        return validate_object_meta(obj.metadata, subdomain_name, namespaced=False) + validate_webhooks(obj.webhooks)

    def validate_update(self, new: C, old: C) -> list[FieldError]:
        errors = validate_object_meta(new.metadata, subdomain_name, namespaced=False)
        return errors + validate_webhooks(new.webhooks, old.webhooks)

    def warnings_on_create(self, obj: C) -> list[str]:
        return static_name_warnings(obj.metadata.name)

    def warnings_on_update(self, new: C, old: C) -> list[str]:
        return static_name_warnings(new.metadata.name)


class MutatingWebhookConfigurationStrategy(_WebhookConfigurationStrategy[MutatingWebhookConfiguration]):
    """Defaults and validation of MutatingWebhookConfigurations; an update needs a resourceVersion.

    Source: ``pkg/registry/admissionregistration/mutatingwebhookconfiguration/strategy.go``.
    """

    def default(self, obj: MutatingWebhookConfiguration) -> None:
        super().default(obj)
        for hook in obj.webhooks:
            if hook.reinvocationPolicy is None:
                hook.reinvocationPolicy = "Never"


class ValidatingWebhookConfigurationStrategy(_WebhookConfigurationStrategy[ValidatingWebhookConfiguration]):
    """Defaults and validation of ValidatingWebhookConfigurations; an update needs a resourceVersion.

    Source: ``pkg/registry/admissionregistration/validatingwebhookconfiguration/strategy.go``.
    """
