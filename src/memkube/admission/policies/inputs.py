"""Values of the CEL variables that the expressions of an admission policy can use."""

from typing import Final

from memkube.admission.expressions.authority import RequestAuthority
from memkube.admission.expressions.evaluation import Inputs, plain_json
from memkube.admission.expressions.requests import request_of
from memkube.admission.matching import Match, to_matched_version
from memkube.apimachinery.model import Document
from memkube.auth.authorization.interface import Authorizer
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
    """Return the Namespace in which the request's object is; None if the object is a Namespace or cluster-scoped.

    Raises ApiError (404) if the namespace does not exist.
    """
    kind = attributes.kind
    if not attributes.namespace or (kind.group, kind.version, kind.kind) == ("", "v1", "Namespace"):
        return None
    document = (await registry.find("", "v1", "namespaces").get("", attributes.namespace)).document
    return plain_json({name: value for name, value in document.items() if name not in ("kind", "apiVersion")})


def shown_namespace(namespace: Document | None) -> Document | None:
    """Return a copy of the namespace that has only the metadata which expressions can read."""
    if namespace is None:
        return None
    metadata = {name: value for name, value in namespace["metadata"].items() if name in _NAMESPACE_FIELDS}
    return {**namespace, "metadata": metadata}


async def inputs_of(attributes: Attributes, match: Match, authorizer: Authorizer) -> Inputs:
    """Return the values of the CEL variables for a request, except ``namespaceObject`` and ``params``.

    The request's objects are converted to the API version that a rule matched (`match`). `authorizer` becomes the value
    of the variable of that name. Raises ApiError if the conversion fails.
    """
    return Inputs(
        new=plain_json(await to_matched_version(attributes.new, attributes, match)),
        old=plain_json(await to_matched_version(attributes.old, attributes, match)),
        request=request_of(attributes, match.resource, match.kind),
        attributes=attributes,
        authority=RequestAuthority(authorizer, attributes.context.user),
    )
