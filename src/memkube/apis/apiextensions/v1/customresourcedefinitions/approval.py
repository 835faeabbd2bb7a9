"""Approval annotation of CustomResourceDefinitions in protected API groups (``apihelpers/helpers.go``)."""

from typing import Final, Literal, TypeAlias

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, required
from memkube.apimachinery.go_url import parse_url
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.shown_values import quoted

Approval: TypeAlias = Literal["Invalid", "Approved", "Unapproved", "Missing"]

_ANNOTATION: Final = "api-approved.kubernetes.io"
_DOMAINS: Final = ("k8s.io", "kubernetes.io")
_PROPOSAL: Final = "see https://github.com/kubernetes/enhancements/pull/1111"


def is_protected(group: str) -> bool:
    """True if the API group is protected: k8s.io, kubernetes.io or a subdomain of these."""
    return group in _DOMAINS or group.endswith(tuple(f".{domain}" for domain in _DOMAINS))


def approval_of(metadata: ObjectMeta) -> tuple[Approval, str]:
    """Return the approval state in the annotation ``api-approved.kubernetes.io``, and a message that explains it."""
    written = metadata.annotations.get(_ANNOTATION, "")
    must = f"protected groups must have approval annotation {quoted(_ANNOTATION)}"
    if not written:
        return "Missing", f"{must}, {_PROPOSAL}"
    if written.startswith("unapproved"):
        return "Unapproved", f"not approved: {quoted(written)}"
    try:
        url = parse_url(written)
    except ValueError:
        url = None
    if url is not None and url.host and url.scheme:
        return "Approved", f"approved in {written}"
    return "Invalid", f'{must} with either a URL or a reason starting with "unapproved", {_PROPOSAL}'


def validate_approval(group: str, metadata: ObjectMeta, old: ObjectMeta | None) -> list[FieldError]:
    """Validate the approval annotation of a CustomResourceDefinition, which is required if its group is protected.

    `metadata` is the metadata of the new definition, and `old` the metadata before an update. The annotation is not
    checked if both have the same approval state.
    """
    if not is_protected(group):
        return []
    approval, why = approval_of(metadata)
    if old is not None and approval_of(old)[0] == approval:
        return []
    path = FieldPath("metadata").child("annotations").key(_ANNOTATION)
    if approval == "Invalid":
        return [invalid(path, metadata.annotations[_ANNOTATION], why)]
    return [required(path, why)] if approval == "Missing" else []
