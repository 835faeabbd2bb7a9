"""Answering questions about permissions: this server asks nobody for any, so everything is allowed.

Sources: ``pkg/registry/authorization`` and apiserver's ``authorizerfactory`` (the authorizer AlwaysAllow).
"""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.errors import invalid
from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.authorization.v1.selectors import misunderstandings
from memkube.apis.authorization.v1.types import ResourceAttributes, SubjectAccessReviewStatus
from memkube.registry.context import WriteContext
from memkube.registry.metadata import wipe_system_fields
from memkube.registry.ownership import own_changes, writer_of
from memkube.registry.registry import Registry

GROUP: Final = "authorization.k8s.io"
VERSION: Final = "v1"


def take_question(registry: Registry, plural: str, review: ApiObject, context: WriteContext) -> None:
    """Does with a review what is done with an object before it would be stored."""
    resource = registry.find(GROUP, VERSION, plural).resource
    wipe_system_fields(review.metadata)
    own_changes(None, review, resource, writer_of(resource, context, registry.backend.clock))


def check_question(errors: Sequence[FieldError]) -> None:
    """Raises ApiError 422, which names no kind here."""
    if errors:
        raise invalid(GROUP, "", "", errors)


def allowed(attributes: ResourceAttributes | None) -> SubjectAccessReviewStatus:
    """The answer to a question about a request for a resource, or for something else."""
    misunderstood = misunderstandings(attributes) if attributes else ""
    return SubjectAccessReviewStatus(allowed=True, evaluationError=misunderstood)
