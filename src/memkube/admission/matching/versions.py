"""Objects in the version of the rule that has matched a request (apiserver ``pkg/admission/conversion.go``)."""

from memkube.admission.matching.rules import Match
from memkube.apimachinery.model import ApiModel, Document
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.resource import Resource


async def versioned(obj: ApiModel | None, attributes: Attributes, match: Match) -> Document | None:
    """An object of a request, in the matched version; shares what it has not changed with the object.

    Raises ApiError where it cannot be converted.
    """
    if obj is None:
        return None
    return await _converted(obj.to_document(), attributes, attributes.resource, match.resource)


async def unversioned(document: Document, attributes: Attributes, match: Match) -> Document:
    """A document of the matched version, in the request's own. Raises ApiError where it cannot be converted."""
    return await _converted(document, attributes, match.resource, attributes.resource)


async def _converted(document: Document, attributes: Attributes, given: Resource, wanted: Resource) -> Document:
    if given is wanted or attributes.shown is not None:
        return document
    if given.versions is not None:
        return await given.versions.shown(document, wanted.api_version)
    if given.storage.form is not None:
        document = (await given.storage.form.to_stored([document]))[0]
    if wanted.storage.form is not None:
        document = (await wanted.storage.form.from_stored([document]))[0]
    return document
