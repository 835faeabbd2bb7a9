"""NamespaceLifecycle: refuses new objects in missing or terminating namespaces, and protects system namespaces."""

from typing import ClassVar

from memkube.admission.chain import AdmissionParts, Plugin
from memkube.apimachinery.errors import ApiError, Cause, forbidden
from memkube.registry.declarations.admission import Attributes, refused
from memkube.registry.objects.stored import StoredObject

IMMORTAL = frozenset({"default", "kube-system", "kube-public"})


class NamespaceLifecycle(Plugin):
    """Admission plugin that refuses new objects in missing or terminating namespaces, and protects system namespaces.

    Source: apiserver ``admission/plugin/namespace/lifecycle``.
    """

    name: ClassVar[str] = "NamespaceLifecycle"

    def __init__(self, parts: AdmissionParts) -> None:
        self._namespaces = parts.registry.find("", "v1", "namespaces")

    async def mutate(self, attributes: Attributes) -> None:
        """Refuse a new object in a missing or terminating namespace, and the deletion of a system namespace.

        The object is not changed.
        """
        resource, operation = attributes.resource, attributes.operation
        if resource.holds_namespaces:
            if operation == "DELETE" and attributes.name in IMMORTAL:
                raise forbidden(resource.group_resource, attributes.name, "this namespace may not be deleted")
            return
        if operation == "DELETE" or not attributes.namespace or _is_question(attributes):
            return
        namespace = await self._namespaces.get("", attributes.namespace)
        if operation == "CREATE" and _is_terminating(namespace):
            raise _terminating(attributes)


def _is_question(attributes: Attributes) -> bool:
    """True if the request creates a LocalSubjectAccessReview, which is not stored: its namespace need not exist."""
    resource = attributes.resource
    return resource.plural == "localsubjectaccessreviews" and resource.group == "authorization.k8s.io"


def _is_terminating(namespace: StoredObject) -> bool:
    phase: str = namespace.document.get("status", {}).get("phase", "")
    return phase == "Terminating"


def _terminating(attributes: Attributes) -> ApiError:
    namespace = attributes.namespace
    why = f"unable to create new content in namespace {namespace} because it is being terminated"
    error = refused(attributes, why)
    cause = Cause("NamespaceTerminating", f"namespace {namespace} is being terminated", "metadata.namespace")
    assert error.details is not None
    error.details = error.details._replace(causes=(cause,))
    return error
