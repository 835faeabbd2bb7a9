"""Objects that every namespace has one of."""

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.controllers.client import Client
from memkube.registry.resource import Resource
from memkube.registry.stored import StoredObject


def is_active(namespace: StoredObject | None) -> bool:
    """Whether a namespace is there and not on its way out."""
    return namespace is not None and namespace.document["status"].get("phase") == "Active"


async def create_unless_there(client: Client, resource: Resource, obj: ApiObject, namespace: str) -> None:
    """Creates an object, if its namespace still takes new ones and has none of the name. Raises ApiError."""
    try:
        await client.create(resource, obj, namespace)
    except ApiError as error:
        causes = error.details.causes if error.details else ()
        terminating = any(cause.reason == "NamespaceTerminating" for cause in causes)
        if error.reason not in ("AlreadyExists", "NotFound") and not terminating:
            raise
