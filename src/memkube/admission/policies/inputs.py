"""What expressions of policies are told of a request."""

from typing import Final

from memkube.admission.expressions.evaluation import Inputs, plain
from memkube.admission.expressions.requests import request_of
from memkube.admission.matching import Match, versioned
from memkube.apimachinery.model import Document
from memkube.cel.functions.authorizers import AlwaysAllow
from memkube.registry.declarations.admission import Attributes
from memkube.registry.registry import Registry

_NAMESPACE_FIELDS: Final = (
    "name",
    "generateName",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "finalizers",
)


async def namespace_object(attributes: Attributes, registry: Registry) -> Document | None:
    """The request's namespace, for all but namespaces and what belongs to none. Raises ApiError 404."""
    kind = attributes.kind
    if not attributes.namespace or (kind.group, kind.version, kind.kind) == ("", "v1", "Namespace"):
        return None
    document = (await registry.find("", "v1", "namespaces").get("", attributes.namespace)).document
    return plain({name: value for name, value in document.items() if name not in ("kind", "apiVersion")})


def shown_namespace(namespace: Document | None) -> Document | None:
    """What expressions may see of a namespace."""
    if namespace is None:
        return None
    metadata = {name: value for name, value in namespace["metadata"].items() if name in _NAMESPACE_FIELDS}
    return {**namespace, "metadata": metadata}


async def inputs_of(attributes: Attributes, match: Match) -> Inputs:
    """The objects in the version that was matched, without namespace and parameters. Raises ApiError."""
    return Inputs(
        new=plain(await versioned(attributes.new, attributes, match)),
        old=plain(await versioned(attributes.old, attributes, match)),
        request=request_of(attributes, match.resource, match.kind),
        attributes=attributes,
        authority=AlwaysAllow(),
    )
