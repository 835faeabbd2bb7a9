"""LocalSubjectAccessReviews: may somebody do this in one namespace? Asked by POST, never stored."""

from typing import Final

from memkube.apis.authorization.v1.answers import GROUP, VERSION, allowed, check_question, take_question
from memkube.apis.authorization.v1.localsubjectaccessreviews.types import LocalSubjectAccessReview
from memkube.apis.authorization.v1.validation import validate_local_question, validate_no_metadata, validate_question
from memkube.registry.connect import Created
from memkube.registry.context import WriteContext
from memkube.registry.registry import Registry
from memkube.registry.resource import Resource
from memkube.registry.strategy import Strategy
from memkube.registry.table import NAME_AND_AGE

_PLURAL: Final = "localsubjectaccessreviews"


async def review(registry: Registry, name: str, obj: LocalSubjectAccessReview, context: WriteContext) -> Created:
    """Answers a question. Raises ApiError 422."""
    take_question(registry, _PLURAL, obj, context)
    errors = validate_question(obj.spec) + validate_no_metadata(obj.metadata, namespaced=True)
    check_question(errors + validate_local_question(obj.spec, obj.metadata.namespace))
    obj.status = allowed(obj.spec.resourceAttributes)
    return Created(obj.to_document())


RESOURCE = Resource(
    group=GROUP,
    version=VERSION,
    kind="LocalSubjectAccessReview",
    plural=_PLURAL,
    singular="localsubjectaccessreview",
    verbs=("create",),
    model=LocalSubjectAccessReview,
    strategy=Strategy[LocalSubjectAccessReview](),
    printer=NAME_AND_AGE,
    create=review,
)
