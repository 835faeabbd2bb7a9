"""Conversion of objects between the API version of a request and the API version of a rule.

Source: apiserver ``pkg/admission/conversion.go``.
"""

from memkube.admission.matching.rules import Match
from memkube.apimachinery.model import ApiModel, Document, restore_given
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.conversion import converted_between


async def to_matched_version(obj: ApiModel | None, attributes: Attributes, match: Match) -> Document | None:
    """Convert an object of the request to the version that a rule matched. Raises ApiError if the conversion fails.

    The result is JSON data; parts that need no conversion are shared with the object.
    """
    if obj is None:
        return None
    document = obj.to_document()
    if obj is attributes.new:
        restore_given(obj, document)
    document = await _converted(document, attributes, attributes.resource, match.resource)
    if attributes.shown is None and match.resource.structural is not None:
        # A client may have sent another kind, which validation refuses after admission.
        document = {**document, "kind": match.kind.kind, "apiVersion": match.kind.api_version}
    return document


async def to_request_version(document: Document, attributes: Attributes, match: Match) -> Document:
    """Convert a JSON object from the API version that a rule matched to the API version of the request.

    Raises ApiError if the conversion fails.
    """
    return await _converted(document, attributes, match.resource, attributes.resource)


async def _converted(document: Document, attributes: Attributes, given: Resource, wanted: Resource) -> Document:
    if given is wanted or attributes.shown is not None:
        return document
    if given.versions is not None:
        return await given.versions.shown(document, wanted.api_version)
    return await converted_between(document, given.stored.form, wanted.stored.form)
