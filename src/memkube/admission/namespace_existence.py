"""Plugins for missing namespaces: NamespaceAutoProvision creates the namespace, NamespaceExists refuses the request."""

from typing import ClassVar

from memkube.admission.chain import AdmissionParts, Plugin
from memkube.apimachinery.errors import ApiError
from memkube.apis.core.v1.namespaces.types import Namespace
from memkube.registry.declarations.admission import Attributes, refused
from memkube.registry.declarations.request_options import WriteContext


class NamespaceAutoProvision(Plugin):
    """Admission plugin that creates the namespace of a new object if it does not exist.

    Source: ``plugin/pkg/admission/namespace/autoprovision``.
    """

    name: ClassVar[str] = "NamespaceAutoProvision"

    def __init__(self, parts: AdmissionParts) -> None:
        self._namespaces = parts.registry.find("", "v1", "namespaces")

    async def mutate(self, attributes: Attributes) -> None:
        """Create the namespace of a new object if it does not exist; a dry run creates nothing."""
        if attributes.context.dry_run or not _is_within_namespace(attributes):
            return
        try:
            await self._namespaces.get("", attributes.namespace)
            return
        except ApiError:
            namespace = Namespace()
        namespace.metadata.name = attributes.namespace
        try:
            await self._namespaces.create(namespace, WriteContext(manager="kube-apiserver"))
        except ApiError as error:
            if error.reason != "AlreadyExists":
                raise refused(attributes, error.message) from None


class NamespaceExists(Plugin):
    """Admission plugin that refuses requests in a namespace that does not exist.

    Source: ``plugin/pkg/admission/namespace/exists``.
    """

    name: ClassVar[str] = "NamespaceExists"

    def __init__(self, parts: AdmissionParts) -> None:
        self._namespaces = parts.registry.find("", "v1", "namespaces")

    async def validate(self, attributes: Attributes) -> None:
        """Raise ApiError (404) if the namespace of the request does not exist."""
        if _is_within_namespace(attributes):
            await self._namespaces.get("", attributes.namespace)


def _is_within_namespace(attributes: Attributes) -> bool:
    return bool(attributes.namespace) and not attributes.resource.holds_namespaces
