"""DenyServiceExternalIPs: refuses new external IPs of Services."""

from typing import ClassVar

from memkube.admission.chain import Plugin
from memkube.apis.core.v1.services.types import Service
from memkube.registry.declarations.admission import Attributes, refused


class DenyServiceExternalIPs(Plugin):
    """Admission plugin that refuses new external IPs of Services.

    Source: ``plugin/pkg/admission/network/denyserviceexternalips``.
    """

    name: ClassVar[str] = "DenyServiceExternalIPs"

    async def validate(self, attributes: Attributes) -> None:
        """Refuse a write that adds external IPs to a Service."""
        service, old = attributes.new, attributes.old
        if attributes.subresource or not isinstance(service, Service):
            return
        before = old.spec.externalIPs if isinstance(old, Service) else []
        if not set(service.spec.externalIPs) <= set(before):
            raise refused(attributes, "Use of external IPs is denied by admission control")
