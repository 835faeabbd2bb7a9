"""AdmissionReviews: requests to webhooks, and validation of the responses (``webhook/request/admissionreview.go``)."""

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
from memkube.apimachinery.structural import has_whole_float, with_whole_numbers
from memkube.hooks.answers import ExpectedKind
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.kinds import kind_shown

GO_PACKAGE: Final = "k8s.io/api/admission/v1"
_GROUP: Final = "admission.k8s.io"
_KIND: Final = "AdmissionReview"
VERSIONS: Final = ("v1", "v1beta1")
"""API versions of AdmissionReview that this server can send to webhooks."""
_KNOWN: Final = {f"{_GROUP}/{version}": frozenset({_KIND}) for version in VERSIONS}


class AdmissionResponse(ApiModel):
    """A webhook's decision on a request: allowed or denied, with an optional patch, warnings and audit annotations."""

    uid: Annotated[str, Named("types.UID"), Required()] = Field(
        default="", description="Value of request.uid in the AdmissionReview that the webhook received."
    )
    allowed: Annotated[bool, Required()] = Field(default=False, description="True if the webhook admits the request.")
    status: Status | None = Field(default=None, description="Error that the client gets if allowed is false.")
    patch: Bytes = Field(
        default="", description="JSON patch of the request's object, base64 encoded; only from mutating webhooks."
    )
    patchType: Annotated[str | None, Named("v1.PatchType")] = Field(  # noqa: N815  the name on the wire
        default=None, description="Type of the patch, always JSONPatch."
    )
    auditAnnotations: dict[str, str] = Field(  # noqa: N815  the name on the wire
        default_factory=dict, description="Annotations to add to the audit event of the request."
    )
    warnings: list[str] = Field(
        default_factory=list, description="Warnings that the client gets in Warning headers of the response."
    )


class AdmissionReview(TypeMeta):
    """Body of a call to an admission webhook, with `request` set, or of the webhook's answer, with `response` set."""

    request: Raw | None = Field(
        default=None, description="Request that the webhook is to admit; ignored in the webhook's answer."
    )
    response: AdmissionResponse | None = Field(
        default=None, description="Decision of the webhook; unset in a request to the webhook."
    )


FORM: Final = ModelForm(AdmissionReview)
"""Decoder of the AdmissionReviews that webhooks return."""


@dataclass(frozen=True, slots=True)
class Review:
    """An AdmissionReview to send, and the UID, kind and version that the response must have."""

    uid: str
    version: str
    document: Document

    @property
    def expected(self) -> ExpectedKind:
        """The apiVersion and kind that the webhook's response must have."""
        return ExpectedKind(f"{_GROUP}/{self.version}", _KIND, _KNOWN)


def review_of(version: str, uid: str, attributes: Attributes, match: Match, objects: tuple[Any, ...]) -> Review:
    """Create the AdmissionReview that is sent to a webhook.

    `version` is its API version, such as v1, and `match` the resource and kind that a rule of the webhook matched.
    `objects` are the new and the old object in the API version of this kind.
    """
    request = {**request_of(attributes, match.resource, match.kind), "uid": uid}
    if match.resource.structural is not None:
        objects = tuple(None if one is None else as_sent(one) for one in objects)
    request["object"], request["oldObject"] = objects
    document: Document = {"kind": _KIND, "apiVersion": f"{_GROUP}/{version}", "request": request}
    return Review(uid, version, document)


def as_sent(document: Document) -> Document:
    """Return a custom object with its numbers as Go's JSON encoder writes them: 1 instead of ``1.0``."""
    whole: Document = with_whole_numbers(document) if has_whole_float(document) else document
    return whole


def verify(review: Review, answered: AdmissionReview, *, mutating: bool) -> AdmissionResponse:
    """Return the response in `answered`, the AdmissionReview that the webhook sent back.

    Raises ValueError if `answered` is not a valid response to `review`, the AdmissionReview that was sent. `mutating`
    is True for a mutating webhook. The response of a validating webhook must not contain a patch; in v1beta1, its patch
    is ignored.
    """
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
    found, wanted = kind_shown(answered.apiVersion, answered.kind), kind_shown(f"{_GROUP}/v1", _KIND)
    if found != wanted:
        raise ValueError(f"expected webhook response of {wanted}, got {found}")
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
