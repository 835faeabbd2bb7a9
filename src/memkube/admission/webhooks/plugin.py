"""The admission plugins that call the webhooks of all stored webhook configurations."""

from typing import ClassVar

from memkube.admission.chain import AdmissionParts, Plugin
from memkube.admission.configurations import Configurations
from memkube.admission.webhooks.hooks import HookSource
from memkube.admission.webhooks.mutating import mutate
from memkube.admission.webhooks.validating import validate
from memkube.registry.declarations.admission import Attributes


class _WebhookPlugin(Plugin):
    plural: ClassVar[str]

    def __init__(self, parts: AdmissionParts) -> None:
        super().__init__(parts)
        self._parts = parts
        store = parts.registry.find("admissionregistration.k8s.io", "v1", self.plural)
        self._configurations = Configurations(store, HookSource(mutating=self.plural.startswith("mutating")).hooks)
        self.configured = store.emptiness()


class MutatingAdmissionWebhook(_WebhookPlugin):
    """Admission plugin that calls mutating webhooks (apiserver ``pkg/admission/plugin/webhook/mutating``)."""

    name: ClassVar[str] = "MutatingAdmissionWebhook"
    plural: ClassVar[str] = "mutatingwebhookconfigurations"

    async def mutate(self, attributes: Attributes) -> None:
        """Call the mutating webhooks in order and apply their patches.

        Raises ApiError if one denies the request or fails.
        """
        hooks = await self._configurations.get()
        if hooks is not None:
            await mutate(hooks, attributes, self._parts)


class ValidatingAdmissionWebhook(_WebhookPlugin):
    """Admission plugin that calls validating webhooks (apiserver ``pkg/admission/plugin/webhook/validating``)."""

    name: ClassVar[str] = "ValidatingAdmissionWebhook"
    plural: ClassVar[str] = "validatingwebhookconfigurations"

    async def validate(self, attributes: Attributes) -> None:
        """Call all validating webhooks concurrently. Raises ApiError if one denies the request or fails."""
        hooks = await self._configurations.get()
        if hooks is not None:
            await validate(hooks, attributes, self._parts)
