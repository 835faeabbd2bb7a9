"""Rules for questions (``pkg/apis/authorization/validation``)."""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.shown_values import Unversioned
from memkube.apis.authorization.v1.selectors import validate_selectors
from memkube.apis.authorization.v1.types import NonResourceAttributes, ResourceAttributes, SubjectAccessReviewSpec

_SPEC: Final = FieldPath("spec")
_RESOURCE: Final = _SPEC.child("resourceAttributes")
_NON_RESOURCE: Final = _SPEC.child("nonResourceAttributes")


def validate_own_question(resource: ResourceAttributes | None, other: NonResourceAttributes | None) -> list[FieldError]:
    """The question is about one request."""
    return _validate_choice(resource, other) + _validate_selectors(resource)


def validate_question(spec: SubjectAccessReviewSpec) -> list[FieldError]:
    """The question is about one request of a user or a group."""
    errors = _validate_choice(spec.resourceAttributes, spec.nonResourceAttributes)
    if not spec.user and not spec.groups:
        errors.append(invalid(_SPEC.child("user"), "", "at least one of user or group must be specified"))
    return errors + _validate_selectors(spec.resourceAttributes)


def validate_local_question(spec: SubjectAccessReviewSpec, namespace: str) -> list[FieldError]:
    """The question is about one request in this namespace."""
    errors: list[FieldError] = []
    resource, other = spec.resourceAttributes, spec.nonResourceAttributes
    if resource is not None and resource.namespace != namespace:
        errors.append(invalid(_RESOURCE.child("namespace"), resource.namespace, "must match metadata.namespace"))
    if other is not None:
        errors.append(invalid(_NON_RESOURCE, Unversioned(other), "disallowed on this kind of request"))
    return errors


def validate_no_metadata(metadata: ObjectMeta, *, namespaced: bool = False) -> list[FieldError]:
    """A question has no metadata: it is not stored. Managed fields do not count."""
    kept = {"managedFields", "namespace"} if namespaced else {"managedFields"}
    if metadata.to_document().keys() <= kept:
        return []
    detail = "must be empty except for namespace" if namespaced else "must be empty"
    return [invalid("metadata", metadata, detail)]


def _validate_choice(resource: ResourceAttributes | None, other: NonResourceAttributes | None) -> list[FieldError]:
    if resource is not None and other is not None:
        detail = "cannot be specified in combination with resourceAttributes"
        return [invalid(_NON_RESOURCE, Unversioned(other), detail)]
    if resource is None and other is None:
        detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        return [invalid(_RESOURCE, None, detail)]
    return []


def _validate_selectors(resource: ResourceAttributes | None) -> list[FieldError]:
    return validate_selectors(resource, _RESOURCE) if resource else []
