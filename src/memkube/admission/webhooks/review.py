"""AdmissionReviews: what webhooks are sent, and what they may answer (``webhook/request/admissionreview.go``)."""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field

from memkube.admission.expressions.requests import request_of
from memkube.admission.matching import Match
from memkube.apimachinery.forms import ModelForm
from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import TypeMeta
from memkube.apimachinery.meta.v1.status import Status
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.scalars import Bytes, Raw
from memkube.apimachinery.shown_values import quoted
from memkube.hooks.answers import ExpectedKind
from memkube.registry.declarations.admission import Attributes

GO_PACKAGE: Final = "k8s.io/api/admission/v1"
_GROUP: Final = "admission.k8s.io"
_KIND: Final = "AdmissionReview"
VERSIONS: Final = ("v1", "v1beta1")
"""The versions of reviews that there are."""
_KNOWN: Final = {f"{_GROUP}/{version}": frozenset({_KIND}) for version in VERSIONS}


class AdmissionResponse(ApiModel):
    """What a webhook says to a request."""

    uid: Annotated[str, Named("types.UID"), Required()] = Field(default="", description="The request that is meant.")
    allowed: Annotated[bool, Required()] = Field(default=False, description="Whether the request may go on.")
    status: Status | None = Field(default=None, description="What a refusal looks like.")
    patch: Bytes = Field(default="", description="What the object is changed by.")
    patchType: Annotated[str | None, Named("v1.PatchType")] = Field(  # noqa: N815  the name on the wire
        default=None, description="What sort of patch it is: JSONPatch."
    )
    auditAnnotations: dict[str, str] = Field(  # noqa: N815  the name on the wire
        default_factory=dict, description="What the log of requests is to tell."
    )
    warnings: list[str] = Field(default_factory=list, description="What the client is warned of.")


class AdmissionReview(TypeMeta):
    """A request, or the response to it."""

    request: Raw | None = Field(default=None, description="The request; of no account in an answer.")
    response: AdmissionResponse | None = Field(default=None, description="The response.")


FORM: Final = ModelForm(AdmissionReview)
"""What answers are decoded into."""


@dataclass(frozen=True, slots=True)
class Review:
    """A request as it is sent, and what its answer has to be."""

    uid: str
    version: str
    document: Document

    @property
    def expected(self) -> ExpectedKind:
        """The kind of the answer."""
        return ExpectedKind(f"{_GROUP}/{self.version}", _KIND, _KNOWN)


def review_of(version: str, uid: str, attributes: Attributes, match: Match, objects: tuple[Any, Any]) -> Review:
    """The review of a request, with its new and its old object in the matched version."""
    request = {**request_of(attributes, match.resource, match.kind), "uid": uid}
    request["object"], request["oldObject"] = objects
    document: Document = {"kind": _KIND, "apiVersion": f"{_GROUP}/{version}", "request": request}
    return Review(uid, version, document)


def verify(review: Review, answered: AdmissionReview, *, mutating: bool) -> AdmissionResponse:
    """The response in an answer. Raises ValueError for one that is not to be used."""
    response = answered.response
    if response is None:
        raise ValueError("webhook response was absent")
    if review.version == "v1beta1":
        response.patchType = "JSONPatch" if response.patch else None
        if not mutating:
            response.patch, response.patchType = "", None
        return response
    if response.uid != review.uid:
        raise ValueError(f"expected response.uid={quoted(review.uid)}, got {quoted(response.uid)}")
    has_patch, patch_type = bool(response.patch), response.patchType
    if mutating and has_patch and patch_type is None:
        raise ValueError("webhook returned response.patch but not response.patchType")
    if mutating and not has_patch and patch_type is not None:
        raise ValueError("webhook returned response.patchType but not response.patch")
    if mutating and patch_type == "":
        raise ValueError('webhook returned invalid response.patchType of ""')
    if not mutating and has_patch:
        raise ValueError("validating webhook may not return response.patch")
    if not mutating and patch_type is not None:
        raise ValueError("validating webhook may not return response.patchType")
    return response
