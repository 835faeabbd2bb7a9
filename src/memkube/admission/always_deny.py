"""AlwaysDeny: refuses every write and every connection to a pod."""

from typing import ClassVar

from memkube.admission.chain import Plugin
from memkube.registry.declarations.admission import Attributes, refused


class AlwaysDeny(Plugin):
    """Admission plugin that refuses every write and every connection to a pod (``plugin/pkg/admission/deny``)."""

    name: ClassVar[str] = "AlwaysDeny"

    async def mutate(self, attributes: Attributes) -> None:
        """Refuse every request. Like kube-apiserver, the plugin refuses in the mutating phase."""
        raise refused(attributes, "admission control is denying all modifications")
