"""Defaults of objects: of those in the bodies of POST and PUT requests, and of those that admission has changed."""

from memkube.apimachinery.errors import bad_request, unclassified
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.shown_values import quoted
from memkube.registry.declarations.resource import Resource
from memkube.registry.declarations.strategy import ConversionError


def default_received(obj: ApiObject, resource: Resource) -> None:
    """Set the defaults of an object in a request body, in place.

    Raises ApiError 400 if the object cannot be converted to kube-apiserver's internal version.
    """
    try:
        resource.strategy.default(obj)
    except ConversionError as error:
        version, kind = quoted(resource.version), resource.kind
        raise bad_request(f"{kind} in version {version} cannot be handled as a {kind}: {error.message}") from None


def default_admitted(obj: ApiModel, resource: Resource) -> None:
    """Set the defaults of an object that a webhook or policy has changed, in place.

    Raises ApiError 500 if the object cannot be converted to kube-apiserver's internal version.
    """
    try:
        resource.strategy.default(obj)
    except ConversionError as error:
        raise unclassified(error.message) from None
