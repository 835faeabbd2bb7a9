"""LocalSubjectAccessReviews: may somebody do this in one namespace? Asked by POST, never stored."""

from typing import Final

from memkube.apis.authorization.v1.answers import GROUP, VERSION, allowed, check_question, take_question
from memkube.apis.authorization.v1.localsubjectaccessreviews.types import LocalSubjectAccessReview
from memkube.apis.authorization.v1.validation import validate_local_question, validate_no_metadata, validate_question
from memkube.registry.connect import Created
from memkube.registry.context import WriteContext
from memkube.registry.registry import Registry
from memkube.registry.review import review_resource

_PLURAL: Final = "localsubjectaccessreviews"


async def review(registry: Registry, name: str, obj: LocalSubjectAccessReview, context: WriteContext) -> Created:
    """Answers a question. Raises ApiError 422."""
    take_question(registry, _PLURAL, obj, context)
    errors = validate_question(obj.spec) + validate_no_metadata(obj.metadata, namespaced=True)
    check_question(errors + validate_local_question(obj.spec, obj.metadata.namespace))
    obj.status = allowed(obj.spec.resourceAttributes)
    return Created(obj.to_document())


RESOURCE = review_resource(
    group=GROUP,
    version=VERSION,
    plural=_PLURAL,
    model=LocalSubjectAccessReview,
    review=review,
)
