"""Warnings about new objects on which nothing acts, because their controller does not run in this server."""

from typing import ClassVar

from memkube.admission.chain import AdmissionParts, Plugin
from memkube.apis.core.v1.services.types import Service
from memkube.registry.declarations.admission import Attributes


class AbsentControllers(Plugin):
    """Warns a client that creates an object whose controller does not run in this server."""

    name: ClassVar[str] = "AbsentControllers"

    def __init__(self, parts: AdmissionParts) -> None:
        super().__init__(parts)
        self._absent = parts.absent_controllers

    async def validate(self, attributes: Attributes) -> None:
        """Add a warning to the response if the controller that acts on the new object does not run."""
        resource = attributes.resource
        controller = self._absent[resource.group, resource.plural]
        if attributes.subresource or _selects_nothing(attributes):
            return
        attributes.context.warn(f"{controller} does not run in this server, so nothing acts on this {resource.kind}")


def _selects_nothing(attributes: Attributes) -> bool:
    """True for a Service without a selector, whose endpoints no controller maintains."""
    return isinstance(attributes.new, Service) and not attributes.new.spec.selector
