"""AlwaysDeny: nothing may change, and nobody may be connected."""

from typing import ClassVar

from memkube.admission.chain import Plugin
from memkube.registry.declarations.admission import Attributes, refused


class AlwaysDeny(Plugin):
    """Source: ``plugin/pkg/admission/deny``."""

    name: ClassVar[str] = "AlwaysDeny"

    async def mutate(self, attributes: Attributes) -> None:
        """Refuses; changes nothing."""
        raise refused(attributes, "admission control is denying all modifications")
