"""The plugins MutatingAdmissionWebhook and ValidatingAdmissionWebhook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from memkube.admission.chain import AdmissionParts, Plugin
from memkube.admission.configurations import Configurations
from memkube.registry.declarations.admission import Attributes
from memkube.registry.objects.stored import StoredObject

if TYPE_CHECKING:
    from memkube.admission.webhooks.hooks import Hook, HookSource


class _WebhookPlugin(Plugin):
    plural: ClassVar[str]

    def __init__(self, parts: AdmissionParts) -> None:
        super().__init__(parts)
        self._parts = parts
        store = parts.registry.find("admissionregistration.k8s.io", "v1", self.plural)
        self._configurations = Configurations(store, _Compiler(mutating=self.plural.startswith("mutating")))
        self.configured = store.emptiness()


class _Compiler:
    def __init__(self, *, mutating: bool) -> None:
        self._mutating = mutating
        self._source: HookSource | None = None

    def __call__(self, objects: Sequence[StoredObject]) -> Sequence[Hook]:
        from memkube.admission.webhooks.hooks import HookSource  # noqa: PLC0415  see the package

        self._source = self._source or HookSource(mutating=self._mutating)
        return self._source.hooks(objects)


class MutatingAdmissionWebhook(_WebhookPlugin):
    """Implements apiserver ``pkg/admission/plugin/webhook/mutating``."""

    name: ClassVar[str] = "MutatingAdmissionWebhook"
    plural: ClassVar[str] = "mutatingwebhookconfigurations"

    async def mutate(self, attributes: Attributes) -> None:
        """Call the mutating webhooks in order and apply their patches.

        Raises ApiError if one denies the request or fails.
        """
        hooks = await self._configurations.get()
        if hooks is not None:
            from memkube.admission.webhooks.mutating import mutate  # noqa: PLC0415  see the package

            await mutate(hooks, attributes, self._parts)


class ValidatingAdmissionWebhook(_WebhookPlugin):
    """Implements apiserver ``pkg/admission/plugin/webhook/validating``."""

    name: ClassVar[str] = "ValidatingAdmissionWebhook"
    plural: ClassVar[str] = "validatingwebhookconfigurations"

    async def validate(self, attributes: Attributes) -> None:
        """Call all validating webhooks concurrently. Raises ApiError if one denies the request or fails."""
        hooks = await self._configurations.get()
        if hooks is not None:
            from memkube.admission.webhooks.validating import validate  # noqa: PLC0415  see the package

            await validate(hooks, attributes, self._parts)
